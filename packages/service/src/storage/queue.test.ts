import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newOperation, openDemoDatabase } from '../testing/demo-database.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertOperations } from './operations.ts';
import {
  finishOperations,
  isolateOperations,
  listIsolatedOperations,
  readBacklog,
  takeBatch,
  takeIsolatedOperation,
} from './queue.ts';

const NO_LIMITS = { maxOperations: 1_000, maxBytes: 1e9 };

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate operations cascade');
});

/** Accepts operations one by one; their requests have the given sizes. */
async function accept(...sizesBytes: number[]): Promise<string[]> {
  const operationIds: string[] = [];
  for (const sizeBytes of sizesBytes) {
    const operation = newOperation({ request: `{"x":"${'x'.repeat(sizeBytes - 8)}"}` });
    await insertOperations(db, [operation]);
    operationIds.push(operation.operationId);
  }
  return operationIds;
}

const take = async (tx: DatabaseTransaction, limits: Partial<Parameters<typeof takeBatch>[1]> = {}) =>
  (await takeBatch(tx, { ...NO_LIMITS, ...limits })).map(({ operationId }) => operationId);
const takeOnce = (limits: Parameters<typeof take>[1]) => db.transaction().execute((tx) => take(tx, limits));

test('concurrent transactions take disjoint batches of the oldest unlocked operations', async () => {
  const operationIds = await accept(10, 10, 10, 10, 10);
  await db.transaction().execute(async (one) => {
    expect(await take(one, { maxOperations: 2 })).toEqual(operationIds.slice(0, 2));
    await db.transaction().execute(async (other) => {
      expect(await take(other, { maxOperations: 2 })).toEqual(operationIds.slice(2, 4));
      expect(await take(one)).toEqual([...operationIds.slice(0, 2), ...operationIds.slice(4)]);
    });
  });
});

test('operations are pending again after a rollback', async () => {
  const operationIds = await accept(10, 10);
  const rolledBack = db.transaction().execute(async (tx) => {
    expect(await take(tx)).toEqual(operationIds);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await takeOnce({})).toEqual(operationIds);
});

test.each([
  [[100, 100, 100], 200, 2],
  [[100, 100, 100], 299, 2],
  [[100, 100, 100], 300, 3],
  [[100, 100], 99, 1],
  [[900, 100, 100], 200, 1],
  [[100, 900, 100], 200, 1],
  [[100], 1, 1],
])(
  'from requests of %j bytes, a batch of at most %i bytes takes the first %i',
  async (sizes, maxBytes, count) => {
    const operationIds = await accept(...sizes);
    expect(await takeOnce({ maxBytes })).toEqual(operationIds.slice(0, count));
  },
);

describe('isolateOperations', () => {
  const takeIsolated = (operationId: string) =>
    db.transaction().execute((tx) => takeIsolatedOperation(tx, operationId));

  test('removes operations from batches; each can be taken alone until it is final, unless it is locked', async () => {
    const [first = '', second = ''] = await accept(10, 10);
    expect(await takeIsolated(first)).toBeUndefined();
    await isolateOperations(db, [first]);
    expect(await listIsolatedOperations(db, 10)).toEqual([first]);
    expect(await readBacklog(db)).toMatchObject({ pending: 1, isolated: 1 });
    expect(await takeOnce({})).toEqual([second]);
    await db.transaction().execute(async (tx) => {
      expect(await takeIsolatedOperation(tx, first)).toMatchObject({ operationId: first });
      expect(await takeIsolated(first)).toBeUndefined();
    });
    await finishOperations(db, [{ operationId: first, error: { name: 'InternalError', detail: '' } }]);
    expect(await takeIsolated(first)).toBeUndefined();
    expect(await listIsolatedOperations(db, 10)).toEqual([]);
  });

  test('skips operations that are locked or final', async () => {
    const [held = '', free = '', final = ''] = await accept(10, 10, 10);
    await finishOperations(db, [{ operationId: final, error: { name: 'InternalError', detail: '' } }]);
    await db.transaction().execute(async (tx) => {
      expect(await take(tx, { maxOperations: 1 })).toEqual([held]);
      await isolateOperations(db, [held, free, final]);
    });
    expect(await listIsolatedOperations(db, 10)).toEqual([free]);
    expect(await takeOnce({})).toEqual([held]);
  });
});
