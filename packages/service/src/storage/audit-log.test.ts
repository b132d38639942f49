import { randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectOperationsAudited } from '../testing/creations.ts';
import { newOperation, OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { listAuditLog } from './audit-log.ts';
import { insertCommunity } from './communities.ts';
import type { Database } from './database.ts';
import { insertOperations } from './operations.ts';
import { finishOperations } from './queue.ts';

// With the replication role `replica`, the triggers that protect the log do not run.
const PRUNE = 'set local session_replication_role = replica; delete from audit_log';
const ALL = { limit: 1_000, offset: 0 };

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, `begin; ${PRUNE}; delete from operations; commit`);
});

const listResourceIds = async () => (await listAuditLog(db, ALL)).map((row) => row.resource_id);
const newCommunity = (id: string) => ({ community_id: id, display_id: id, name: id, description: '' });

describe('an operation', () => {
  test('has one entry with its actor if its batch has several operations', async () => {
    const byOperator = newOperation();
    const bySignature = newOperation({ actor: { kind: 'signature', apiKeyId: null }, operationType: 'burn' });
    await insertOperations(db, [byOperator, bySignature]);
    const entries = (await listAuditLog(db, ALL)).map((row) => [row.resource_id, row.actor, row.action]);
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual([byOperator.operationId, 'operator', 'createToken']);
    expect(entries).toContainEqual([bySignature.operationId, 'signature', 'burn']);
    await expectOperationsAudited(url);
  });

  test('has one entry if several concurrent batches contain its request', async () => {
    const requests = Array.from({ length: 10 }, () => newOperation());
    const batches = [requests, requests.toReversed(), requests.slice(5), requests].map((batch) =>
      batch.map((request) => ({ ...request, operationId: randomUUID() })),
    );
    await Promise.all(batches.map((batch) => insertOperations(db, batch)));
    expect(await listResourceIds()).toHaveLength(10);
    await expectOperationsAudited(url);
  });

  test('that is requested again after an error has an entry of its own', async () => {
    const failed = newOperation();
    await insertOperations(db, [failed]);
    const error = { name: 'InternalError', detail: 'It did not work.' };
    await finishOperations(db, [{ operationId: failed.operationId, error }]);
    const again = { ...failed, operationId: randomUUID() };
    await insertOperations(db, [again]);
    expect(await listResourceIds()).toEqual([again.operationId, failed.operationId]);
  });

  test('has no entry if its API key is no longer valid', async () => {
    const actor = { kind: 'apiKey', apiKeyId: randomUUID() } as const;
    expect(await insertOperations(db, [newOperation({ actor })])).toEqual(['apiKeyInvalid']);
    expect(await listResourceIds()).toEqual([]);
  });
});

test('a write that is rolled back has no entry', async () => {
  const work = db.transaction().execute(async (tx) => {
    await insertOperations(tx, [newOperation()]);
    await insertCommunity(tx, OPERATOR, newCommunity('undone'));
    expect(await listAuditLog(tx, ALL)).toHaveLength(2);
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await listResourceIds()).toEqual([]);
});

test('a request to create an existing community adds no entry', async () => {
  await insertCommunity(db, OPERATOR, newCommunity('once'));
  expect(await insertCommunity(db, OPERATOR, newCommunity('once'))).toBeUndefined();
  expect(await listResourceIds()).toEqual(['once']);
});

describe('the database', () => {
  test.each([
    "update audit_log set actor = 'service'",
    'update audit_log set recorded_at = now() where false',
    'delete from audit_log',
    'truncate audit_log',
    'truncate communities, audit_log cascade',
  ])('rejects: %s', async (statement) => {
    await insertOperations(db, [newOperation()]);
    const before = await listAuditLog(db, ALL);
    await expect(query(url, statement)).rejects.toThrow('the audit log is only added to');
    expect(await listAuditLog(db, ALL)).toEqual(before);
  });

  test('rejects an entry whose key id does not fit its actor', async () => {
    const insert = (actor: string, apiKeyId: string | null) =>
      query(
        url,
        `insert into audit_log (actor, api_key_id, action, community_id, resource_type, resource_id)
         values ($1, $2, 'createToken', 'demo', 'operation', '')`,
        [actor, apiKeyId],
      );
    await expect(insert('apiKey', null)).rejects.toThrow('check constraint');
    await expect(insert('operator', randomUUID())).rejects.toThrow('check constraint');
  });

  test('lets an administrator prune the log as documented', async () => {
    await insertOperations(db, [newOperation()]);
    await query(url, `begin; ${PRUNE} where recorded_at < now() - interval '2 years'; commit`);
    expect(await listResourceIds()).toHaveLength(1);
    await query(url, `begin; ${PRUNE} where recorded_at < now() + interval '1 day'; commit`);
    expect(await listResourceIds()).toEqual([]);
    await insertOperations(db, [newOperation()]);
    await expect(query(url, 'delete from audit_log')).rejects.toThrow('only added to');
  });
});

test('a new entry does not shift the pages of a list that has `before`', async () => {
  for (const name of ['a', 'b', 'c']) await insertCommunity(db, OPERATOR, newCommunity(`page-${name}`));
  const [newest] = await listAuditLog(db, { ...ALL, limit: 1 });
  // `before` is exclusive, so it is 1 ms after the newest entry.
  const before = new Date((newest?.recorded_at.getTime() ?? 0) + 1);
  const page = async (offset: number) =>
    (await listAuditLog(db, { ...ALL, before, limit: 2, offset })).map((row) => row.resource_id);
  expect(await page(0)).toEqual(['page-c', 'page-b']);
  await query(
    url,
    `insert into audit_log (recorded_at, actor, action, community_id, resource_type, resource_id)
     values (now() + interval '1 second', 'operator', 'updateCommunity', 'demo', 'community', 'demo')`,
  );
  expect(await page(2)).toEqual(['page-a']);
});
