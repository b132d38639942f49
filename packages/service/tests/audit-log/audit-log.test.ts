import type { AuditEntry } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { describe, expect, test } from 'vitest';
import { auditLogFixture, isTypical } from '../../src/testing/audit-log-fixture.ts';
import { expectOperationsAudited } from '../../src/testing/creations.ts';
import { startTestService } from '../../src/testing/services.ts';

const fixture = auditLogFixture();
const {
  writes,
  listEntries,
  listNewEntries,
  expectEntry,
  expectEntriesOfRepetitions,
  expectNoWriteWithoutEntry,
} = fixture;

test('every call that writes has a row in audited-writes.ts', async () => {
  const { paths } = (await (await fixture.service.call('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const calls = Object.values(paths).flatMap((path) => Object.entries(path));
  // These are a POST because a claim code must not be in a URL, and many addresses do not fit into one. They
  // write nothing about a community, and neither does a challenge. Who wants no mails, or wants them again,
  // stays unknown to the community. A session belongs to no community; the entries of what is done with it
  // name its address.
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
    'createEmailChallenge',
    'signIn',
    'signOut',
    'signOutEverywhere',
    'hideOwnToken',
    // Its moves have entries (tests/kept-badges/move-badges.test.ts).
    'moveBadges',
    'removeDefaultAddress',
    'showOwnToken',
    'refuseCommunity',
    'acceptCommunity',
  ];
  const writing = calls.filter(
    ([method, { operationId = '' }]) =>
      !['get', 'head'].includes(method) && !withoutEntry.includes(operationId),
  );
  expect(writing.map(([, { operationId }]) => operationId).sort()).toEqual(Object.keys(writes).sort());
});

test('the first start writes entries with the actor "service", and a later start writes none', async () => {
  const entries = await listNewEntries(async () => {
    const { databaseUrl, apiKey } = fixture.service;
    await (await startTestService({ DATABASE_URL: databaseUrl, BADGE_DEMO_API_KEY: apiKey })).stop();
    return [];
  });
  expect(entries).toEqual([]);
  const entryOfService = { actor: 'service', apiKeyId: null, communityId: 'demo' };
  expect((await listEntries()).toReversed().slice(0, 2)).toMatchObject([
    { ...entryOfService, action: 'createCommunity', resourceType: 'community', resourceId: 'demo' },
    { ...entryOfService, action: 'createApiKey', resourceType: 'apiKey', resourceId: fixture.apiKeyId },
  ]);
});

describe.each(Object.entries(writes))('%s', (_operationId, write) => {
  const actors = isTypical(write) ? write.actors : write.actors.slice(0, 1);
  test.each(actors)('leaves one entry with the actor %s', async (actor) => await expectEntry(write, actor));

  if (!isTypical(write)) return;
  test('that is sent three times leaves three entries if a repetition writes again, otherwise one', async () => {
    await expectEntriesOfRepetitions(write);
  });
  test('changes no table if its entry cannot be written', async () => {
    await expectNoWriteWithoutEntry(write);
  });
});

test('a replayed response leaves no entry', async () => {
  const json = { displayId: 'd', name: 'n' };
  const create = () =>
    fixture.service.call('/v1/communities', {
      json,
      key: fixture.service.adminKey,
      headers: { 'Idempotency-Key': 'again' },
    });
  const entries = await listNewEntries(async () => [await create(), await create()]);
  expect(entries).toHaveLength(1);
});

test('after all these requests, every operation has exactly one entry', async () => {
  await expectOperationsAudited(fixture.service.databaseUrl);
});

test('the audit log contains no key, hash or signature', async () => {
  const rows = await query<{ text: string }>(
    fixture.service.databaseUrl,
    'select audit_log::text as text from audit_log',
  );
  const text = rows.map((row) => row.text).join('\n');
  expect(text).toContain(fixture.apiKeyId);
  for (const secret of [fixture.service.apiKey, fixture.service.adminKey]) expect(text).not.toContain(secret);
  // The id of a member is its address, of 40 digits.
  expect(text).not.toMatch(/badge_|[0-9a-f]{41}/i);
});

test('a list with filters contains the entries that match all of them', async () => {
  const all = await listEntries();
  // Any entry that has older and newer ones.
  const sample = all[10] as AuditEntry;
  const { communityId, action, recordedAtTimestamp } = sample;
  expect(await listEntries(`&action=${action}`)).toEqual(all.filter((entry) => entry.action === action));
  expect(await listEntries(`&apiKeyId=${fixture.apiKeyId.toUpperCase()}`)).toEqual(
    all.filter((entry) => entry.apiKeyId === fixture.apiKeyId),
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
