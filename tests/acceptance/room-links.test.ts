import { randomUUID } from 'node:crypto';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  addContributors,
  checkClaimCode,
  claimLinksOf,
  claimWithCode,
  claimWithSignature,
  contributorsOf,
  createAllowlistedToken,
  createClaimLink,
  createClaimLinks,
  createOpenToken,
  createRoomLink,
  expectDone,
  outcomeOf,
  ownersOf,
  postTo,
  revokeClaimLink,
  signTokenId,
  updateClaimLink,
} from './claim-requests.ts';
import { parseOk, withDemoKey } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';

const HOUR_MS = 3_600_000;
const creator = newWallet();

async function createRoom(fields: Body = {}) {
  const tokenId = await createAllowlistedToken(['ada'], creator);
  return { tokenId, ...(await createRoomLink(tokenId, creator, fields)) };
}

const outcomeOfClaim = (tokenId: number, code: string, address = newAddress(), fields: Body = {}) =>
  outcomeOf(claimWithCode(tokenId, code, address, fields));

describe('a link for a room', () => {
  test('has a short code, and is listed with its number of claims', async () => {
    const startsAtTimestamp = Date.now() - 1_000;
    const { tokenId, claimLinkId, code, url, expiresAtTimestamp } = await createRoom({ startsAtTimestamp });
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(url.endsWith(`/claim/${tokenId}#${code}`)).toBe(true);
    await expectDone(tokenId, claimWithCode(tokenId, code, newAddress()));
    expect(await claimLinksOf(tokenId)).toStrictEqual([
      {
        claimLinkId,
        identifier: null,
        status: 'unused',
        claimingAddress: null,
        createdAtTimestamp: expect.any(Number),
        startsAtTimestamp,
        expiresAtTimestamp,
        usedAtTimestamp: null,
        maxClaims: 3,
        claimCount: 1,
        isPaused: false,
      },
    ]);
  });

  test('is used by exactly `maxClaims` addresses that claim at the same time, which become contributors', async () => {
    const { tokenId, code } = await createRoom();
    const addresses = Array.from({ length: 9 }, () => newAddress());
    const outcomes = await Promise.all(addresses.map((address) => outcomeOfClaim(tokenId, code, address)));
    const claimed = addresses.filter((_, index) => outcomes[index] === 'success');
    expect(outcomes.toSorted()).toEqual([...Array(6).fill('ClaimCodeUsed'), ...Array(3).fill('success')]);
    expect((await ownersOf(tokenId)).map(({ address }) => address).toSorted()).toEqual(claimed.toSorted());
    const [ada, ...added] = await contributorsOf(tokenId);
    expect(ada).toStrictEqual({ contributor: 'ada', address: null, hasClaimed: false });
    expect(added.map(({ address }) => address).toSorted()).toEqual(claimed.toSorted());
    for (const { contributor, address, hasClaimed } of added) {
      expect({ contributor, hasClaimed }).toEqual({ contributor: address, hasClaimed: true });
    }
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'used', claimCount: 3 }]);
    expect((await checkClaimCode(tokenId, code)).reasons).toEqual(['ClaimCodeUsed']);
  });

  test('lets each address claim once, and counts nothing for a claim that fails', async () => {
    const { tokenId, code } = await createRoom();
    const address = newAddress();
    await expectDone(tokenId, claimWithCode(tokenId, code, address));
    expect(await outcomeOfClaim(tokenId, code, address)).toBe('ClaimingAddressAlreadyHasToken');
    expect(await claimLinksOf(tokenId)).toMatchObject([{ claimCount: 1 }]);
  });

  test('also serves an address that is on the allowlist, which stays there once', async () => {
    const { tokenId, code } = await createRoom();
    const address = newAddress();
    await expectDone(tokenId, addContributors(tokenId, creator, [address]));
    await expectDone(tokenId, claimWithCode(tokenId, code, address));
    expect((await contributorsOf(tokenId)).map(({ contributor }) => contributor)).toEqual(['ada', address]);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ claimCount: 1 }]);
  });

  test.each<[string, (code: string) => string]>([
    ['in lower case', (code) => code.toLowerCase()],
    ['without the hyphen', (code) => code.replace('-', '')],
    ['with spaces', (code) => ` ${code.split('').join(' ')} `],
    ['with letters for 0 and 1', (code) => code.replaceAll('0', 'o').replaceAll('1', 'l')],
  ])('accepts its code %s', async (_title, change) => {
    const { tokenId, code } = await createRoom();
    expect(await checkClaimCode(tokenId, change(code))).toEqual({
      canClaim: true,
      isSignatureRequired: false,
      isWalletRequired: false,
      reasons: [],
    });
    expect(await outcomeOfClaim(tokenId, change(code))).toBe('success');
  });

  test('does not accept its code for another token', async () => {
    const { code } = await createRoom();
    const otherTokenId = await createAllowlistedToken(['ada'], creator);
    expect(await outcomeOfClaim(otherTokenId, code)).toBe('ClaimCodeInvalid');
  });

  test('can be revoked after claims, which stay', async () => {
    const { tokenId, code, claimLinkId } = await createRoom({ maxClaims: 2 });
    const addresses = [newAddress(), newAddress()];
    for (const address of addresses) await expectDone(tokenId, claimWithCode(tokenId, code, address));
    expect((await revokeClaimLink(tokenId, claimLinkId)).status).toBe(204);
    expect(await outcomeOfClaim(tokenId, code)).toBe('ClaimCodeInvalid');
    expect((await ownersOf(tokenId)).map(({ address }) => address)).toEqual(addresses);
    expect(await contributorsOf(tokenId)).toHaveLength(3);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'revoked', claimCount: 2 }]);
  });

  test('with `isSignatureRequired` needs the signature of the claimer', async () => {
    const { tokenId, code } = await createRoom({ isSignatureRequired: true });
    expect(await checkClaimCode(tokenId, code)).toMatchObject({ canClaim: true, isWalletRequired: true });
    expect(await outcomeOfClaim(tokenId, code)).toBe('SignatureRequired');
    await expectDone(tokenId, claimWithSignature(tokenId, newWallet(), { claimCode: code }));
  });

  test('gives a client address at most `maxClaimsPerClient` claims without a signature, exactly', async () => {
    const { tokenId, code } = await createRoom({ maxClaims: 10, maxClaimsPerClient: 2 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcomeOfClaim(tokenId, code)));
    expect(outcomes.toSorted()).toEqual([...Array(4).fill('SignatureRequired'), 'success', 'success']);
    expect(await checkClaimCode(tokenId, code)).toEqual({
      canClaim: true,
      isSignatureRequired: true,
      isWalletRequired: false,
      reasons: [],
    });
    await expectDone(tokenId, claimWithSignature(tokenId, newWallet(), { claimCode: code }));
    expect(await claimLinksOf(tokenId)).toMatchObject([{ claimCount: 3 }]);
  });
});

describe('PATCH of a link for a room', () => {
  const change = async (tokenId: number, claimLinkId: string, body: Body) =>
    parseOk<Body>(await updateClaimLink(tokenId, claimLinkId, body));

  test('pauses and resumes it', async () => {
    const { tokenId, code, claimLinkId } = await createRoom();
    expect(await change(tokenId, claimLinkId, { isPaused: true })).toStrictEqual({
      ...(await claimLinksOf(tokenId))[0],
      status: 'paused',
      isPaused: true,
    });
    expect((await checkClaimCode(tokenId, code)).reasons).toEqual(['ClaimCodePaused']);
    expect(await outcomeOfClaim(tokenId, code)).toBe('ClaimCodePaused');
    expect(await claimLinksOf(tokenId, '?status=paused')).toHaveLength(1);
    expect(await change(tokenId, claimLinkId, {})).toMatchObject({ status: 'paused' });
    expect(await change(tokenId, claimLinkId, { isPaused: false })).toMatchObject({ status: 'unused' });
    expect(await outcomeOfClaim(tokenId, code)).toBe('success');
  });

  test('changes its start and its end', async () => {
    const startsAtTimestamp = Date.now() + HOUR_MS / 2;
    const { tokenId, code, claimLinkId } = await createRoom({ startsAtTimestamp });
    expect((await checkClaimCode(tokenId, code)).reasons).toEqual(['ClaimCodeNotStarted']);
    expect(await outcomeOfClaim(tokenId, code)).toBe('ClaimCodeNotStarted');
    expect(await claimLinksOf(tokenId, '?status=notStarted')).toMatchObject([{ startsAtTimestamp }]);
    const expiresAtTimestamp = Date.now() + 2 * HOUR_MS;
    expect(await change(tokenId, claimLinkId, { startsAtTimestamp: null, expiresAtTimestamp })).toMatchObject(
      { startsAtTimestamp: null, expiresAtTimestamp, status: 'unused' },
    );
    expect(await outcomeOfClaim(tokenId, code)).toBe('success');
  });

  test('raises the number of claims of a used link, and lowers it no further than what is claimed', async () => {
    const { tokenId, code, claimLinkId } = await createRoom({ maxClaims: 2 });
    for (let claims = 0; claims < 2; claims += 1) {
      await expectDone(tokenId, claimWithCode(tokenId, code, newAddress()));
    }
    expect(await change(tokenId, claimLinkId, { maxClaims: 4 })).toMatchObject({ status: 'unused' });
    await expectDone(tokenId, claimWithCode(tokenId, code, newAddress()));
    expectPointers(await updateClaimLink(tokenId, claimLinkId, { maxClaims: 2 }), ['/maxClaims']);
    expect(await change(tokenId, claimLinkId, { maxClaims: 3 })).toMatchObject({ status: 'used' });
    expect(await outcomeOfClaim(tokenId, code)).toBe('ClaimCodeUsed');
  });

  test('rejects unknown fields, wrong values, and a start that is not before the end', async () => {
    const { tokenId, claimLinkId } = await createRoom();
    const errorsOf = (body: unknown) => updateClaimLink(tokenId, claimLinkId, body);
    expectPointers(await errorsOf({ code: 'x', isPaused: 1, maxClaims: null }), [
      '',
      '/isPaused',
      '/maxClaims',
    ]);
    expectPointers(await errorsOf({ expiresAtTimestamp: 1 }), ['/expiresAtTimestamp']);
    expectPointers(await errorsOf({ expiresAtTimestamp: Date.now() + 91 * 24 * HOUR_MS }), [
      '/expiresAtTimestamp',
    ]);
    expectPointers(await errorsOf({ startsAtTimestamp: Date.now() + 2 * HOUR_MS }), ['/startsAtTimestamp']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ isPaused: false, startsAtTimestamp: null }]);
  });

  test('rejects links for one claim, revoked links and unknown links', async () => {
    const { tokenId, claimLinkId } = await createRoom();
    const single = await createClaimLink(tokenId, { identifiers: ['ada'] });
    expectProblem(
      await updateClaimLink(tokenId, single.claimLinkId, { isPaused: true }),
      400,
      'InvalidRequest',
    );
    await revokeClaimLink(tokenId, claimLinkId);
    expectProblem(await updateClaimLink(tokenId, claimLinkId, { isPaused: true }), 400, 'InvalidRequest');
    for (const unknown of [randomUUID(), 'x']) {
      expectProblem(await updateClaimLink(tokenId, unknown, {}), 404, 'ClaimLinkNotFound');
    }
    expectProblem(await updateClaimLink(9_000_000_000_000_000, claimLinkId, {}), 404, 'TokenNotFound');
    expectProblem(await updateClaimLink(tokenId, claimLinkId, {}, {}), 401, 'ApiKeyRequired');
  });
});

describe('a link for a room is rejected', () => {
  const soon = Date.now() + HOUR_MS;
  const signature = `0x${'11'.repeat(65)}`;
  const valid = { maxClaims: 2, signature, expiresAtTimestamp: soon };
  test.each<[string, Body, string[]]>([
    ['for 1 claim', { ...valid, maxClaims: 1 }, ['/maxClaims']],
    ['for 1,000,001 claims', { ...valid, maxClaims: 1_000_001 }, ['/maxClaims']],
    ['without an end', { ...valid, expiresAtTimestamp: undefined }, ['/expiresAtTimestamp']],
    ['without a signature', { ...valid, signature: null }, ['/signature']],
    ['with an end in the past', { ...valid, expiresAtTimestamp: 1 }, ['/expiresAtTimestamp']],
    [
      'with an end in 91 days',
      { ...valid, expiresAtTimestamp: soon + 90 * 24 * HOUR_MS },
      ['/expiresAtTimestamp'],
    ],
    ['with a start at its end', { ...valid, startsAtTimestamp: soon }, ['/startsAtTimestamp']],
    ['with a limit of 0 claims per client', { ...valid, maxClaimsPerClient: 0 }, ['/maxClaimsPerClient']],
    ['with count', { ...valid, count: 1 }, ['/maxClaims']],
    ['with identifiers', { ...valid, identifiers: ['ada'] }, ['/maxClaims', '/signature']],
  ])('%s: %j', async (_title, body, places) => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    expectPointers(await postTo(tokenId, 'claimLinks', body, withDemoKey), places);
  });

  test("for an open token, and without the creator's signature", async () => {
    const openTokenId = await createOpenToken({}, creator);
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const body = async (signer: typeof creator, signed: number) => ({
      ...valid,
      signature: await signTokenId(signer, 'AllowlistedAddress', signed),
    });
    const onOpen = await postTo(openTokenId, 'claimLinks', await body(creator, openTokenId), withDemoKey);
    expectProblem(onOpen, 409, 'AllowlistMismatch');
    const byOther = await postTo(tokenId, 'claimLinks', await body(newWallet(), tokenId), withDemoKey);
    expectProblem(byOther, 403, 'NotSignedByCreator');
  });
});

describe('a repeated creation of links with the same Idempotency-Key', () => {
  const post = async (tokenId: number, body: Body, key: string) =>
    postTo(tokenId, 'claimLinks', body, { ...withDemoKey, 'Idempotency-Key': key });
  const codesOf = (response: { text: string }) =>
    (JSON.parse(response.text) as { items: { code: string }[] }).items.map(({ code }) => code);

  test('revokes the links of the first, and returns new codes for the same people', async () => {
    const tokenId = await createAllowlistedToken(['ada', 'bob', 'carla']);
    const [key, body] = [randomUUID(), { identifiers: ['carla', 'ada', 'bob'] }];
    const [carla = '', ada = ''] = codesOf(await post(tokenId, body, key));
    await expectDone(tokenId, claimWithCode(tokenId, ada, newAddress()));
    const again = await post(tokenId, body, key);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    // Ada has claimed meanwhile, so she needs no code.
    expect(JSON.parse(again.text)).toMatchObject({ items: [{ identifier: 'carla' }, { identifier: 'bob' }] });
    expect(await outcomeOfClaim(tokenId, carla)).toBe('ClaimCodeInvalid');
    expect(await outcomeOfClaim(tokenId, codesOf(again)[0] ?? '')).toBe('success');
    expect((await claimLinksOf(tokenId)).map(({ status }) => status)).toEqual([
      'revoked',
      'used',
      'revoked',
      'used',
      'unused',
    ]);
  });

  test('never doubles links, however often it is sent', async () => {
    const tokenId = await createOpenToken();
    const key = randomUUID();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(codesOf(await post(tokenId, { count: 5 }, key))).toHaveLength(5);
    }
    const responses = await Promise.all(Array.from({ length: 4 }, () => post(tokenId, { count: 5 }, key)));
    for (const response of responses) {
      if (response.status !== 201) expectProblem(response, 409, 'IdempotencyKeyInUse');
    }
    expect(responses.map(({ status }) => status)).toContain(201);
    expect(await claimLinksOf(tokenId, '?status=unused')).toHaveLength(5);
    await createClaimLinks(tokenId, { count: 5 });
    expect(await claimLinksOf(tokenId, '?status=unused')).toHaveLength(10);
  });

  test('gives a room a new code for the claims that are left', async () => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const body = { maxClaims: 3, signature, expiresAtTimestamp: Date.now() + HOUR_MS };
    const key = randomUUID();
    const [first = ''] = codesOf(await post(tokenId, body, key));
    await expectDone(tokenId, claimWithCode(tokenId, first, newAddress()));
    const [second = ''] = codesOf(await post(tokenId, body, key));
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOfClaim(tokenId, second)));
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(2);
    expect(await outcomeOfClaim(tokenId, first)).toBe('ClaimCodeInvalid');
    expect(await ownersOf(tokenId)).toHaveLength(3);
  });

  test('is rejected with another body', async () => {
    const tokenId = await createOpenToken();
    const key = randomUUID();
    await post(tokenId, { count: 1 }, key);
    expectProblem(await post(tokenId, { count: 2 }, key), 422, 'IdempotencyKeyReused');
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'unused' }]);
  });
});
