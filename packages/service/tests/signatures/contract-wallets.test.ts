import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CommunityWithAdmins, LIMITS, type Session, type TokenIdMessageName } from '@badge/protocol';
import {
  type ContractWallet,
  delegateAccount,
  deploy,
  deployMinimalWallet,
  deploySafe,
  planWallet,
} from '@badge/test-support/contract-wallets';
import {
  newAddress,
  newWallet,
  SANDBOX,
  signedClaim,
  signedToken,
  signTokenId,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import {
  concat,
  createWalletClient,
  custom,
  type Hex,
  hashMessage,
  hashTypedData,
  parseAbiParameters,
  type TypedDataDefinition,
  toHex,
} from 'viem';
import { signTypedData as signNested } from 'viem/experimental/erc7739';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CHAIN_ID,
  contractWalletsFixture,
  nameOf,
  OTHER_CHAIN_ID,
  problemOf,
} from '../../src/testing/contract-wallets-fixture.ts';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { MISBEHAVIOURS, type RpcProxy, sendError, startRpcProxy } from '../../src/testing/rpc-proxy.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const fixture = contractWalletsFixture();
const { waitFor, post, createToken, claimWith } = fixture;

const hashTokenId = (primaryType: TokenIdMessageName, tokenId: number): Hex =>
  hashTypedData({
    domain: SANDBOX.domain,
    types: { [primaryType]: SANDBOX.types[primaryType] },
    primaryType,
    message: { tokenId },
  } as unknown as TypedDataDefinition);

/** Signs a create-token body with a contract wallet. */
async function signBody(wallet: ContractWallet, fields: Record<string, unknown> = {}) {
  const body = await signedToken({ ...fields, creator: wallet.address });
  const { headline, isSignatureRequired, isAllowlistRequired, totalClaimCount } = body;
  const message = {
    headline,
    description: '',
    startDateTimestamp: 0,
    endDateTimestamp: 0,
    links: [],
    communityUniqId: body.communityId,
    isSignatureRequired,
    isAllowlistRequired,
    totalClaimCount: totalClaimCount ?? 0,
    expirationTimestamp: 0,
  };
  const hash = hashTypedData({
    domain: SANDBOX.domain,
    types: { Badge: SANDBOX.types.Badge },
    primaryType: 'Badge',
    message,
  } as unknown as TypedDataDefinition);
  return { ...body, signature: await wallet.signHash(hash) };
}

async function claim(wallet: ContractWallet, tokenId: number): Promise<Response> {
  const signature = await wallet.signHash(hashTokenId('Claim', tokenId));
  return await post(`/v1/tokens/${tokenId}/claim`, { claimingAddress: wallet.address, signature });
}

describe('a contract wallet', () => {
  test('creates, adds contributors and claim links, claims, burns, gives as an admin, receives and signs in', async () => {
    const wallet = await deployMinimalWallet(fixture.anvil, newWallet());
    const key = fixture.service.adminKey;
    const allowlisted = {
      isAllowlistRequired: true,
      totalClaimCount: undefined,
      contributors: [wallet.address],
    };
    const created = await waitFor(await post('/v1/tokens', await signBody(wallet, allowlisted), key));
    expect(created).toMatchObject({ status: 'success', warnings: [] });
    const tokenId = created.resourceId ?? 0;
    const path = `/v1/tokens/${tokenId}`;
    const addition = {
      contributors: ['ada'],
      signature: await wallet.signHash(hashTokenId('AllowlistedAddress', tokenId)),
    };
    expect(await waitFor(await post(`${path}/addContributors`, addition, key))).toMatchObject({
      status: 'success',
    });
    const { signature } = addition;
    expect((await post(`${path}/claimLinks`, { count: 1, signature }, key)).status).toBe(201);
    expect(await waitFor(await claim(wallet, tokenId))).toMatchObject({ status: 'success' });
    const burn = {
      burningAddress: wallet.address,
      signature: await wallet.signHash(hashTokenId('Burn', tokenId)),
    };
    expect(await waitFor(await post(`${path}/burn`, burn))).toMatchObject({ status: 'success' });

    await fixture.service.call('/v1/communities/demo', {
      method: 'PATCH',
      key,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ adminAddresses: [wallet.address] }),
    });
    const openToken = await createToken();
    const airdrop = {
      adminAddress: wallet.address,
      adminSignature: await wallet.signHash(hashTokenId('CommunityAdminAirdrop', openToken)),
      receivingAddress: wallet.address,
      receiverSignature: await wallet.signHash(
        hashTokenId('CommunityAdminAirdropReceiverConsent', openToken),
      ),
    };
    const given = await waitFor(await post(`/v1/tokens/${openToken}/communityAdminAirdrop`, airdrop, key));
    expect(given.status).toBe('success');
    expect((await signIn(wallet)).status).toBe(201);

    const stored = await query<{
      place: string;
      evidence: { chainId: number; method: string; blockHash: string };
    }>(
      fixture.service.databaseUrl,
      `select primary_type as place, evidence from signatures where signer = $1
       union all select 'claim link', evidence from claim_link_signatures where signer = $1
       union all select 'token', evidence from tokens where creator = $1
       union all select 'session', evidence from sessions where address = $1
       order by 1`,
      [Buffer.from(wallet.address.slice(2), 'hex')],
    );
    expect(stored.map(({ place }) => place)).toEqual([
      'AllowlistedAddress',
      'Burn',
      'Claim',
      'CommunityAdminAirdrop',
      'CommunityAdminAirdropReceiverConsent',
      'claim link',
      'session',
      'token',
    ]);
    for (const { evidence } of stored) {
      expect(evidence).toMatchObject({ method: 'eip1271', chainId: CHAIN_ID });
      const block = await fixture.anvil.client.getBlock({ blockHash: evidence.blockHash as Hex });
      expect(evidence).toHaveProperty('blockNumber', Number(block.number));
    }
  });

  test('that is not deployed yet claims with a signature as in ERC-6492, also after it is deployed', async () => {
    const owner = newWallet();
    const wallet = await planWallet(fixture.anvil, owner);
    const tokenId = await createToken();
    const other = await createToken();
    const claimed = await waitFor(await claim(wallet, tokenId));
    expect(claimed.status).toBe('success');
    expect(await fixture.anvil.client.getCode({ address: wallet.address })).toBeUndefined();
    const [row] = await query<{ evidence: object; signature: Buffer }>(
      fixture.service.databaseUrl,
      'select evidence, signature from signatures where operation_id = $1',
      [claimed.operationId],
    );
    expect(row?.evidence).toMatchObject({ method: 'erc6492', chainId: CHAIN_ID });
    expect(row?.signature.length).toBeGreaterThan(300);

    await wallet.deploy();
    expect(await nameOf(await claim(wallet, other))).toBe(202);
    const ofOther = {
      address: wallet.address,
      signHash: (await planWallet(fixture.anvil, newWallet())).signHash,
    };
    expect(await nameOf(await claim(ofOther, await createToken()))).toBe('NotSignedByClaimer');
  });

  test('receives what is kept for an e-mail, on the chain of the signing domain', async () => {
    const email = `${randomUUID()}@example.org`;
    const key = await createEmailSession(fixture.service, email);
    const tokenId = await createToken();
    const claimed = await waitFor(await post(`/v1/tokens/${tokenId}/claim`, {}, key));
    expect(claimed.status).toBe('success');
    const readSession = async () =>
      (await (await fixture.service.call('/v1/sessions/current', { key })).json()) as Session;
    const { emailHash, moveNonce } = await readSession();
    const hash = hashTypedData({
      domain: SANDBOX.domain,
      types: { ReceiveBadges: SANDBOX.types.ReceiveBadges },
      primaryType: 'ReceiveBadges',
      message: { emailHash, nonce: moveNonce },
    } as unknown as TypedDataDefinition);
    const move = async ({ address, signHash }: ContractWallet, signed = hash) =>
      await post(
        '/v1/sessions/current/moveBadges',
        { toAddress: address, signature: await signHash(signed) },
        key,
      );
    const wallet = await deployMinimalWallet(fixture.anvil, newWallet());
    const onOtherChain = await deployMinimalWallet(fixture.otherAnvil, newWallet());
    expect(await nameOf(await move(wallet, hashTokenId('Claim', tokenId)))).toBe('NotSignedByReceiver');
    // The chain that a community names does not count: the badges can be of several communities.
    await setWalletChain(OTHER_CHAIN_ID);
    expect(await nameOf(await move(onOtherChain))).not.toBe(202);
    expect(await waitFor(await move(wallet))).toMatchObject({ status: 'success', warnings: [] });
    await setWalletChain(null);
    const owners = await fixture.service.call(`/v1/tokens/${tokenId}/owners`);
    expect(await owners.json()).toMatchObject({ data: [{ address: wallet.address, isKept: false }] });
    expect((await readSession()).moveNonce).toBe(1);
    const stored = await query<{ evidence: { chainId: number } }>(
      fixture.service.databaseUrl,
      "select request->'evidence' as evidence from operations where operation_type = 'moveBadges'",
    );
    expect(stored).toMatchObject([{ evidence: { chainId: CHAIN_ID } }]);
  });

  test('that is a Safe signs with its owners of this moment', async () => {
    const [a, b, c, next] = [newWallet(), newWallet(), newWallet(), newWallet()] as const;
    const safe = await deploySafe(fixture.anvil, [a, b, c], 2);
    expect(await waitFor(await claim(safe, await createToken()))).toMatchObject({ status: 'success' });
    const tokenId = await createToken();
    const hash = hashTokenId('Claim', tokenId);
    const [byFormer, byOne, byNext] = await Promise.all(
      [[a, b], [b], [b, next]].map((signers) => safe.signHashWith(signers, hash)),
    );
    const send = (signature: Hex = '0x') =>
      post(`/v1/tokens/${tokenId}/claim`, { claimingAddress: safe.address, signature });
    expect(await nameOf(await send(byNext))).toBe('NotSignedByClaimer');
    await safe.swapOwner([b, c], { former: a, next });
    expect(await nameOf(await send(byFormer))).toBe('NotSignedByClaimer');
    expect(await nameOf(await send(byOne))).toBe('NotSignedByClaimer');
    expect(await nameOf(await send(byNext))).toBe(202);
  });

  test('with nested signatures as in ERC-7739 signs typed data', async () => {
    const owner = newWallet();
    const address = await deploy(fixture.anvil, 'Erc7739Wallet', parseAbiParameters('address'), [
      owner.address,
    ]);
    const tokenId = await createToken();
    const signature = await signNested(
      createWalletClient({ account: owner, transport: custom(fixture.anvil.client) }),
      {
        domain: SANDBOX.domain as { chainId: number },
        types: { Claim: [{ name: 'tokenId', type: 'uint256' }] },
        primaryType: 'Claim',
        message: { tokenId: BigInt(tokenId) },
        verifierDomain: {
          name: 'Erc7739Wallet',
          version: '1',
          chainId: CHAIN_ID,
          verifyingContract: address,
          salt: toHex(0, { size: 32 }),
        },
      } as never,
    );
    const send = (sent: Hex) =>
      post(`/v1/tokens/${tokenId}/claim`, { claimingAddress: address, signature: sent });
    const plain = await owner.sign({ hash: hashTokenId('Claim', tokenId) });
    expect(await nameOf(await send(plain))).toBe('NotSignedByClaimer');
    expect(await nameOf(await send(signature))).toBe(202);
  });

  test('that is an account with delegated code (EIP-7702) signs with its key without a call, or as its code says', async () => {
    const [account, sessionKey] = [newWallet(), newWallet()];
    const delegated = await delegateAccount(fixture.anvil, account, sessionKey);
    const [first, second] = [await createToken(), await createToken()];
    const withKey = await post(`/v1/tokens/${first}/claim`, await signedClaim(first, account));
    expect(await waitFor(withKey)).toMatchObject({ status: 'success' });
    expect(fixture.proxy.methods).toEqual([]);
    expect(await waitFor(await claim(delegated, second))).toMatchObject({ status: 'success' });
    expect(fixture.proxy.methods).toContain('eth_call');
  });
});

describe('a hostile contract', () => {
  let address: Hex;
  let asked = 0;
  const outside = createServer((_, response) => {
    asked += 1;
    response.end('{"data":"0x1626ba7e"}');
  });
  beforeAll(async () => {
    outside.listen(0, '127.0.0.1');
    await once(outside, 'listening');
    const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/{sender}/{data}`;
    address = await deploy(fixture.anvil, 'HostileWallet', parseAbiParameters('string'), [url]);
  });
  afterAll(() => outside.close());

  test.each([
    [1, 'runs without an end'],
    [2, 'returns a megabyte'],
    [3, 'reverts'],
    [4, 'reverts with 128 KiB'],
    [5, 'names a URL to ask (CCIP-Read)'],
    [6, 'returns the right value at the wrong place'],
    [7, 'returns something behind the right value'],
    [8, 'returns only four bytes'],
    [9, 'returns true'],
    [10, 'returns nothing'],
    [11, 'has an invalid instruction'],
    [12, 'says no'],
  ])('that %i: %s is refused', async (mode) => {
    expect(await nameOf(await claimWith(address, toHex(new Uint8Array([mode, 1]))))).toBe(
      'NotSignedByClaimer',
    );
    expect(asked).toBe(0);
  });
});

describe('without an answer of the chain', () => {
  let failing: RpcProxy;
  let alone: TestService;
  let wallet: ContractWallet;
  beforeAll(async () => {
    failing = await startRpcProxy(fixture.anvil.url);
    alone = await startTestService({ BADGE_CHAIN_RPC_URLS: `${CHAIN_ID}=${failing.url}` });
    wallet = await deployMinimalWallet(fixture.anvil, newWallet());
  });
  afterAll(async () => {
    await alone.stop();
    await failing.stop();
  });

  test('an address without a contract is not refused because a call has failed once', async () => {
    let calls = 0;
    failing.misbehave((response, call) => {
      if (call.method !== 'eth_call') return true;
      calls += 1;
      return calls > 1 || sendError(response, call, { code: -32603, message: 'Internal error' });
    });
    expect(await nameOf(await claimWith(newAddress(), '0x1234', alone))).toBe('ChainUnavailable');
  });

  test('the same request is accepted later', async () => {
    failing.misbehave(MISBEHAVIOURS['closes connections']);
    const json = await signBody(wallet);
    const send = () => alone.call('/v1/tokens', { json, key: alone.apiKey });
    expect(await nameOf(await send())).toBe('ChainUnavailable');
    failing.misbehave();
    expect(await nameOf(await send())).toBe(202);
  });

  test('because the endpoint is one of another chain, the request fails with 503', async () => {
    const wrong = await startTestService({ BADGE_CHAIN_RPC_URLS: `${CHAIN_ID}=${fixture.otherAnvil.url}` });
    const { address } = await deployMinimalWallet(fixture.otherAnvil, newWallet());
    expect(await nameOf(await claimWith(address, '0x1234', wrong))).toBe('ChainUnavailable');
    await wrong.stop();
  });

  test('of the first endpoint, the second one is asked', async () => {
    failing.misbehave(MISBEHAVIOURS['closes connections']);
    const urls = `${CHAIN_ID}=${failing.url},${CHAIN_ID}=${fixture.proxy.url}`;
    const both = await startTestService({ BADGE_CHAIN_RPC_URLS: urls });
    const json = await signBody(wallet);
    expect(await nameOf(await both.call('/v1/tokens', { json, key: both.apiKey }))).toBe(202);
    await both.stop();
  });
});

describe('if no contract can be asked', () => {
  const HIGH_S = concat([toHex(1, { size: 32 }), toHex(2n ** 255n + 2n ** 254n, { size: 32 }), '0x1b']);

  test('because there is none at the address, only the shape of the signature counts', async () => {
    const ofOther = await signTokenId(newWallet(), 'Claim', 1);
    expect(await nameOf(await claimWith(newAddress(), ofOther))).toBe('NotSignedByClaimer');
    expect(await nameOf(await claimWith(newAddress(), HIGH_S))).toBe('InvalidSignature');
    const refused = await problemOf(await claimWith(newAddress(), '0x1234'));
    expect(refused).toMatchObject({ status: 400, name: 'InvalidSignature' });
    expect(refused.detail).toContain('there is no contract at the address');
  });

  test('because the community has wallets on a chain without an endpoint, the detail says so', async () => {
    await setWalletChain(5);
    const wallet = await deployMinimalWallet(fixture.anvil, newWallet());
    const refused = await problemOf(await claimWith(wallet.address, '0x1234'));
    const ofOther = await signTokenId(newWallet(), 'Claim', 1);
    const wellFormed = await nameOf(await claimWith(wallet.address, ofOther));
    await setWalletChain(null);
    expect(refused).toMatchObject({ status: 400, name: 'InvalidSignature' });
    expect(refused.detail).toContain('no endpoint of chain 5.');
    expect(wellFormed).toBe('NotSignedByClaimer');
    expect(fixture.proxy.methods).toEqual([]);
  });

  test('because no endpoint is configured, the detail says so', async () => {
    const plain = await startTestService();
    const refused = await problemOf(await claimWith(newAddress(), '0x1234', plain));
    expect(refused).toMatchObject({ status: 400, name: 'InvalidSignature' });
    expect(refused.detail).toContain('BADGE_CHAIN_RPC_URLS');
    const ofOther = await signTokenId(newWallet(), 'Claim', 1);
    expect(await nameOf(await claimWith(newAddress(), ofOther, plain))).toBe('NotSignedByClaimer');
    await plain.stop();
  });

  test('because the signature is too long, nothing is asked', async () => {
    const wallet = await deployMinimalWallet(fixture.anvil, newWallet());
    const long = (bytes: number) => toHex(new Uint8Array(bytes));
    expect(await nameOf(await claimWith(wallet.address, long(LIMITS.signatureBytes + 1)))).toBe(
      'InvalidSignature',
    );
    expect(fixture.proxy.methods).toEqual([]);
    expect(await nameOf(await claimWith(wallet.address, long(LIMITS.signatureBytes)))).toBe(
      'NotSignedByClaimer',
    );
  });
});

describe('no call is sent', () => {
  test('for a signature of a key, whatever it is for', async () => {
    const [creator, claimer] = [newWallet(), newWallet()];
    const tokenId = await createToken({}, creator);
    const path = `/v1/tokens/${tokenId}`;
    expect(await waitFor(await post(`${path}/claim`, await signedClaim(tokenId, claimer)))).toMatchObject({
      status: 'success',
    });
    const burn = { burningAddress: claimer.address, signature: await signTokenId(claimer, 'Burn', tokenId) };
    expect(await waitFor(await post(`${path}/burn`, burn))).toMatchObject({ status: 'success' });
    const signer = { address: claimer.address, signHash: (hash: Hex) => claimer.sign({ hash }) };
    expect((await signIn(signer)).status).toBe(201);
    expect(fixture.proxy.methods).toEqual([]);
  });
});

test('other writes of a key do not wait while a contract is asked', async () => {
  const fields = { isAllowlistRequired: true, totalClaimCount: undefined, contributors: [newAddress()] };
  const tokenId = await createToken(fields);
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  fixture.proxy.misbehave(async () => {
    asked.resolve();
    await released.promise;
    return true;
  });
  let isOver = false;
  const links = post(
    `/v1/tokens/${tokenId}/claimLinks`,
    { count: 1, signature: `0x${'11'.repeat(130)}` },
    fixture.service.apiKey,
  ).finally(() => {
    isOver = true;
  });
  await asked.promise;
  const patched = await fixture.service.call(`/v1/tokens/${tokenId}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ isHidden: true }),
    key: fixture.service.apiKey,
  });
  expect(patched.status).toBe(200);
  expect(isOver).toBe(false);
  released.resolve();
  await links;
});

describe('the chain of contract wallets', () => {
  test('is that of the signing domain, unless an owner names another one', async () => {
    const { contractWalletChainId } = await setWalletChain(OTHER_CHAIN_ID);
    expect(contractWalletChainId).toBe(OTHER_CHAIN_ID);
    const [here, there] = [
      await deployMinimalWallet(fixture.anvil, newWallet()),
      await deployMinimalWallet(fixture.otherAnvil, newWallet()),
    ];
    // The domain stays that of the service.
    expect(await nameOf(await claim(there, await createToken()))).toBe(202);
    expect(fixture.proxy.methods).toEqual([]);
    await setWalletChain(null);
    expect(await nameOf(await claim(here, await createToken()))).toBe(202);
    const configuration = await fixture.service.call('/v1/communities/demo/configuration', {
      key: fixture.service.apiKey,
    });
    expect(await configuration.json()).toMatchObject({ contractWalletChainId: CHAIN_ID });
  });

  // Two contracts of different people can have the same address on two chains.
  test('decides in which communities the session of a contract wallet counts', async () => {
    const wallet = await deployMinimalWallet(fixture.otherAnvil, newWallet());
    await fixture.service.call(`/v1/communities/demo/members/${wallet.address}`, {
      method: 'PUT',
      key: fixture.service.adminKey,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ role: 'owner' }),
    });
    const signedIn = await signIn(wallet, OTHER_CHAIN_ID);
    const { sessionToken, memberships } = (await signedIn.json()) as {
      sessionToken: string;
      memberships: unknown[];
    };
    expect(memberships).toEqual([]);
    const readKeys = () => fixture.service.call('/v1/communities/demo/apiKeys', { key: sessionToken });
    const createKey = () =>
      fixture.service.call('/v1/communities/demo/apiKeys', {
        key: sessionToken,
        json: { name: 'a', role: 'viewer' },
      });
    expect(await nameOf(await readKeys())).toBe('RoleNotAllowed');
    expect(await nameOf(await createKey())).toBe('RoleNotAllowed');
    await setWalletChain(OTHER_CHAIN_ID);
    expect(await nameOf(await readKeys())).toBe(200);
    expect(await nameOf(await createKey())).toBe(201);
    const session = await fixture.service.call('/v1/sessions/current', { key: sessionToken });
    expect(await session.json()).toMatchObject({ memberships: [{ communityId: 'demo', role: 'owner' }] });
    await setWalletChain(null);
    expect(await nameOf(await createKey())).toBe('RoleNotAllowed');
  });

  test('of a challenge must be one that can be asked', async () => {
    const refused = await post('/v1/sessions/challenge', { address: newAddress(), chainId: 5 });
    expect(await problemOf(refused)).toMatchObject({
      name: 'InvalidRequest',
      errors: [{ pointer: '/chainId' }],
    });
  });

  test('is in GET /v1/environment, if the service has an endpoint', async () => {
    const environment = await fixture.service.call('/v1/environment');
    expect(await environment.json()).toMatchObject({
      contractWalletChainIds: [CHAIN_ID, OTHER_CHAIN_ID],
      hasEns: false,
    });
  });
});

async function setWalletChain(contractWalletChainId: number | null): Promise<CommunityWithAdmins> {
  const response = await fixture.service.call('/v1/communities/demo', {
    method: 'PATCH',
    key: fixture.service.adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ contractWalletChainId }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as CommunityWithAdmins;
}

async function signIn(wallet: ContractWallet, chainId: number | null = null): Promise<Response> {
  const challenge = await post('/v1/sessions/challenge', { address: wallet.address, chainId });
  const { message } = (await challenge.json()) as { message: string };
  return await post('/v1/sessions', { message, signature: await wallet.signHash(hashMessage(message)) });
}
