import type { ClaimLink, CreatedClaimLink, CreatedClaimLinks, Operation } from '@badge/protocol';
import { newAddress, newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUpNextEndedLink } from '../domain/claim-links/clean-up-ended-links.ts';
import { findFreeRoomCode } from '../domain/claim-links/create-claim-links.ts';
import { insertClaimLinks } from '../testing/insert-claim-links.ts';
import { startTestService, type TestService } from '../testing/services.ts';

// The tests of links for a room that need two services on one database, or read or change the database. The other tests are
// in acceptance/room-links.test.ts. `api` has no worker, so a test can change a link after a claim is accepted and before it
// is settled.

const creator = newWallet();
let service: TestService;
let otherService: TestService;
let api: TestService;
beforeAll(async () => {
  [service, api] = await Promise.all([
    startTestService({ BADGE_STORAGE_QUOTA: '1GB' }),
    startTestService({ BADGE_ROLE: 'api' }),
  ]);
  otherService = await startTestService({ DATABASE_URL: service.databaseUrl });
});
afterAll(async () => {
  await Promise.all([service, otherService, api].map(({ stop }) => stop()));
});

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

async function nameOf(at: TestService, response: Response): Promise<string> {
  if (response.status !== 202) return (await json<{ name: string }>(response)).name;
  const { status, error } = await json<Operation>(
    at.call(`${response.headers.get('location') ?? ''}?wait=20`),
  );
  return error?.name ?? status;
}

/** Settles what `api` has accepted, and returns the outcomes of the claims. */
async function settle(claims: Response[]): Promise<string[]> {
  const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker' });
  const outcomes = await Promise.all(claims.map((claim) => nameOf(api, claim)));
  await worker.stop();
  return outcomes;
}

async function createToken(at: TestService, fields: object = {}): Promise<number> {
  const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['ada'] };
  const body = await signedToken({ ...allowlisted, ...fields }, creator);
  const response = await at.call('/v1/tokens', { json: body, key: at.apiKey });
  if (at === api) await settle([response]);
  const location = response.headers.get('location') ?? '';
  return Number((await json<Operation>(at.call(`${location}?wait=20`))).resourceId);
}

type Room = CreatedClaimLink & { tokenId: number };

async function createRoom(at: TestService, fields: object = {}): Promise<Room> {
  const tokenId = await createToken(at);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const body = { maxClaims: 3, signature, expiresAtTimestamp: Date.now() + 3_600_000, ...fields };
  const response = await at.call(`/v1/tokens/${tokenId}/claimLinks`, { json: body, key: at.apiKey });
  expect(response.status).toBe(201);
  const [link] = (await json<CreatedClaimLinks>(response)).items;
  return { tokenId, ...(link as CreatedClaimLink) };
}

const claim = (at: TestService, { tokenId, code }: Pick<Room, 'tokenId' | 'code'>, client?: string) =>
  at.call(`/v1/tokens/${tokenId}/claim`, {
    json: { claimingAddress: newAddress(), claimCode: code },
    headers: client === undefined ? {} : { 'X-Forwarded-For': client },
  });

const linkOf = async (at: TestService, { tokenId }: Room): Promise<ClaimLink | undefined> =>
  (
    await json<{ data: ClaimLink[] }>(at.call(`/v1/tokens/${tokenId}/claimLinks`, { key: at.apiKey }))
  ).data.at(-1);

const patch = (at: TestService, { tokenId, claimLinkId }: Room, body: object) =>
  at.call(`/v1/tokens/${tokenId}/claimLinks/${claimLinkId}`, {
    method: 'PATCH',
    key: at.apiKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

test('two services that settle at the same time grant exactly `maxClaims` claims', async () => {
  const room = await createRoom(service, { maxClaims: 5 });
  const claims = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const at = index % 2 === 0 ? service : otherService;
      return await nameOf(at, await claim(at, room));
    }),
  );
  expect(claims.filter((outcome) => outcome === 'success')).toHaveLength(5);
  expect(new Set(claims)).toEqual(new Set(['success', 'ClaimCodeUsed']));
  expect(await linkOf(service, room)).toMatchObject({ claimCount: 5, status: 'used' });
  const positions = await query<{ position: number }>(
    service.databaseUrl,
    'select position from allowlist_entries where token_id = $1 order by position',
    [room.tokenId],
  );
  expect(new Set(positions.map(({ position }) => position)).size).toBe(6);
});

test('a pause, a later start and an earlier end count only for claims that are accepted after them', async () => {
  const rooms = [await createRoom(api), await createRoom(api), await createRoom(api), await createRoom(api)];
  const [paused, ended, revoked, full] = rooms as [Room, Room, Room, Room];
  const claims = await Promise.all(rooms.map((room) => claim(api, room)));
  expect((await patch(api, paused, { isPaused: true })).status).toBe(200);
  // The end is after the claim was accepted and before it is settled.
  await query(
    api.databaseUrl,
    `update claim_links l set expires_at = o.created_at + interval '1 ms'
     from operations o where o.request->>'claimLinkId' = l.claim_link_id::text and l.claim_link_id = $1`,
    [ended.claimLinkId],
  );
  const path = `/v1/tokens/${revoked.tokenId}/claimLinks/${revoked.claimLinkId}`;
  expect((await api.call(path, { method: 'DELETE', key: api.apiKey })).status).toBe(204);
  const late = await claim(api, full);
  const later = [await claim(api, full), await claim(api, full)];
  expect(await nameOf(api, await claim(api, paused))).toBe('ClaimCodePaused');
  expect(await settle([...claims, late, ...later])).toEqual([
    'success',
    'success',
    'ClaimCodeInvalid',
    'success',
    'success',
    'success',
    'ClaimCodeUsed',
  ]);
  expect(await linkOf(api, paused)).toMatchObject({ claimCount: 1, status: 'paused' });
});

test('the address of a client is stored only as a keyed hash, which is deleted after the end of the link', async () => {
  const at = await startTestService({ BADGE_TRUST_PROXY: '127.0.0.1' });
  const room = await createRoom(at, { maxClaimsPerClient: 1 });
  const clients = ['2001:db8:1:2::1', '2001:db8:1:2::99', '2001:db8:1:3::1'];
  const outcomes: string[] = [];
  for (const client of clients) outcomes.push(await nameOf(at, await claim(at, room, client)));
  // The first two addresses are in one /64.
  expect(outcomes).toEqual(['success', 'SignatureRequired', 'success']);
  const rows = await query<{ claim_count: number }>(at.databaseUrl, 'select * from claim_link_clients');
  expect(rows.map(({ claim_count }) => claim_count)).toEqual([1, 1]);
  const tables = await dumpTables(at.databaseUrl);
  expect(tables).toContain(room.claimLinkId);
  expect(tables).not.toMatch(/2001:db8|clientHash/);
  expect(tables).not.toContain(room.code.replace('-', ''));

  expect(await cleanUpNextEndedLink(at.context)).toBe(false);
  await query(at.databaseUrl, "update claim_links set expires_at = now() - interval '61 minutes'");
  expect(await cleanUpNextEndedLink(at.context)).toBe(true);
  expect(await cleanUpNextEndedLink(at.context)).toBe(false);
  expect(await query(at.databaseUrl, 'select from claim_link_clients')).toEqual([]);
  await at.stop();
});

test('the request of a claim that has failed contains no hash of a client', async () => {
  const room = await createRoom(api, { maxClaims: 2 });
  const claims = [await claim(api, room), await claim(api, room), await claim(api, room)];
  const before = await query(api.databaseUrl, "select from operations where request ? 'clientHash'");
  expect(before).toHaveLength(3);
  expect(await settle(claims)).toEqual(['success', 'success', 'ClaimCodeUsed']);
  const requests = await query<{ has_link: boolean; has_client: boolean }>(
    api.databaseUrl,
    `select request ? 'claimLinkId' as has_link, request ? 'clientHash' as has_client
     from operations where request->>'claimLinkId' = $1`,
    [room.claimLinkId],
  );
  expect(requests).toEqual([{ has_link: true, has_client: false }]);
});

test('after 20 wrong codes, a client gets 429 for short codes, except for one that it has used', async () => {
  const at = await startTestService({ BADGE_TRUST_PROXY: '127.0.0.1' });
  const known = await createRoom(at);
  const [attacker, other] = ['192.0.2.1', '192.0.2.2'];
  const check = (tokenId: number, claimCode: string, client: string) =>
    at.call(`/v1/tokens/${tokenId}/checkClaimCode`, {
      json: { claimCode },
      headers: { 'X-Forwarded-For': client },
    });
  expect((await check(known.tokenId, known.code, attacker)).status).toBe(200);
  // A minute can end between these 60 requests. Then up to 20 are accepted in each of the two minutes. One more is accepted every
  // two seconds.
  const guesses = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      check(known.tokenId, `0000-00${String(index).padStart(2, '0')}`, attacker),
    ),
  );
  const accepted = guesses.filter(({ status }) => status === 200).length;
  expect(accepted).toBeGreaterThanOrEqual(20);
  expect(accepted).toBeLessThan(60);
  const refused = guesses.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  const statuses = [
    (await check(known.tokenId, known.code, attacker)).status,
    (await claim(at, known, attacker)).status,
    (await check(known.tokenId, '0'.repeat(26), attacker)).status,
    (await check(known.tokenId, known.code, other)).status,
  ];
  // The attacker's own code, a long code, and another client.
  expect(statuses).toEqual([200, 202, 200, 200]);
  await at.stop();
});

test('one client uses a code 20 times at once; uses that the service fails do not count', async () => {
  const room = await createRoom(api, { maxClaims: 100 });
  const useTimes = async (count: number) => {
    const responses = await Promise.all(Array.from({ length: count }, () => claim(api, room)));
    return responses.map(({ status }) => status).toSorted();
  };
  await query(api.databaseUrl, 'alter table operations rename to absent_operations');
  expect(new Set(await useTimes(20))).toEqual(new Set([500]));
  await query(api.databaseUrl, 'alter table absent_operations rename to operations');
  const statuses = await useTimes(24);
  // One becomes free each second, and the test can take some.
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(20);
  expect(statuses.at(-1)).toBe(429);
});

test('a code that a link of the token has is not given to another one', async () => {
  const { tokenId, code } = await createRoom(service);
  const free = 'ZZZZ-ZZZZ';
  const codes = [code, code.replace('-', ''), free];
  const found = await service.context.transaction((tx) =>
    findFreeRoomCode(tx, tokenId, () => codes.shift() ?? ''),
  );
  expect(found).toBe(free);
  const onOtherToken = await service.context.transaction((tx) =>
    findFreeRoomCode(tx, tokenId + 1, () => code),
  );
  expect(onOtherToken).toBe(code);
});

const count = (at: TestService, tokenId: number, links: number) =>
  at.call(`/v1/tokens/${tokenId}/claimLinks`, { key: at.apiKey, json: { count: links } });

test('a token has at most 100,000 unused links: used, revoked and expired ones do not count', {
  tags: ['slow'],
}, async () => {
  const at = await startTestService();
  const open = { isAllowlistRequired: false, totalClaimCount: 10, contributors: null };
  const tokenId = await createToken(at, open);
  const [first, second, third] = (await json<CreatedClaimLinks>(count(at, tokenId, 3))).items;
  await insertClaimLinks(at.databaseUrl, tokenId, 99_997);
  expect(await nameOf(at, await count(at, tokenId, 1))).toBe('ClaimLinkLimitReached');
  const path = `/v1/tokens/${tokenId}/claimLinks/${first?.claimLinkId}`;
  await at.call(path, { method: 'DELETE', key: at.apiKey });
  expect(await nameOf(at, await claim(at, { tokenId, code: second?.code ?? '' }))).toBe('success');
  await query(at.databaseUrl, 'update claim_links set expires_at = now() where claim_link_id = $1', [
    third?.claimLinkId,
  ]);
  expect(await nameOf(at, await count(at, tokenId, 4))).toBe('ClaimLinkLimitReached');
  expect((await count(at, tokenId, 3)).status).toBe(201);
  // Another token of the community has its own limit.
  expect((await count(at, await createToken(at, open), 1)).status).toBe(201);
  await at.stop();
});

test('links count in the storage quota of the community, also after they were revoked', async () => {
  const at = await startTestService({ BADGE_STORAGE_QUOTA: '1MB' });
  const open = { isAllowlistRequired: false, totalClaimCount: 10, contributors: null };
  const tokenIds = [await createToken(at, open), await createToken(at, open)];
  const created = await Promise.all([0, 1, 0, 1].map((index) => count(at, tokenIds[index] ?? 0, 300)));
  const statuses = created.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, 201, 201, 409]);
  const refused = created.find(({ status }) => status === 409);
  expect(await json(refused ?? Response.error())).toMatchObject({ name: 'StorageQuotaReached' });
  const [link] = (
    await json<CreatedClaimLinks>(created.find(({ status }) => status === 201) ?? Response.error())
  ).items;
  for (const tokenId of tokenIds) {
    await at.call(`/v1/tokens/${tokenId}/claimLinks/${link?.claimLinkId}`, {
      method: 'DELETE',
      key: at.apiKey,
    });
  }
  expect(await nameOf(at, await count(at, tokenIds[0] ?? 0, 300))).toBe('StorageQuotaReached');
  await at.stop();
});

test('a repeated creation changes nothing if its process stops before the commit', async () => {
  const tokenId = await createToken(service, {
    isAllowlistRequired: false,
    totalClaimCount: 10,
    contributors: null,
  });
  const send = () =>
    service.call(`/v1/tokens/${tokenId}/claimLinks`, {
      key: service.apiKey,
      json: { count: 2 },
      headers: { 'Idempotency-Key': `crash-${tokenId}` },
    });
  const [link] = (await json<CreatedClaimLinks>(send())).items;
  // Makes the transaction of the repetition fail at its last statement.
  await query(
    service.databaseUrl,
    `create function fail_once() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$;
     create trigger fail_once before update on idempotency_keys for each row execute function fail_once()`,
  );
  expect((await send()).status).toBe(500);
  await query(service.databaseUrl, 'drop trigger fail_once on idempotency_keys');
  const list = async () =>
    (
      await json<{ data: ClaimLink[] }>(
        service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: service.apiKey }),
      )
    ).data.map(({ status }) => status);
  expect(await list()).toEqual(['unused', 'unused']);
  expect((await send()).status).toBe(201);
  expect(await list()).toEqual(['revoked', 'revoked', 'unused', 'unused']);
  const [row] = await query<{ body: string }>(
    service.databaseUrl,
    "select body from idempotency_keys where body like '[%' order by created_at desc limit 1",
  );
  expect(row?.body).not.toContain(link?.code);
});
