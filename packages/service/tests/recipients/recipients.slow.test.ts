import { createHash, randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Operation, RecipientsPage } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Encryption } from '../../src/encryption.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const PEOPLE = 100_000;
const PART = 5_000;
const MAX_MS = 300;
const MAX_DELAY_MS = 100;
// A machine that also does something else is slower now and then.
const ATTEMPTS = 5;

let service: TestService;
let tokenId: number;
beforeAll(async () => {
  service = await startTestService();
  const json = await signedToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['first'],
  });
  const created = await service.call('/v1/tokens', { key: service.apiKey, json });
  const operation = await service.call(`${created.headers.get('location')}?wait=30`);
  tokenId = ((await operation.json()) as Operation).resourceId ?? 0;
  const { encryption } = service.context;
  if (encryption === null) throw new Error('the sandbox has no key');
  for (let start = 1; start < PEOPLE; start += PART) await insertPeople(encryption, start);
  await query(service.databaseUrl, 'vacuum analyze');
}, 600_000);
afterAll(() => service.stop());

// A third has claimed; of the others, half is known by an identifier, and half by an address.
async function insertPeople(encryption: Encryption, start: number): Promise<void> {
  const people = Array.from({ length: Math.min(PART, PEOPLE - start) }, (_, index) => {
    const number = start + index;
    const identifier = number % 2 === 0 ? `person-${number}@example.org` : null;
    const key = identifier === null ? randomBytes(20) : createHash('sha256').update(identifier).digest();
    const rowId = key.toString('hex');
    return {
      key,
      identifier,
      name: encryption.encrypt('personName', rowId, `Name ${(number * 7_919) % PEOPLE} Müller`),
      email: encryption.encrypt('emailAddress', rowId, `mail-${number}@example.org`),
      operationId: number % 3 === 0 ? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` : null,
    };
  });
  await query(
    service.databaseUrl,
    `with given as (
       select $1::bigint as token_id, g.* from unnest($2::bytea[], $3::text[], $4::bytea[], $5::bytea[], $6::uuid[])
       with ordinality as g (key, identifier, name, email, operation_id, position)
     ), entries as (
       insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
       select token_id, key, identifier, ${start} + position, now() from given
     ), accepted as (
       insert into operations (operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at)
       select operation_id, 'claim', 'success', 'demo', 0, token_id, now() from given where operation_id is not null
     ), claimed as (
       insert into claims (token_id, address, contributor_key, operation_id, claimed_at)
       select token_id, substring(sha256(key) for 20), key, operation_id, now() from given where operation_id is not null
     )
     insert into recipients (token_id, contributor_key, way, address, identifier, name, email, email_hash, added_at)
     select token_id, key, 'list', case
         when operation_id is not null then substring(sha256(key) for 20)
         when octet_length(key) = 20 then key
       end, identifier, name, email, sha256(email), now()
     from given order by position`,
    [
      tokenId,
      people.map(({ key }) => key),
      people.map(({ identifier }) => identifier),
      people.map(({ name }) => name),
      people.map(({ email }) => email),
      people.map(({ operationId }) => operationId),
    ],
  );
}

test.each<[search: string, total: number]>([
  ['', PEOPLE],
  ['offset=99000', PEOPLE],
  ['order=status&offset=50000', PEOPLE],
  ['status=claimed', PEOPLE / 3],
  ['search=mail-77777', 1],
  ['search=muller', PEOPLE],
  ['search=name%207777%20m', 1],
  ['order=name', PEOPLE],
  ['order=name&offset=90000&limit=100', PEOPLE],
  ['order=name&status=claimed&search=person-9', 1_853],
])('of 100,000 people, ?%s is read in time, and holds nobody up', async (search, total) => {
  const path = `/v1/tokens/${tokenId}/recipients?${search}`;
  let best = { ms: Number.POSITIVE_INFINITY, delayMs: Number.POSITIVE_INFINITY };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const startMs = performance.now();
    const response = await service.call(path, { key: service.apiKey });
    const page = (await response.json()) as RecipientsPage;
    const ms = performance.now() - startMs;
    delay.disable();
    expect(response.status).toBe(200);
    expect(Math.abs(page.total - total)).toBeLessThan(2);
    if (ms < best.ms) best = { ms, delayMs: delay.max / 1e6 };
  }
  expect(best.ms).toBeLessThan(MAX_MS);
  expect(best.delayMs).toBeLessThan(MAX_DELAY_MS);
});
