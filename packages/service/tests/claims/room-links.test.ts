import type { ClaimLink, CreatedClaimLink, CreatedClaimLinks } from '@badge/protocol';
import { signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { cleanUpNextEndedLink } from '../../src/domain/claim-links/clean-up-ended-links.ts';
import { findFreeRoomCode } from '../../src/domain/claim-links/create-claim-links.ts';
import {
  claim,
  count,
  creator,
  json,
  nameOf,
  type Room,
  roomLinksFixture,
} from '../../src/testing/room-links-fixture.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// The tests of links for a room that need two services on one database, or read or change the database. The
// other tests are in tests/acceptance/room-links.test.ts. `api` has no worker, so a test can change a link
// after a claim is accepted and before it is settled.

const fixture = roomLinksFixture();
const { settle, createToken } = fixture;

async function createRoom(at: TestService, fields: object = {}): Promise<Room> {
  const tokenId = await createToken(at);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const body = { maxClaims: 3, signature, expiresAtTimestamp: Date.now() + 3_600_000, ...fields };
  const response = await at.call(`/v1/tokens/${tokenId}/claimLinks`, { json: body, key: at.apiKey });
  expect(response.status).toBe(201);
  const [link] = (await json<CreatedClaimLinks>(response)).items;
  return { tokenId, ...(link as CreatedClaimLink) };
}

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
  const room = await createRoom(fixture.service, { maxClaims: 5 });
  const claims = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const at = index % 2 === 0 ? fixture.service : fixture.otherService;
      return await nameOf(at, await claim(at, room));
    }),
  );
  expect(claims.filter((outcome) => outcome === 'success')).toHaveLength(5);
  expect(new Set(claims)).toEqual(new Set(['success', 'ClaimCodeUsed']));
  expect(await linkOf(fixture.service, room)).toMatchObject({ claimCount: 5, status: 'used' });
  const positions = await query<{ position: number }>(
    fixture.service.databaseUrl,
    'select position from allowlist_entries where token_id = $1 order by position',
    [room.tokenId],
  );
  expect(new Set(positions.map(({ position }) => position)).size).toBe(6);
});

test('a pause, a later start and an earlier end count only for claims that are accepted after them', async () => {
  const rooms = [
    await createRoom(fixture.api),
    await createRoom(fixture.api),
    await createRoom(fixture.api),
    await createRoom(fixture.api),
  ];
  const [paused, ended, revoked, full] = rooms as [Room, Room, Room, Room];
  const claims = await Promise.all(rooms.map((room) => claim(fixture.api, room)));
  expect((await patch(fixture.api, paused, { isPaused: true })).status).toBe(200);
  // The end is after the claim was accepted and before it is settled.
  await query(
    fixture.api.databaseUrl,
    `update claim_links l set expires_at = o.created_at + interval '1 ms'
     from operations o where o.request->>'claimLinkId' = l.claim_link_id::text and l.claim_link_id = $1`,
    [ended.claimLinkId],
  );
  const path = `/v1/tokens/${revoked.tokenId}/claimLinks/${revoked.claimLinkId}`;
  expect((await fixture.api.call(path, { method: 'DELETE', key: fixture.api.apiKey })).status).toBe(204);
  const late = await claim(fixture.api, full);
  const later = [await claim(fixture.api, full), await claim(fixture.api, full)];
  expect(await nameOf(fixture.api, await claim(fixture.api, paused))).toBe('ClaimCodePaused');
  expect(await settle([...claims, late, ...later])).toEqual([
    'success',
    'success',
    'ClaimCodeInvalid',
    'success',
    'success',
    'success',
    'ClaimCodeUsed',
  ]);
  expect(await linkOf(fixture.api, paused)).toMatchObject({ claimCount: 1, status: 'paused' });
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
  const room = await createRoom(fixture.api, { maxClaims: 2 });
  const claims = [
    await claim(fixture.api, room),
    await claim(fixture.api, room),
    await claim(fixture.api, room),
  ];
  const before = await query(fixture.api.databaseUrl, "select from operations where request ? 'clientHash'");
  expect(before).toHaveLength(3);
  expect(await settle(claims)).toEqual(['success', 'success', 'ClaimCodeUsed']);
  const requests = await query<{ has_link: boolean; has_client: boolean }>(
    fixture.api.databaseUrl,
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
  // A minute can end between these 60 requests. Then up to 20 are accepted in each of the two minutes. One
  // more is accepted every two seconds.
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
  const room = await createRoom(fixture.api, { maxClaims: 100 });
  const useTimes = async (count: number) => {
    const responses = await Promise.all(Array.from({ length: count }, () => claim(fixture.api, room)));
    return responses.map(({ status }) => status).toSorted();
  };
  await query(fixture.api.databaseUrl, 'alter table operations rename to absent_operations');
  expect(new Set(await useTimes(20))).toEqual(new Set([500]));
  await query(fixture.api.databaseUrl, 'alter table absent_operations rename to operations');
  const statuses = await useTimes(24);
  // One becomes free each second, and the test can take some.
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(20);
  expect(statuses.at(-1)).toBe(429);
});

test('a code that a link of the token has is not given to another one', async () => {
  const { tokenId, code } = await createRoom(fixture.service);
  const free = 'ZZZZ-ZZZZ';
  const codes = [code, code.replace('-', ''), free];
  const tokenOf = (id: number) => ({
    token_id: id,
    replaced_by_token_id: null,
    former_token_ids: [],
    imported_id: null,
  });
  const found = await fixture.service.context.transaction((tx) =>
    findFreeRoomCode(tx, tokenOf(tokenId), () => codes.shift() ?? ''),
  );
  expect(found).toBe(free);
  const onOtherToken = await fixture.service.context.transaction((tx) =>
    findFreeRoomCode(tx, tokenOf(tokenId + 1), () => code),
  );
  expect(onOtherToken).toBe(code);
  // The code works at the token that has replaced the one it was made for, too.
  const former = { ...tokenOf(tokenId + 1), former_token_ids: [tokenId] };
  const later = [code, free];
  const onReplacement = await fixture.service.context.transaction((tx) =>
    findFreeRoomCode(tx, former, () => later.shift() ?? ''),
  );
  expect(onReplacement).toBe(free);
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
  const tokenId = await createToken(fixture.service, {
    isAllowlistRequired: false,
    totalClaimCount: 10,
    contributors: null,
  });
  const send = () =>
    fixture.service.call(`/v1/tokens/${tokenId}/claimLinks`, {
      key: fixture.service.apiKey,
      json: { count: 2 },
      headers: { 'Idempotency-Key': `crash-${tokenId}` },
    });
  const [link] = (await json<CreatedClaimLinks>(send())).items;
  // Makes the transaction of the repetition fail at its last statement.
  await query(
    fixture.service.databaseUrl,
    `create function fail_once() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$;
     create trigger fail_once before update on idempotency_keys for each row execute function fail_once()`,
  );
  expect((await send()).status).toBe(500);
  await query(fixture.service.databaseUrl, 'drop trigger fail_once on idempotency_keys');
  const list = async () =>
    (
      await json<{ data: ClaimLink[] }>(
        fixture.service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: fixture.service.apiKey }),
      )
    ).data.map(({ status }) => status);
  expect(await list()).toEqual(['unused', 'unused']);
  expect((await send()).status).toBe(201);
  expect(await list()).toEqual(['revoked', 'revoked', 'unused', 'unused']);
  const [row] = await query<{ body: string }>(
    fixture.service.databaseUrl,
    "select body from idempotency_keys where body like '[%' order by created_at desc limit 1",
  );
  expect(row?.body).not.toContain(link?.code);
});
