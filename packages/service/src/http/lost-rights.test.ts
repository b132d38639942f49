import type { ErrorName, EventPage, Problem } from '@badge/protocol';
import { WAIT_OPTIONS, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { holdLock, holdRows, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hashKey } from '../domain/api-keys/rules.ts';
import { createApiKey, createSession } from '../testing/access-matrix-roles.ts';
import { auditedWrites } from '../testing/audited-writes.ts';
import { startTestService, type TestService } from '../testing/services.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

// Every write has an entry, written by the same statement.
async function countEntries(): Promise<number> {
  return (await query(service.databaseUrl, 'select from audit_log')).length;
}

/** A key or a session of an owner, and how it loses its right: by a statement, as on another process. */
interface Credential {
  token: string;
  lose: () => Promise<unknown>;
}

const createOwnerKey = async (change: string): Promise<Credential> => {
  const { apiKey, apiKeyId } = await createApiKey(service, 'demo', 'owner');
  const statement = `update api_keys set ${change} where api_key_id = $1`;
  return { token: apiKey, lose: () => query(service.databaseUrl, statement, [apiKeyId]) };
};

async function createOwnerSession(statement: string): Promise<Credential> {
  const token = await createSession(service, { communityId: 'demo', role: 'owner' });
  return { token, lose: () => query(service.databaseUrl, statement) };
}

const LOSSES: [name: string, refusal: ErrorName, createCredential: () => Promise<Credential>][] = [
  ['a key is revoked', 'InvalidApiKey', () => createOwnerKey('revoked_at = now()')],
  ['a key has only the role viewer', 'RoleNotAllowed', () => createOwnerKey("role = 'viewer'")],
  [
    'a session is ended',
    'InvalidSession',
    () => createOwnerSession('update sessions set ended_at = now() where ended_at is null'),
  ],
  [
    'a member is removed',
    'RoleNotAllowed',
    () => createOwnerSession("delete from members where community_id = 'demo'"),
  ],
];

// A burn and a reservation have no credential, and only the operator, whose key is not in the database, creates communities.
const WRITES = Object.entries(auditedWrites(() => service)).filter(
  ([operationId]) => !['burnToken', 'confirmReservation', 'createCommunity'].includes(operationId),
);

const TITLE = 'is rejected and writes nothing if %s while the request waits';

// Each write with one loss, and each loss with some writes, are enough for `npm test`.
describe.each(WRITES.map(([operationId, write], index) => [operationId, write, index] as const))(
  '%s',
  (_operationId, { prepare }, index) => {
    const quick = LOSSES.filter((_loss, lossIndex) => lossIndex === index % LOSSES.length);
    const slow = LOSSES.filter((loss) => !quick.includes(loss));
    test.each(quick)(TITLE, expectRejection);
    test.each(slow)(TITLE, { tags: ['slow'] }, expectRejection);

    async function expectRejection(...[, refusal, createCredential]: (typeof LOSSES)[number]): Promise<void> {
      const { databaseUrl } = service;
      const { token, lose } = await createCredential();
      const send = await prepare(token);
      const before = await countEntries();
      // The statement that writes also writes the audit log, so it waits here, after all checks at the start of the request.
      const release = await holdLock(databaseUrl, 'audit_log', 'access exclusive');
      const sent = send();
      try {
        await waitForBlockedStatements(databaseUrl, 1);
        await lose();
      } finally {
        await release();
      }
      const response = await sent;
      const { name, status } = (await response.json()) as Problem;
      expect([name, status]).toEqual([refusal, refusal === 'RoleNotAllowed' ? 403 : 401]);
      expect(await countEntries()).toBe(before);
    }
  },
);

// A statement that waits for a row checks only this row again. So the row is locked before. No other row is locked: the
// service writes to webhooks that have something to send, so more than one statement would wait.
const NEWEST_WEBHOOK = 'select from webhooks order by created_at desc limit 1 for update';
const ROW_WRITES = WRITES.filter(([operationId]) =>
  ['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret'].includes(operationId),
);
describe.each(ROW_WRITES.map(([operationId, write], index) => [operationId, write, index] as const))(
  '%s',
  (_operationId, { prepare }, index) => {
    const title = 'is rejected if %s while the request waits for the row of its webhook';
    // Each write with one loss is enough for `npm test`.
    const quick = LOSSES.filter((_loss, lossIndex) => lossIndex === index);
    const slow = LOSSES.filter((loss) => !quick.includes(loss));
    test.each(quick)(title, expectRejection);
    test.each(slow)(title, { tags: ['slow'] }, expectRejection);

    async function expectRejection(...[, refusal, createCredential]: (typeof LOSSES)[number]): Promise<void> {
      const { token, lose } = await createCredential();
      const send = await prepare(token);
      const before = await countEntries();
      const release = await holdRows(service.databaseUrl, NEWEST_WEBHOOK);
      const sent = send();
      try {
        await waitForBlockedStatements(service.databaseUrl, 1);
        await lose();
      } finally {
        await release();
      }
      expect(((await (await sent).json()) as Problem).name).toBe(refusal);
      expect(await countEntries()).toBe(before);
    }
  },
);

// A key that becomes a viewer's may still read.
test.each(LOSSES.filter(([name]) => !name.includes('viewer')))(
  'a reader who waits for events gets none if %s meanwhile',
  async (_name, refusal, createCredential) => {
    const { token, lose } = await createCredential();
    // An event of an earlier test would end the wait.
    await vi.waitFor(async () => {
      const unfinished = "select from event_outbox union all select from operations where status = 'pending'";
      expect(await query(service.databaseUrl, unfinished)).toEqual([]);
    }, WAIT_OPTIONS);
    const feed = '/v1/communities/demo/events';
    const { nextCursor } = (await (
      await service.call(`${feed}?limit=1000`, { key: token })
    ).json()) as EventPage;
    const watching = vi.spyOn(service.context.waits, 'untilEvent');
    onTestFinished(() => watching.mockRestore());
    const response = service.call(`${feed}?wait=30&after=${nextCursor}`, { key: token });
    await vi.waitFor(() => expect(watching).toHaveBeenCalledOnce(), WAIT_OPTIONS);
    await lose();
    await service.call('/v1/tokens', { key: service.apiKey, json: await signedToken() });
    expect(((await (await response).json()) as Problem).name).toBe(refusal);
  },
);

test('a member of several communities writes in one of them with its role there', async () => {
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  await service.call('/v1/communities', { key: service.adminKey, json: other });
  const token = await createSession(service, { communityId: 'demo', role: 'owner' });
  await query(
    service.databaseUrl,
    `insert into members (community_id, address, role)
     select 'other', address, 'viewer' from members m join sessions s using (address) where s.token_hash = $1`,
    [hashKey(token)],
  );
  const { apiKeyId } = await createApiKey(service, 'demo');
  const revoked = await service.call(`/v1/communities/demo/apiKeys/${apiKeyId}`, {
    method: 'DELETE',
    key: token,
  });
  expect(revoked.status).toBe(204);
  const patch = (communityId: string) =>
    service.call(`/v1/communities/${communityId}`, {
      method: 'PATCH',
      key: token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'new' }),
    });
  expect((await patch('demo')).status).toBe(200);
  expect((await patch('other')).status).toBe(403);
});
