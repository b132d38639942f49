import { createHash, randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { insertApiKey } from './api-keys.ts';
import type { Database } from './database.ts';
import { findOperations, insertOperations, type NewOperation } from './operations.ts';
import { finishOperations, readBacklog } from './queue.ts';

const ERROR = { name: 'InternalError', detail: 'It did not work.' };
const ofKey = (apiKeyId: string) => ({ kind: 'apiKey', apiKeyId }) as const;
const hash = (text: string) => createHash('sha256').update(text).digest();

let url: string;
let db: Database;
let validKey: string;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
  validKey = await addKey();
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate operations cascade');
});

async function addKey(changes = ''): Promise<string> {
  const keyHash = hash(randomUUID());
  await insertApiKey(db, OPERATOR, {
    communityId: 'demo',
    hash: keyHash,
    prefix: 'badge',
    name: 'key',
    expiresAt: null,
  });
  const [row] = await query<{ api_key_id: string }>(
    url,
    `update api_keys set ${changes || 'name = name'} where key_hash = $1 returning api_key_id`,
    [keyHash],
  );
  return row?.api_key_id ?? '';
}

function operation(identity: string = randomUUID(), fields: Partial<NewOperation> = {}): NewOperation {
  return {
    operationId: randomUUID(),
    operationType: 'createToken',
    communityId: 'demo',
    actor: ofKey(validKey),
    requestIdentity: hash(identity),
    nftTypeId: null,
    request: '{}',
    ...fields,
  };
}

const accepted = ({ operationId }: NewOperation) => ({ operationId });
const countOperations = async () => (await query(url, 'select from operations')).length;

/** Inserts an operation in a transaction that stays open until `end` resolves or rejects. */
async function insertUncommitted(first: NewOperation) {
  const hasAccepted = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = db.transaction().execute(async (tx) => {
    expect(await insertOperations(tx, [first])).toEqual([accepted(first)]);
    hasAccepted.resolve();
    await end.promise;
  });
  await Promise.race([hasAccepted.promise, work]);
  return { end, work };
}

async function waitUntilBlocked(): Promise<void> {
  await vi.waitFor(
    async () => {
      const waiting = await query(
        url,
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(waiting).toHaveLength(1);
    },
    { timeout: 10_000, interval: 20 },
  );
}

describe('requests with the same identity are one operation', () => {
  test('twice in one batch', async () => {
    const [first, other, again] = [operation('same'), operation(), operation('same')];
    const acceptances = await insertOperations(db, [first, other, again]);
    const [stored] = (await findOperations(db, [first.operationId, again.operationId])).map(
      (row) => row.operation_id,
    );
    expect(acceptances).toEqual([{ operationId: stored }, accepted(other), { operationId: stored }]);
    expect(await countOperations()).toBe(2);
  });

  test('in one batch after another, also after its success', async () => {
    const first = operation('same');
    expect(await insertOperations(db, [first])).toEqual([accepted(first)]);
    expect(await insertOperations(db, [operation('same')])).toEqual([accepted(first)]);
    await db
      .transaction()
      .execute((tx) => finishOperations(tx, [{ operationId: first.operationId, resourceId: 1 }]));
    expect(await insertOperations(db, [operation('same')])).toEqual([accepted(first)]);
  });

  test('in a batch that arrives while another is not yet committed', async () => {
    const [first, second] = [operation('same'), operation('same')];
    const uncommitted = await insertUncommitted(first);
    const meanwhile = insertOperations(db, [second]);
    await waitUntilBlocked();
    uncommitted.end.resolve();
    await uncommitted.work;
    expect(await meanwhile).toEqual([accepted(first)]);
  });

  test('but a new one after the other batch is rolled back', async () => {
    const [first, second] = [operation('same'), operation('same')];
    const uncommitted = await insertUncommitted(first);
    const meanwhile = insertOperations(db, [second]);
    await waitUntilBlocked();
    uncommitted.end.reject(new Error('rolled back'));
    await expect(uncommitted.work).rejects.toThrow('rolled back');
    expect(await meanwhile).toEqual([accepted(second)]);
  });

  test('in many concurrent batches, in any order', async () => {
    const identities = Array.from({ length: 20 }, (_, index) => `many ${index}`);
    const orders = [identities, identities.toReversed(), identities.toSorted(), identities.slice(5)];
    const batches = [...orders, ...orders, ...orders].map((order) => order.map((name) => operation(name)));
    const acceptances = await Promise.all(batches.map((batch) => insertOperations(db, batch)));
    const answered = acceptances.flat().map((acceptance) => JSON.stringify(acceptance));
    expect(await countOperations()).toBe(20);
    expect(new Set(answered).size).toBe(20);
    expect(answered).not.toContain('"apiKeyInvalid"');
  });
});

describe('an operation that ended in error', () => {
  test('frees its identity', async () => {
    const [failed, again] = [operation('same'), operation('same')];
    await insertOperations(db, [failed]);
    await finishOperations(db, [{ operationId: failed.operationId, error: ERROR }]);
    expect(await insertOperations(db, [again])).toEqual([accepted(again)]);
    const rows = await findOperations(db, [failed.operationId, again.operationId]);
    expect(Object.fromEntries(rows.map((row) => [row.operation_id, [row.status, row.error]]))).toEqual({
      [failed.operationId]: ['error', ERROR],
      [again.operationId]: ['pending', null],
    });
  });

  test('stays final, like one that ended in success', async () => {
    const [failed, done] = [operation(), operation()];
    await insertOperations(db, [failed, done]);
    await finishOperations(db, [{ operationId: failed.operationId, error: ERROR }]);
    await db
      .transaction()
      .execute((tx) => finishOperations(tx, [{ operationId: done.operationId, resourceId: 7 }]));
    await finishOperations(db, [{ operationId: failed.operationId, error: { ...ERROR, detail: 'again' } }]);
    await finishOperations(db, [{ operationId: done.operationId, error: ERROR }]);
    const rows = await findOperations(db, [failed.operationId, done.operationId]);
    expect(rows.map((row) => [row.status, row.error, row.resource_id]).sort()).toEqual([
      ['error', ERROR, null],
      ['success', null, 7],
    ]);
  });
});

describe('a key that is no longer valid', () => {
  test.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = now() - interval '1 second'"],
  ])('accepts nothing when it is %s, and does not affect others in its batch', async (_title, changes) => {
    const refused = operation('refused', { actor: ofKey(await addKey(changes)) });
    const good = [operation(), operation('', { actor: OPERATOR }), operation('again')];
    const batch = [good[0], refused, good[1], good[2]].filter((one) => one !== undefined);
    expect(await insertOperations(db, batch)).toEqual(
      batch.map((one) => (one === refused ? 'apiKeyInvalid' : accepted(one))),
    );
    expect(await countOperations()).toBe(3);
  });

  test('accepts nothing when it is unknown', async () => {
    expect(await insertOperations(db, [operation('a', { actor: ofKey(randomUUID()) })])).toEqual([
      'apiKeyInvalid',
    ]);
    expect(await countOperations()).toBe(0);
  });

  test('but one that expires later does', async () => {
    const apiKeyId = await addKey("expires_at = now() + interval '1 hour'");
    const one = operation('a', { actor: ofKey(apiKeyId) });
    expect(await insertOperations(db, [one])).toEqual([accepted(one)]);
  });
});

test('an empty batch inserts nothing', async () => {
  expect(await insertOperations(db, [])).toEqual([]);
});

test('the backlog counts pending operations', async () => {
  expect(await readBacklog(db)).toEqual({ pending: 0, isolated: 0, oldestAgeMs: 0 });
  const [old, failed] = [operation(), operation()];
  await insertOperations(db, [old, failed, operation()]);
  await finishOperations(db, [{ operationId: failed.operationId, error: ERROR }]);
  await query(url, "update operations set created_at = now() - interval '1 minute' where operation_id = $1", [
    old.operationId,
  ]);
  const { pending, oldestAgeMs } = await readBacklog(db);
  expect(pending).toBe(2);
  expect(oldestAgeMs).toBeGreaterThanOrEqual(60_000);
});
