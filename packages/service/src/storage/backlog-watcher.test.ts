import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newOperation, openDemoDatabase } from '../testing/demo-database.ts';
import type { Database } from './database.ts';
import { insertOperations } from './operations.ts';
import { findOldestPendingAgeMs, isolateOperations } from './queue.ts';

let url: string;
let db: Database;
beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(async () => await db.destroy());

async function accept(ageSeconds: number): Promise<string> {
  const operation = newOperation();
  const { operationId } = operation;
  await insertOperations(db, [operation]);
  await query(url, "update operations set created_at = now() - $1 * interval '1 s' where operation_id = $2", [
    ageSeconds,
    operationId,
  ]);
  return operationId;
}

test('the age of the backlog is that of the oldest pending operation, and isolated operations do not count', async () => {
  expect(await findOldestPendingAgeMs(db)).toBe(0);
  const stuck = await accept(1_000_000);
  await accept(1_000);
  await accept(10);
  expect(await findOldestPendingAgeMs(db)).toBeGreaterThanOrEqual(1_000_000_000);
  await isolateOperations(db, [stuck]);
  const ageMs = await findOldestPendingAgeMs(db);
  expect(ageMs).toBeGreaterThanOrEqual(1_000_000);
  expect(ageMs).toBeLessThan(1_000_000_000);
});
