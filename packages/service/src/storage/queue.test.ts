import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newOperation, OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { insertCommunity } from './communities.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertOperations, type NewOperation } from './operations.ts';
import {
  finishOperations,
  isolateOperations,
  listBacklogs,
  listIsolatedOperations,
  listPendingQueues,
  lockCandidates,
  readBacklog,
  takeIsolatedOperation,
} from './queue.ts';

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
  for (const community_id of ['other', 'third']) {
    await insertCommunity(db, OPERATOR, { community_id, display_id: '', name: '', description: '' });
  }
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate operations cascade');
});

type Fields = Pick<NewOperation, 'communityId' | 'operationType'>;

/** Accepts operations one by one. */
async function accept(count: number, fields: Partial<Fields> = {}): Promise<string[]> {
  const operations = Array.from({ length: count }, () => newOperation(fields));
  for (const operation of operations) await insertOperations(db, [operation]);
  return operations.map(({ operationId }) => operationId);
}

interface TakeOptions {
  queue?: string;
  after?: string;
  maxCommunities?: number;
  maxOperations?: number;
}
const take = async (tx: DatabaseTransaction, options: TakeOptions = {}) => {
  const { queue = 'createToken', after = '', maxCommunities = 10, maxOperations = 1_000 } = options;
  const limits = { afterCommunityId: after, maxCommunities, maxOperations };
  const { candidates } = await lockCandidates(tx, queue, limits);
  return candidates.map(({ operationId }) => operationId);
};
const takeOnce = (options: TakeOptions = {}) => db.transaction().execute((tx) => take(tx, options));

test('concurrent transactions take disjoint batches of the oldest unlocked operations', async () => {
  const operationIds = await accept(5);
  await db.transaction().execute(async (one) => {
    expect(await take(one, { maxOperations: 2 })).toEqual(operationIds.slice(0, 2));
    await db.transaction().execute(async (other) => {
      expect(await take(other, { maxOperations: 2 })).toEqual(operationIds.slice(2, 4));
      // A transaction does not skip the rows that it has locked itself.
      expect(await take(one)).toEqual([...operationIds.slice(0, 2), ...operationIds.slice(4)]);
    });
  });
});

test('operations are pending again after a rollback', async () => {
  const operationIds = await accept(2);
  const rolledBack = db.transaction().execute(async (tx) => {
    expect(await take(tx)).toEqual(operationIds);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await takeOnce()).toEqual(operationIds);
});

describe('lockCandidates', () => {
  test('returns the oldest operations of each community that follows the given one', async () => {
    const third = await accept(3, { communityId: 'third' });
    const demo = await accept(1);
    const other = await accept(2, { communityId: 'other' });
    expect(await takeOnce()).toEqual([...demo, ...other, ...third]);
    expect(await takeOnce({ after: 'demo' })).toEqual([...other, ...third]);
    expect(await takeOnce({ after: 'p' })).toEqual(third);
    expect(await takeOnce({ after: 'third' })).toEqual([]);
    expect(await takeOnce({ maxCommunities: 2 })).toEqual([...demo, ...other]);
    expect(await takeOnce({ maxOperations: 1 })).toEqual([...demo, other[0], third[0]]);
  });

  test('skips a community whose operations are all locked', async () => {
    const demo = await accept(2);
    const other = await accept(2, { communityId: 'other' });
    await db.transaction().execute(async (tx) => {
      expect(await take(tx, { maxCommunities: 1 })).toEqual(demo);
      expect(await takeOnce()).toEqual(other);
    });
  });

  test('returns where to continue, even if all operations of the communities are locked', async () => {
    for (const communityId of ['demo', 'other', 'third']) await accept(1, { communityId });
    const lockTwoCommunities = (tx: DatabaseTransaction, afterCommunityId: string) =>
      lockCandidates(tx, 'createToken', { afterCommunityId, maxCommunities: 2, maxOperations: 10 });
    await db.transaction().execute(async (tx) => {
      expect(await lockTwoCommunities(tx, '')).toMatchObject({ continueAfter: 'other' });
      await db.transaction().execute(async (other) => {
        expect(await lockTwoCommunities(other, '')).toEqual({
          candidates: [],
          continueAfter: 'other',
          mayHaveMore: false,
        });
        expect(await lockTwoCommunities(other, 'other')).toMatchObject({ continueAfter: null });
      });
    });
  });

  test('returns claims and airdrops in the order of acceptance, and no operations of other queues', async () => {
    const [create = ''] = await accept(1);
    const [airdrop = ''] = await accept(1, { operationType: 'airdrop' });
    const [claim = ''] = await accept(1, { operationType: 'claim' });
    const [admin = ''] = await accept(1, { operationType: 'communityAdminAirdrop' });
    const [burn = ''] = await accept(1, { operationType: 'burn' });
    expect(await listPendingQueues(db)).toEqual(['burn', 'claim', 'createToken']);
    expect(await takeOnce({ queue: 'claim' })).toEqual([airdrop, claim, admin]);
    expect(await takeOnce({ queue: 'burn' })).toEqual([burn]);
    expect(await takeOnce()).toEqual([create]);
  });
});

test('pending and isolated operations are found by indexes, however many operations are final', async () => {
  await query(
    url,
    `insert into operations (operation_id, operation_type, community_id, status, request_bytes, resource_id, completed_at)
     select gen_random_uuid(), 'createToken', 'demo', 'success', 100, 1, now() from generate_series(1, 20000)`,
  );
  await accept(1);
  await db.transaction().execute(async (tx) => {
    const before = await readSequentialScans(tx);
    await listPendingQueues(tx);
    await take(tx);
    await listIsolatedOperations(tx, 10);
    expect(await readSequentialScans(tx)).toBe(before);
  });
});

/** How often this transaction has read the whole table. */
async function readSequentialScans(tx: DatabaseTransaction): Promise<number> {
  const { rows } = await sql<{ scans: number }>`
    select seq_scan as scans from pg_stat_xact_user_tables where relname = 'operations'`.execute(tx);
  return rows[0]?.scans ?? 0;
}

test('listBacklogs returns, for each community, the cost of its pending operations and the age of the oldest', async () => {
  expect(await listBacklogs(db)).toEqual([]);
  const [old = '', isolated = ''] = await accept(3);
  await accept(1, { communityId: 'other', operationType: 'claim' });
  await isolateOperations(db, [isolated]);
  await query(url, "update operations set created_at = now() - interval '1 minute' where operation_id = $1", [
    old,
  ]);
  const backlogs = await listBacklogs(db);
  // The request is `{}`.
  const costBytes = 4_096 + 2;
  expect(backlogs.sort((a, b) => a.communityId.localeCompare(b.communityId))).toEqual([
    { communityId: 'demo', oldestAgeMs: expect.any(Number), costBytes: 2 * costBytes },
    { communityId: 'other', oldestAgeMs: expect.any(Number), costBytes },
  ]);
  expect(backlogs[0]?.oldestAgeMs).toBeGreaterThanOrEqual(60_000);
  expect(backlogs[1]?.oldestAgeMs).toBeLessThan(60_000);
});

describe('isolateOperations', () => {
  const takeIsolated = (operationId: string) =>
    db.transaction().execute((tx) => takeIsolatedOperation(tx, operationId));

  test('removes operations from batches, so that each can only be taken alone, until it is final', async () => {
    const [first = '', second = ''] = await accept(2);
    expect(await takeIsolated(first)).toBeUndefined();
    await isolateOperations(db, [first]);
    expect(await listIsolatedOperations(db, 10)).toEqual([first]);
    expect(await readBacklog(db)).toMatchObject({ pending: 1, isolated: 1 });
    expect(await takeOnce()).toEqual([second]);
    await db.transaction().execute(async (tx) => {
      expect(await takeIsolatedOperation(tx, first)).toMatchObject({ operationId: first });
      expect(await takeIsolated(first)).toBeUndefined();
    });
    await finishOperations(db, [{ operationId: first, error: { name: 'InternalError', detail: '' } }]);
    expect(await takeIsolated(first)).toBeUndefined();
    expect(await listIsolatedOperations(db, 10)).toEqual([]);
  });

  test('skips operations that are locked or final', async () => {
    const [locked = '', free = '', final = ''] = await accept(3);
    await finishOperations(db, [{ operationId: final, error: { name: 'InternalError', detail: '' } }]);
    await db.transaction().execute(async (tx) => {
      expect(await take(tx, { maxOperations: 1 })).toEqual([locked]);
      await isolateOperations(db, [locked, free, final]);
    });
    expect(await listIsolatedOperations(db, 10)).toEqual([free]);
    expect(await takeOnce()).toEqual([locked]);
  });
});

test('listIsolatedOperations lists the oldest operation of each community, then the second oldest of each, and so on', async () => {
  const demo = await accept(3);
  const other = await accept(1, { communityId: 'other' });
  await isolateOperations(db, [...demo, ...other]);
  expect(await listIsolatedOperations(db, 10)).toEqual([demo[0], other[0], demo[1], demo[2]]);
  expect(await listIsolatedOperations(db, 2)).toEqual([demo[0], other[0]]);
});
