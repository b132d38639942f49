import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import {
  newAddress,
  newWallet,
  signedAdminAirdrop,
  signedBurn,
  signedClaim,
  signedContributors,
  signedToken,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { startTcpProxy, type TcpProxy } from '@badge/test-support/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const creator = newWallet();
let service: TestService;
let otherProcess: TestService;
let responseLosingProxy: TcpProxy;

beforeAll(async () => {
  service = await startTestService();
  otherProcess = await startTestService({
    DATABASE_URL: service.databaseUrl,
    BADGE_DEMO_API_KEY: service.apiKey,
    BADGE_ADMIN_KEY: service.adminKey,
  });
  await query(service.databaseUrl, 'update communities set admin_addresses = array[$1::bytea]', [
    Buffer.from(creator.address.slice(2), 'hex'),
  ]);
  // This proxy closes a connection at the first byte of a response.
  const target = { host: '127.0.0.1', port: service.port ?? 0 };
  responseLosingProxy = await startTcpProxy(target, () => (_chunk, from) => from === 'client');
});
afterAll(async () => {
  await Promise.all([responseLosingProxy.stop(), service.stop(), otherProcess.stop()]);
});

interface Post {
  path: string;
  json: unknown;
  /** Whether the community's API key is sent. */
  hasKey: boolean;
}

function send({ path, json, hasKey }: Post, idempotencyKey: string | null, url = service.url) {
  const headers = {
    'Content-Type': 'application/json',
    ...(hasKey && { Authorization: `Bearer ${service.apiKey}` }),
    ...(idempotencyKey !== null && { 'Idempotency-Key': idempotencyKey }),
  };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
}

async function waitUntilFinal(location: string | null): Promise<Operation> {
  return (await (await service.call(`${location}?wait=30`)).json()) as Operation;
}

async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
  const json = await signedToken(fields, creator);
  const accepted = await send({ path: '/v1/tokens', json, hasKey: true }, null);
  return (await waitUntilFinal(accepted.headers.get('location'))).resourceId ?? 0;
}

async function prepareClaim(isSigned: boolean): Promise<Post> {
  const tokenId = await createToken();
  const json = isSigned ? await signedClaim(tokenId, newWallet()) : { claimingAddress: newAddress() };
  return { path: `/v1/tokens/${tokenId}/claim`, json, hasKey: !isSigned };
}

async function prepareBurn(): Promise<Post> {
  const owner = newWallet();
  const tokenId = await createToken();
  const claim = {
    path: `/v1/tokens/${tokenId}/claim`,
    json: await signedClaim(tokenId, owner),
    hasKey: false,
  };
  await waitUntilFinal((await send(claim, null)).headers.get('location'));
  return { path: `/v1/tokens/${tokenId}/burn`, json: await signedBurn(tokenId, owner), hasKey: false };
}

async function prepareAdminAirdrop(isConsentSigned: boolean): Promise<Post> {
  const tokenId = await createToken();
  const signed = await signedAdminAirdrop(tokenId, { admin: creator, receiver: newWallet() });
  const { receiverSignature, ...withoutConsent } = signed;
  return isConsentSigned
    ? { path: `/v1/tokens/${tokenId}/communityAdminAirdrop`, json: signed, hasKey: true }
    : {
        path: `/v1/tokens/${tokenId}/communityAdminAirdropWithoutConsentSig`,
        json: withoutConsent,
        hasKey: true,
      };
}

async function prepareContributors(): Promise<Post> {
  const allowlist = { isAllowlistRequired: true, totalClaimCount: undefined, contributors: ['ada'] };
  const tokenId = await createToken(allowlist);
  const json = await signedContributors(tokenId, creator, ['grace']);
  return { path: `/v1/tokens/${tokenId}/addContributors`, json, hasKey: true };
}

const REQUESTS: [title: string, prepare: () => Promise<Post>, statusWithoutIdempotencyKey: number][] = [
  ['a creation', async () => ({ path: '/v1/tokens', json: await signedToken(), hasKey: true }), 202],
  ['a claim with an API key', () => prepareClaim(false), 409],
  ['a claim with a signature only', () => prepareClaim(true), 409],
  ['a burn', prepareBurn, 409],
  [
    'an airdrop',
    async () => ({
      path: `/v1/tokens/${await createToken()}/airdrop`,
      json: { address: newAddress() },
      hasKey: true,
    }),
    409,
  ],
  ['an admin airdrop', () => prepareAdminAirdrop(true), 409],
  ['an admin airdrop without consent', () => prepareAdminAirdrop(false), 409],
  ['an addition to an allowlist', prepareContributors, 202],
];

test.each(REQUESTS)(
  'if the response to %s is lost, a repetition with its Idempotency-Key returns the operation, even if it has already succeeded',
  async (_title, prepare, statusWithoutIdempotencyKey) => {
    const post = await prepare();
    const key = randomUUID();
    await expect(send(post, key, `http://127.0.0.1:${responseLosingProxy.port}`)).rejects.toThrow(
      'fetch failed',
    );
    const [newest] = await query<{ operation_id: string }>(
      service.databaseUrl,
      'select operation_id from operations order by sequence desc limit 1',
    );
    const location = `/v1/operations/${newest?.operation_id}`;
    expect((await waitUntilFinal(location)).status).toBe('success');

    for (const { url } of [service, otherProcess]) {
      const again = await send(post, key, url);
      expect(again.status).toBe(202);
      expect(again.headers.get('location')).toBe(location);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    const withoutIdempotencyKey = await send(post, null);
    expect(withoutIdempotencyKey.status).toBe(statusWithoutIdempotencyKey);
    expect(withoutIdempotencyKey.headers.get('location')).not.toBe(location);
  },
);
