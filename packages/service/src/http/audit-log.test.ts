import type { AuditEntry } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditedWrites } from '../testing/audited-writes.ts';
import { claimProvocations } from '../testing/claim-provocations.ts';
import { expectOperationsAudited } from '../testing/creations.ts';
import { hashData } from '../testing/hash-data.ts';
import { nftTypeProvocations } from '../testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../testing/services.ts';

// A write of an operation, of a setting, and of something new. With the others, further actors and repetitions are slow.
const TYPICAL: AuditEntry['action'][] = ['claim', 'updateToken', 'createClaimLinks'];

let service: TestService;
let apiKeyId: string;

const writes = auditedWrites(() => service);
/** Returns the key that requests of an actor send; undefined if they send none. */
function keyOf(actor: AuditEntry['actor']): string | undefined {
  if (actor === 'apiKey') return service.apiKey;
  return actor === 'operator' ? service.adminKey : undefined;
}

beforeAll(async () => {
  service = await startTestService();
  const [key] = await query<{ api_key_id: string }>(service.databaseUrl, 'select api_key_id from api_keys');
  apiKeyId = key?.api_key_id ?? '';
});
afterAll(async () => await service.stop());

async function listEntries(search = ''): Promise<AuditEntry[]> {
  const response = await service.call(`/v1/auditLog?limit=1000${search}`, { key: service.adminKey });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: AuditEntry[] }).data;
}

/** What is recorded. audit-log-objects.test.ts tests what is known when the log is read. */
function recorded({
  apiKeyName,
  resourceName,
  tokenId,
  headline,
  ownerAddress,
  toAddress,
  operationStatus,
  ...entry
}: AuditEntry) {
  return entry;
}

/** Sends requests, waits until their operations are settled, and returns the new entries, newest first. */
async function listNewEntries(send: () => Promise<Response[]>): Promise<AuditEntry[]> {
  const [last] = await listEntries();
  const responses = await send();
  const locations = responses.flatMap(({ headers }) => headers.get('location') ?? []);
  await Promise.all(locations.map((location) => service.call(`${location}?wait=30`)));
  return (await listEntries()).filter(({ auditEntryId }) => auditEntryId > (last?.auditEntryId ?? 0));
}

test('every call that writes has a row in audited-writes.ts', async () => {
  const { paths } = (await (await service.call('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const calls = Object.values(paths).flatMap((path) => Object.entries(path));
  // These are a POST because a claim code must not be in a URL, and many addresses do not fit into one. They write nothing
  // about a community, and neither does a challenge. Who wants no mails, or wants them again, stays unknown to the community. A session belongs to no community; the entries of what is done with it name its address.
  const withoutEntry = [
    'checkClaimCode',
    'checkOwners',
    'readSnapshotScores',
    'readEnsNames',
    'previewInvitation',
    'createReservation',
    'createResubscription',
    'confirmResubscription',
    'createSignInChallenge',
    'signIn',
    'signOut',
    'signOutEverywhere',
  ];
  const writing = calls.filter(
    ([method, { operationId = '' }]) =>
      !['get', 'head'].includes(method) && !withoutEntry.includes(operationId),
  );
  expect(writing.map(([, { operationId }]) => operationId).sort()).toEqual(Object.keys(writes).sort());
});

test('the first start writes entries with the actor "service", and a later start writes none', async () => {
  const entries = await listNewEntries(async () => {
    const { databaseUrl, apiKey } = service;
    await (await startTestService({ DATABASE_URL: databaseUrl, BADGE_DEMO_API_KEY: apiKey })).stop();
    return [];
  });
  expect(entries).toEqual([]);
  const entryOfService = { actor: 'service', apiKeyId: null, communityId: 'demo' };
  expect((await listEntries()).toReversed().slice(0, 2)).toMatchObject([
    { ...entryOfService, action: 'createCommunity', resourceType: 'community', resourceId: 'demo' },
    { ...entryOfService, action: 'createApiKey', resourceType: 'apiKey', resourceId: apiKeyId },
  ]);
});

describe.each(Object.entries(writes))('%s', (_operationId, write) => {
  const { action, resourceType, actors, reason = null, isRepeatable = false, prepare, resourceIdOf } = write;
  const slowUnlessTypical = TYPICAL.includes(action) ? [] : ['slow'];
  const [firstActor = 'signature'] = actors;

  for (const [index, actor] of actors.entries()) {
    test(`leaves one entry with the actor ${actor}`, {
      tags: index === 0 ? [] : slowUnlessTypical,
    }, async () => {
      const send = await prepare(keyOf(actor), actor);
      let response = Response.error();
      const entries = await listNewEntries(async () => {
        response = await send();
        return [response];
      });
      expect(response.status).toBeGreaterThanOrEqual(200);
      expect(response.status).toBeLessThan(300);
      const resourceId = await resourceIdOf(response);
      expect(entries.map(recorded)).toStrictEqual([
        {
          auditEntryId: expect.any(Number),
          recordedAtTimestamp: expect.any(Number),
          actor,
          apiKeyId: actor === 'apiKey' ? apiKeyId : null,
          address: null,
          action,
          communityId: action === 'createCommunity' ? resourceId : 'demo',
          resourceType,
          resourceId,
          reason,
        },
      ]);
    });
  }

  test('that is sent three times leaves three entries if a repetition writes again, otherwise one', {
    tags: slowUnlessTypical,
  }, async () => {
    const send = await prepare(keyOf(firstActor));
    const entries = await listNewEntries(async () => [
      ...(await Promise.all([send(), send()])),
      await send(),
    ]);
    expect(entries.map((entry) => entry.action)).toEqual(Array(isRepeatable ? 3 : 1).fill(action));
  });

  // That the entry is in the statement of the write is also tested for each write in lost-rights.test.ts.
  test('changes no table if its entry cannot be written', { tags: slowUnlessTypical }, async () => {
    const send = await prepare(keyOf(firstActor));
    const before = await hashData(service.databaseUrl, ['audit_log']);
    const constraint = 'constraint rejects_every_entry';
    await query(service.databaseUrl, `alter table audit_log add ${constraint} check (false) not valid`);
    const response = await send();
    await query(service.databaseUrl, `alter table audit_log drop ${constraint}`);
    expect(response.status).toBe(500);
    expect(await hashData(service.databaseUrl, ['audit_log'])).toBe(before);
  });
});

test('rejected requests leave no entry', { tags: ['slow'] }, async () => {
  // These provocations first create tokens, which leave entries. So their entries are not listed here, but compared with
  // the operations in a later test.
  for (const provoke of Object.values(claimProvocations(() => service))) {
    expect((await provoke()).status).toBeGreaterThanOrEqual(400);
  }
  const json = await signedToken();
  const entries = await listNewEntries(() =>
    Promise.all([
      ...Object.values(nftTypeProvocations(() => service)).map((provoke) => provoke()),
      service.call('/v1/tokens', { json }),
      service.call('/v1/tokens', { json, key: 'wrong' }),
      service.call('/v1/tokens', { json: { ...json, headline: '' }, key: service.apiKey }),
      service.call('/v1/tokens', { json: { ...json, headline: 'not signed' }, key: service.apiKey }),
      service.call('/v1/tokens/1', { method: 'PATCH', key: service.apiKey }),
      service.call('/v1/communities', { json: { name: 'n' }, key: service.adminKey }),
      service.call('/v1/communities', { json: { displayId: 'd', name: 'n' }, key: service.apiKey }),
      service.call('/v1/communities/nobody/apiKeys', { json: { name: 'n' }, key: service.adminKey }),
    ]),
  );
  expect(entries).toEqual([]);
});

test('a replayed response leaves no entry', async () => {
  const json = { displayId: 'd', name: 'n' };
  const create = () =>
    service.call('/v1/communities', { json, key: service.adminKey, headers: { 'Idempotency-Key': 'again' } });
  const entries = await listNewEntries(async () => [await create(), await create()]);
  expect(entries).toHaveLength(1);
});

test('after all these requests, every operation has exactly one entry', async () => {
  await expectOperationsAudited(service.databaseUrl);
});

test('the audit log contains no key, hash or signature', async () => {
  const rows = await query<{ text: string }>(
    service.databaseUrl,
    'select audit_log::text as text from audit_log',
  );
  const text = rows.map((row) => row.text).join('\n');
  expect(text).toContain(apiKeyId);
  for (const secret of [service.apiKey, service.adminKey]) expect(text).not.toContain(secret);
  // The id of a member is its address, of 40 digits.
  expect(text).not.toMatch(/badge_|[0-9a-f]{41}/i);
});

test('a list with filters contains the entries that match all of them', async () => {
  const all = await listEntries();
  // Any entry that has older and newer ones.
  const sample = all[10] as AuditEntry;
  const { communityId, action, recordedAtTimestamp } = sample;
  expect(await listEntries(`&action=${action}`)).toEqual(all.filter((entry) => entry.action === action));
  expect(await listEntries(`&apiKeyId=${apiKeyId.toUpperCase()}`)).toEqual(
    all.filter((entry) => entry.apiKeyId === apiKeyId),
  );
  expect(await listEntries(`&fromTimestamp=${recordedAtTimestamp}`)).toEqual(
    all.filter((entry) => entry.recordedAtTimestamp >= recordedAtTimestamp),
  );
  expect(await listEntries(`&beforeTimestamp=${recordedAtTimestamp}`)).toEqual(
    all.filter((entry) => entry.recordedAtTimestamp < recordedAtTimestamp),
  );
  const window = `&fromTimestamp=${recordedAtTimestamp}&beforeTimestamp=${recordedAtTimestamp + 1}`;
  const matching = await listEntries(`${window}&communityId=${communityId}&action=${action}`);
  expect(matching).toContainEqual(sample);
  expect(matching).toEqual(
    all.filter(
      (entry) =>
        entry.recordedAtTimestamp === recordedAtTimestamp &&
        entry.communityId === communityId &&
        entry.action === action,
    ),
  );
  expect(await listEntries('&communityId=nobody')).toEqual([]);
});
