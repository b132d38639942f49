import type { CreatedClaimLink, CreatedClaimLinks, Operation, Owner } from '@badge/protocol';
import { newAddress, newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// The tests of claim links that need two services on one database, or read or change the database. The other
// tests are in tests/acceptance/claim-links.test.ts. `api` has no worker, so a test can change the database
// after a claim is accepted and before it is settled.

const creator = newWallet();
let service: TestService;
let otherService: TestService;
let api: TestService;
beforeAll(async () => {
  [service, api] = await Promise.all([startTestService(), startTestService({ BADGE_ROLE: 'api' })]);
  otherService = await startTestService({ DATABASE_URL: service.databaseUrl });
});
afterAll(async () => {
  await Promise.all([service, otherService, api].map(({ stop }) => stop()));
});

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

const readOperation = (at: TestService, location: string) => json<Operation>(at.call(`${location}?wait=20`));

/** Returns `success` or the name of the error. */
async function outcomeOf(at: TestService, response: Response): Promise<string> {
  if (response.status !== 202) return (await json<{ name: string }>(response)).name;
  const { status, error } = await readOperation(at, response.headers.get('location') ?? '');
  return error?.name ?? status;
}

/** Settles what `api` has accepted, and returns the outcomes of the claims. */
async function settle(claims: Response[]): Promise<string[]> {
  const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker' });
  const outcomes = await Promise.all(claims.map((claim) => outcomeOf(api, claim)));
  await worker.stop();
  return outcomes;
}

async function createToken(at: TestService, fields: Record<string, unknown> = {}): Promise<number> {
  const body = await signedToken(fields, creator);
  const response = await at.call('/v1/tokens', { json: body, key: at.apiKey });
  if (at === api) await settle([]);
  return Number((await readOperation(at, response.headers.get('location') ?? '')).resourceId);
}

async function createLinks(at: TestService, tokenId: number, body: object): Promise<CreatedClaimLink[]> {
  const response = await at.call(`/v1/tokens/${tokenId}/claimLinks`, { json: body, key: at.apiKey });
  expect(response.status).toBe(201);
  return (await json<CreatedClaimLinks>(response)).items;
}

const claim = (at: TestService, tokenId: number, claimCode = '', headers: Record<string, string> = {}) =>
  at.call(`/v1/tokens/${tokenId}/claim`, { json: { claimingAddress: newAddress(), claimCode }, headers });

test('a code that is sent to two services on one database at the same time is used once', async () => {
  const tokenId = await createToken(service, { totalClaimCount: 100 });
  const links = await createLinks(service, tokenId, { count: 30 });
  const outcomes = await Promise.all(
    links.map(({ code }) =>
      Promise.all([service, otherService].map(async (at) => outcomeOf(at, await claim(at, tokenId, code)))),
    ),
  );
  expect(outcomes.map((pair) => pair.toSorted())).toEqual(links.map(() => ['ClaimCodeUsed', 'success']));
  const owners = await json<{ data: Owner[] }>(service.call(`/v1/tokens/${tokenId}/owners?limit=100`));
  expect(owners.data).toHaveLength(30);
});

test('a claim that was accepted before its link was revoked ends in ClaimCodeInvalid', async () => {
  const tokenId = await createToken(api, {
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['ada'],
  });
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const links = [
    ...(await createLinks(api, tokenId, { identifiers: ['ada'] })),
    ...(await createLinks(api, tokenId, { count: 1, signature })),
  ];
  const claims = await Promise.all(links.map(({ code }) => claim(api, tokenId, code)));
  expect(claims.map(({ status }) => status)).toEqual([202, 202]);
  for (const { claimLinkId } of links) {
    const path = `/v1/tokens/${tokenId}/claimLinks/${claimLinkId}`;
    expect((await api.call(path, { method: 'DELETE', key: api.apiKey })).status).toBe(204);
  }
  expect(await settle(claims)).toEqual(['ClaimCodeInvalid', 'ClaimCodeInvalid']);
});

test('a claim with a code succeeds only if it was accepted before the expiration of the link', async () => {
  const tokenId = await createToken(api);
  const [early, late] = await createLinks(api, tokenId, { count: 2 });
  // The first claim is accepted 1 ms before the expiration of its link, the second one at the expiration.
  const claims = [await claim(api, tokenId, early?.code), await claim(api, tokenId, late?.code)];
  await query(
    api.databaseUrl,
    `update claim_links l
     set expires_at = o.created_at + case when l.claim_link_id = $1 then interval '1 ms' else interval '0' end
     from operations o where o.request->>'claimLinkId' = l.claim_link_id::text`,
    [early?.claimLinkId],
  );
  expect(await settle(claims)).toEqual(['success', 'ClaimCodeInvalid']);
});

test('no table contains a code', async () => {
  const tokenId = await createToken(api);
  const links = await createLinks(api, tokenId, { count: 3 });
  const [codeOfPending, codeOfFailed] = [links[0]?.code, links[1]?.code];
  await claim(api, tokenId, codeOfFailed, { 'Idempotency-Key': 'failed' });
  await query(api.databaseUrl, 'update claim_links set revoked_at = now() where claim_link_id = $1', [
    links[1]?.claimLinkId,
  ]);
  await settle([]);
  await claim(api, tokenId, codeOfPending, { 'Idempotency-Key': 'pending' });
  const tables = await dumpTables(api.databaseUrl);
  expect(tables).toContain(links[0]?.claimLinkId);
  for (const { code } of links) {
    const encoded = [code, code.toLowerCase(), Buffer.from(code).toString('hex')];
    expect(encoded.filter((text) => tables.includes(text))).toEqual([]);
  }
});

test("the creator's signature is stored with the links that add to the allowlist", async () => {
  const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['ada'] };
  const tokenId = await createToken(service, fields);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const links = await createLinks(service, tokenId, { count: 2, signature });
  await createLinks(service, tokenId, { identifiers: ['ada'] });
  const rows = await query(
    service.databaseUrl,
    `select claim_link_id, encode(s.signature, 'hex') as signature, encode(signer, 'hex') as signer,
            s.typed_data_version
     from claim_links l left join claim_link_signatures s using (claim_link_signature_id)
     where l.token_id = $1 and l.identifier is null order by l.sequence`,
    [tokenId],
  );
  const stored = {
    signature: signature.slice(2),
    signer: creator.address.slice(2).toLowerCase(),
    typed_data_version: 'badge/1',
  };
  expect(rows).toEqual(links.map(({ claimLinkId }) => ({ claim_link_id: claimLinkId, ...stored })));
});
