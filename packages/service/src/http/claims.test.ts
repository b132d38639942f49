import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../testing/databases.ts';
import { startTestService, type TestService } from '../testing/services.ts';

interface Page<Item> {
  data: Item[];
}

let service: TestService;
const creator = newWallet();
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function json<T>(answer: Response | Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T;
}

async function createToken(fields: Record<string, unknown> = {}, key = service.apiKey): Promise<number> {
  const answer = await post('/v1/tokens', await signedToken(fields, creator), key);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return Number((await settle(answer)).resourceId);
}

const post = (path: string, body: unknown, key?: string) =>
  service.call(path, key === undefined ? { json: body } : { json: body, key });

async function settle(answer: Response) {
  expect(answer.status, await answer.clone().text()).toBe(202);
  return await json<{ status: string; resourceId: number | null; error: { name: string } | null }>(
    service.call(`${answer.headers.get('location')}?wait=20`),
  );
}

async function expectRefusal(answer: Response, status: number, name: string): Promise<void> {
  expect({ status: answer.status, name: (await json<{ name: string }>(answer)).name }).toEqual({
    status,
    name,
  });
}

const claim = (tokenId: number, body: Record<string, unknown>, key?: string) =>
  post(`/v1/tokens/${tokenId}/claim`, body, key);
const burn = async (tokenId: number, wallet: typeof creator, signer = wallet) =>
  post(`/v1/tokens/${tokenId}/burn`, {
    burningAddress: wallet.address,
    signature: await signTokenId(signer, 'Burn', tokenId),
  });
const remaining = async (tokenId: number) =>
  (
    await json<{ claimabilityAttributes: { remainingClaimCount: number } }>(
      service.call(`/v1/tokens/${tokenId}`),
    )
  ).claimabilityAttributes.remainingClaimCount;
const wallet = async (address: string, search = '') =>
  (
    await json<Page<{ badgeTokenId: number; claimStatus: string }>>(
      service.call(`/v1/wallets/${address}/tokens${search}`),
    )
  ).data;

describe('an open token', () => {
  test('is claimed with a signature, once, and burnt for good', async () => {
    const tokenId = await createToken({ totalClaimCount: 2 });
    const claimer = newWallet();
    const body = {
      claimingAddress: claimer.address,
      signature: await signTokenId(claimer, 'Claim', tokenId),
    };
    expect(await settle(await claim(tokenId, body))).toMatchObject({
      status: 'success',
      resourceId: tokenId,
    });
    expect(await remaining(tokenId)).toBe(1);
    await expectRefusal(await claim(tokenId, body), 409, 'ClaimingAddressAlreadyHasToken');
    const owners = await json<Page<{ address: string }>>(service.call(`/v1/tokens/${tokenId}/owners`));
    expect(owners.data).toMatchObject([{ address: claimer.address }]);
    expect(await wallet(claimer.address, '?claimStatus=claimed')).toMatchObject([
      { badgeTokenId: tokenId, claimStatus: 'claimed' },
    ]);

    await expectRefusal(await burn(tokenId, claimer, creator), 403, 'NotSignedByOwner');
    expect(await settle(await burn(tokenId, claimer))).toMatchObject({
      status: 'success',
      resourceId: tokenId,
    });
    await expectRefusal(await burn(tokenId, claimer), 409, 'TokenNotOwned');
    expect(await remaining(tokenId)).toBe(1);
    expect(await wallet(claimer.address)).toEqual([]);
    await expectRefusal(await claim(tokenId, body), 409, 'ClaimingAddressAlreadyHasToken');
  });

  test("is claimed with the community's key where no signature is required", async () => {
    const tokenId = await createToken({ totalClaimCount: 1 });
    const claimingAddress = newWallet().address;
    await expectRefusal(await claim(tokenId, { claimingAddress }), 401, 'ApiKeyOrSignatureRequired');
    expect(await settle(await claim(tokenId, { claimingAddress }, service.apiKey))).toMatchObject({
      status: 'success',
    });
    const late = { claimingAddress: newWallet().address };
    await expectRefusal(await claim(tokenId, late, service.apiKey), 409, 'NoTokensLeft');
    expect(
      await json(service.call(`/v1/tokens/${tokenId}/eligibility?address=${late.claimingAddress}`)),
    ).toEqual({
      canClaim: false,
      isSignatureRequired: false,
      reasons: ['NoTokensLeft'],
    });
  });

  test('with a required signature refuses the key alone and any other signature', async () => {
    const tokenId = await createToken({ isSignatureRequired: true });
    const claimer = newWallet();
    const claimingAddress = claimer.address;
    await expectRefusal(await claim(tokenId, { claimingAddress }, service.apiKey), 400, 'SignatureRequired');
    const signature = await signTokenId(creator, 'Claim', tokenId);
    await expectRefusal(await claim(tokenId, { claimingAddress, signature }), 403, 'NotSignedByClaimer');
    const ofOtherToken = await signTokenId(claimer, 'Claim', tokenId + 1);
    await expectRefusal(
      await claim(tokenId, { claimingAddress, signature: ofOtherToken }),
      403,
      'NotSignedByClaimer',
    );
    await expectRefusal(
      await claim(tokenId, { claimingAddress, signature: '0x12' }),
      400,
      'InvalidSignature',
    );
  });

  test('that has expired is not claimed', async () => {
    const tokenId = await createToken({ expirationTimestamp: 1_000 });
    const claimingAddress = newWallet().address;
    await expectRefusal(await claim(tokenId, { claimingAddress }, service.apiKey), 409, 'TokenClaimExpired');
  });

  test('has no contributors to add', async () => {
    const tokenId = await createToken();
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const answer = await post(
      `/v1/tokens/${tokenId}/addContributors`,
      { contributors: ['a@b.c'], signature },
      service.apiKey,
    );
    await expectRefusal(answer, 409, 'AllowlistMismatch');
  });

  test('is airdropped', async () => {
    const tokenId = await createToken({ totalClaimCount: 1 });
    const { address } = newWallet();
    const airdrop = (body: unknown) => post(`/v1/tokens/${tokenId}/airdrop`, body, service.apiKey);
    const mistyped = { address: `0x${'aB'.repeat(20)}` };
    await expectRefusal(await airdrop(mistyped), 400, 'InvalidRequest');
    expect(await settle(await airdrop({ address }))).toMatchObject({ status: 'success' });
    expect(await wallet(address)).toMatchObject([{ claimStatus: 'claimed' }]);
  });

  test('raced by 2,000 wallets for 500 places has exactly 500 claims', async () => {
    const tokenId = await createToken({ totalClaimCount: 500 });
    const addresses = Array.from(
      { length: 2_000 },
      (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`,
    );
    const outcomes: string[] = [];
    const queue = addresses.values();
    async function race(): Promise<void> {
      for (const claimingAddress of queue) {
        const answer = await claim(tokenId, { claimingAddress }, service.apiKey);
        if (answer.status === 202) {
          const { status, error } = await settle(answer);
          outcomes.push(error?.name ?? status);
        } else outcomes.push((await json<{ name: string }>(answer)).name);
      }
    }
    // As many sockets as a test can open at once and still answer in time, client and service in one process.
    await Promise.all(Array.from({ length: 400 }, race));
    expect(outcomes).toHaveLength(2_000);
    expect(new Set(outcomes)).toEqual(new Set(['success', 'NoTokensLeft']));
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(500);
    const [count] = await query<{ made: string }>(
      service.databaseUrl,
      'select count(*) as made from claims where token_id = $1',
      [tokenId],
    );
    expect(Number(count?.made)).toBe(500);
    expect(await remaining(tokenId)).toBe(0);
  });

  test('claimed many times at once by one wallet is claimed once', async () => {
    const tokenId = await createToken({ totalClaimCount: 5 });
    const claimingAddress = newWallet().address;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => claim(tokenId, { claimingAddress }, service.apiKey)),
    );
    const locations = answers
      .map((answer) => answer.headers.get('location'))
      .filter((location) => location !== null);
    expect(new Set(locations).size).toBe(1);
    await service.call(`${locations[0]}?wait=20`);
    expect(await remaining(tokenId)).toBe(4);
  });
});

describe('an allowlisted token', () => {
  const listed = newWallet();
  const other = newWallet();

  test('is claimed by the listed; the others see it unclaimed or not at all', async () => {
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [listed.address, other.address],
    });
    const stranger = newWallet().address;
    await expectRefusal(
      await claim(tokenId, { claimingAddress: stranger }, service.apiKey),
      403,
      'AddressNotAllowlisted',
    );
    const signature = await signTokenId(listed, 'Claim', tokenId);
    expect(await settle(await claim(tokenId, { claimingAddress: listed.address, signature }))).toMatchObject({
      status: 'success',
    });
    expect(await wallet(listed.address)).toMatchObject([{ badgeTokenId: tokenId, claimStatus: 'claimed' }]);
    expect(await wallet(other.address)).toMatchObject([{ badgeTokenId: tokenId, claimStatus: 'unclaimed' }]);
    expect(await wallet(stranger)).toEqual([]);
    const contributors = await json<Page<unknown>>(
      service.call(`/v1/tokens/${tokenId}/contributors`, { key: service.apiKey }),
    );
    expect(contributors.data).toEqual([
      { contributor: listed.address, address: listed.address, hasClaimed: true },
      { contributor: other.address, address: other.address, hasClaimed: false },
    ]);
    await expectRefusal(
      await post(`/v1/tokens/${tokenId}/airdrop`, { address: stranger }, service.apiKey),
      409,
      'AllowlistMismatch',
    );
  });

  test('lists identifiers, which the community claims for, each once', async () => {
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: ['Ada@Example.org', 'ada.eth'],
    });
    const first = newWallet().address;
    await expectRefusal(
      await claim(tokenId, {
        claimingAddress: first,
        identifier: 'ada@example.org',
        signature: '0x',
      }),
      401,
      'ApiKeyRequired',
    );
    const asAda = { claimingAddress: first, identifier: ' ada@EXAMPLE.org ' };
    expect(await settle(await claim(tokenId, asAda, service.apiKey))).toMatchObject({ status: 'success' });
    await expectRefusal(
      await claim(tokenId, { claimingAddress: other.address, identifier: 'ada@example.org' }, service.apiKey),
      409,
      'ClaimingAddressAlreadyHasToken',
    );
    await expectRefusal(
      await claim(tokenId, { claimingAddress: other.address, identifier: other.address }, service.apiKey),
      400,
      'InvalidRequest',
    );
    const contributors = await json<Page<unknown>>(
      service.call(`/v1/tokens/${tokenId}/contributors`, { key: service.apiKey }),
    );
    expect(contributors.data).toEqual([
      { contributor: 'Ada@Example.org', address: null, hasClaimed: true },
      { contributor: 'ada.eth', address: null, hasClaimed: false },
    ]);
  });

  test("gets contributors with its creator's signature, each once", async () => {
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [listed.address],
    });
    const add = async (contributors: string[], signer = creator) =>
      post(
        `/v1/tokens/${tokenId}/addContributors`,
        { contributors, signature: await signTokenId(signer, 'AllowlistedAddress', tokenId) },
        service.apiKey,
      );
    await expectRefusal(await add([other.address], other), 403, 'NotSignedByCreator');
    await expectRefusal(await add([]), 400, 'InvalidRequest');
    expect(await settle(await add([listed.address, other.address, 'b@c.d']))).toMatchObject({
      status: 'success',
    });
    const contributors = await json<Page<{ contributor: string }>>(
      service.call(`/v1/tokens/${tokenId}/contributors`, { key: service.apiKey }),
    );
    expect(contributors.data.map(({ contributor }) => contributor)).toEqual([
      listed.address,
      other.address,
      'b@c.d',
    ]);
  });

  test('reaches anybody by an admin, with consent or without', async () => {
    const admin = newWallet();
    await query(
      service.databaseUrl,
      "update communities set admin_addresses = array_append(admin_addresses, $1) where community_id = 'demo'",
      [Buffer.from(admin.address.slice(2), 'hex')],
    );
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: ['a@b.c'],
    });
    const receiver = newWallet();
    const body = {
      receivingAddress: receiver.address,
      adminAddress: admin.address,
      adminSignature: await signTokenId(admin, 'CommunityAdminAirdrop', tokenId),
      receiverSignature: await signTokenId(receiver, 'CommunityAdminAirdropReceiverConsent', tokenId),
    };
    const airdrop = (fields: object) =>
      post(`/v1/tokens/${tokenId}/communityAdminAirdrop`, { ...body, ...fields }, service.apiKey);
    await expectRefusal(
      await airdrop({ receiverSignature: body.adminSignature }),
      403,
      'NotSignedByReceiver',
    );
    await expectRefusal(await airdrop({ adminSignature: body.receiverSignature }), 403, 'NotSignedByAdmin');
    const notAdmin = {
      adminAddress: receiver.address,
      adminSignature: await signTokenId(receiver, 'CommunityAdminAirdrop', tokenId),
    };
    await expectRefusal(await airdrop(notAdmin), 403, 'NotCommunityAdmin');
    expect(await settle(await airdrop({}))).toMatchObject({ status: 'success' });

    const second = newWallet().address;
    const withoutConsent = await post(
      `/v1/tokens/${tokenId}/communityAdminAirdropWithoutConsentSig`,
      { ...body, receivingAddress: second },
      service.apiKey,
    );
    expect(await settle(withoutConsent)).toMatchObject({ status: 'success' });
    expect(await wallet(second)).toMatchObject([{ badgeTokenId: tokenId, claimStatus: 'claimed' }]);
  });
});

test('a claim and a burn that race leave the token claimed or burnt, never both or twice', async () => {
  const tokenId = await createToken({ totalClaimCount: 30 });
  const wallets = Array.from({ length: 30 }, () => newWallet());
  await Promise.all(
    wallets.map(async (claimer) => {
      const claiming = await claim(tokenId, { claimingAddress: claimer.address }, service.apiKey);
      const [, burning] = await Promise.all([settle(claiming), burn(tokenId, claimer)]);
      if (burning.status === 202) expect((await settle(burning)).status).toBe('success');
    }),
  );
  const rows = await query<{ address: Buffer }>(
    service.databaseUrl,
    'select address from claims where token_id = $1',
    [tokenId],
  );
  expect(rows).toHaveLength(30);
  expect(await remaining(tokenId)).toBe(0);
});
