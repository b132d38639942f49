import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertCommunity } from '../storage/communities.ts';
import type { Database } from '../storage/database.ts';
import { insertOperations, type NewOperation } from '../storage/operations.ts';
import { finishOperations, listPendingQueues } from '../storage/queue.ts';
import { newOperation, OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { chooseBatch, createFairBatches } from './fair-batches.ts';

describe('chooseBatch', () => {
  /**
   * The cost of a batch is limited to 100 bytes. Each operation is named by its community and its cost, such
   * as `a 40`.
   */
  const choose = (candidates: [community: string, costBytes: number][], maxOperations = 10) => {
    const { batch, communityBeforeMissed } = chooseBatch(
      candidates.map(([communityId, costBytes]) => ({
        operationId: `${communityId} ${costBytes}`,
        operationType: 'createToken',
        communityId,
        costBytes,
      })),
      { maxOperations, maxCostBytes: 100 },
    );
    return { batch: batch.map(({ operationId }) => operationId), communityBeforeMissed };
  };

  test('takes everything that is within the limits', () => {
    const { batch, communityBeforeMissed } = choose([
      ['a', 1],
      ['a', 2],
      ['b', 3],
    ]);
    expect(batch).toEqual(['a 1', 'a 2', 'b 3']);
    expect(communityBeforeMissed).toBeNull();
  });

  test('always takes the first operation, and then as many others as the limit allows', () => {
    expect(choose([['a', 1_000]]).batch).toEqual(['a 1000']);
    expect(
      choose([
        ['a', 1_000],
        ['a', 90],
        ['b', 10],
      ]).batch,
    ).toEqual(['a 1000', 'b 10', 'a 90']);
    expect(
      choose([
        ['a', 1_000],
        ['a', 91],
        ['b', 10],
      ]).batch,
    ).toEqual(['a 1000', 'b 10']);
  });

  test('shares the cost equally by community, and keeps the order of operations within each community', () => {
    const { batch, communityBeforeMissed } = choose([
      ['a', 40],
      ['a', 41],
      ['a', 42],
      ['b', 10],
      ['b', 11],
      ['b', 12],
    ]);
    expect(batch).toEqual(['a 40', 'b 10', 'b 11', 'b 12', 'a 41']);
    expect(communityBeforeMissed).toBeNull();
  });

  test('returns the community before the first one that has no operation in the batch', () => {
    const candidates: [string, number][] = [
      ['a', 10],
      ['b', 101],
      ['c', 10],
    ];
    expect(choose(candidates)).toEqual({ batch: ['a 10', 'c 10'], communityBeforeMissed: 'a' });
    expect(choose(candidates, 1)).toEqual({ batch: ['a 10'], communityBeforeMissed: 'a' });
  });

  test('returns an empty batch if there are no candidates', () => {
    expect(choose([])).toEqual({ batch: [], communityBeforeMissed: null });
  });
});

describe('createFairBatches', () => {
  let url: string;
  let db: Database;
  beforeAll(async () => {
    ({ url, db } = await openDemoDatabase());
    for (const community_id of ['flooding', 'quiet', 'steady']) {
      await insertCommunity(db, OPERATOR, { community_id, display_id: '', name: '', description: '' });
    }
  });
  afterAll(async () => await db.destroy());
  beforeEach(async () => {
    await query(url, 'truncate operations cascade');
  });

  /** Accepts operations, and returns their ids in the order of acceptance. */
  async function accept(
    communityId: string,
    operationType: NewOperation['operationType'],
    { count = 1, requestBytes = 100 } = {},
  ): Promise<string[]> {
    const operations = Array.from({ length: count }, () => newOperation({ communityId, operationType }));
    for (const operation of operations) await insertOperations(db, [operation]);
    const ids = operations.map(({ operationId }) => operationId);
    await query(url, 'update operations set request_bytes = $1 where operation_id = any($2)', [
      requestBytes,
      ids,
    ]);
    return ids;
  }

  /** Takes a batch and finishes its operations. */
  async function settle({ take }: ReturnType<typeof createFairBatches>): Promise<string[]> {
    return await db.transaction().execute(async (tx) => {
      const batch = (await take(tx, await listPendingQueues(tx))).operations.map(
        ({ operationId }) => operationId,
      );
      await finishOperations(
        tx,
        batch.map((operationId) => ({ operationId, resourceId: 1 })),
      );
      return batch;
    });
  }

  test('a small operation is in the next batch, whatever another community has pending', async () => {
    const batches = createFairBatches();
    const floodingIds = await accept('flooding', 'createToken', { count: 10, requestBytes: 1_000_000 });
    expect(await settle(batches)).toEqual([floodingIds[0]]);
    const [creation] = await accept('quiet', 'createToken');
    expect(await settle(batches)).toEqual([floodingIds[1], creation]);
    expect(await settle(batches)).toEqual([floodingIds[2]]);
  });

  test('a large operation of one community is in the second batch, however many operations another one has pending', async () => {
    const batches = createFairBatches();
    await accept('flooding', 'createToken', { count: 130, requestBytes: 0 });
    const large = await accept('quiet', 'createToken', { requestBytes: 1_000_000 });
    const settled = [await settle(batches), await settle(batches)];
    expect(settled[0]).toHaveLength(128);
    expect(settled[1]).toEqual(expect.arrayContaining(large));
  });

  // The numbers of operations that `flooding`, `quiet` and `steady` have, and the bytes of each request.
  test.each([
    ['one operation', [1, 0, 0], 100],
    ['fewer operations than a batch', [3, 0, 0], 100],
    ['more operations than a batch', [150, 0, 0], 100],
    ['more operations of one of three communities', [1, 30, 1], 100],
    ['operations that are too large for one batch', [1, 2, 1], 1_000_000],
  ])('mayHaveMore is true until all operations are taken: %s', async (_title, counts, requestBytes) => {
    const batches = createFairBatches();
    for (const [index, communityId] of ['flooding', 'quiet', 'steady'].entries()) {
      await accept(communityId, 'createToken', { count: counts[index] ?? 0, requestBytes });
    }
    await accept('quiet', 'burn');
    let mayHaveMore = true;
    while (mayHaveMore) {
      mayHaveMore = await db.transaction().execute(async (tx) => {
        const batch = await batches.take(tx, await listPendingQueues(tx));
        await finishOperations(
          tx,
          batch.operations.map(({ operationId }) => ({ operationId, resourceId: 1 })),
        );
        return batch.mayHaveMore;
      });
    }
    expect(await query(url, "select from operations where status = 'pending'")).toEqual([]);
  });

  test('takes operations of later communities while another worker has locked those of the first 64', async () => {
    const communityIds = Array.from({ length: 70 }, (_, index) => `community ${100 + index}`);
    for (const community_id of communityIds) {
      await insertCommunity(db, OPERATOR, { community_id, display_id: '', name: '', description: '' });
    }
    const ids = (await Promise.all(communityIds.map((id) => accept(id, 'createToken')))).flat();
    await db.transaction().execute(async (tx) => {
      const first = await createFairBatches().take(tx, await listPendingQueues(tx));
      expect(first.operations.map(({ operationId }) => operationId)).toEqual(ids.slice(0, 64));
      const otherWorker = createFairBatches();
      expect(await settle(otherWorker)).toEqual(ids.slice(64));
      expect(await settle(otherWorker)).toEqual([]);
    });
    expect(await settle(createFairBatches())).toEqual(ids.slice(0, 64));
  });

  test('the queues take turns', async () => {
    const batches = createFairBatches();
    const creations = await accept('flooding', 'createToken', { count: 3, requestBytes: 1_000_000 });
    const claims = await accept('flooding', 'claim', { count: 3, requestBytes: 1_000_000 });
    const burns = await accept('flooding', 'burn', { count: 3, requestBytes: 1_000_000 });
    const settled: string[][] = [];
    for (let round = 0; round < 9; round += 1) settled.push(await settle(batches));
    expect(settled).toEqual(
      [0, 1, 2].flatMap((index) => [[burns[index]], [claims[index]], [creations[index]]]),
    );
    expect(await settle(batches)).toEqual([]);
  });

  test('three communities with operations of equal cost get equal parts of every batch', async () => {
    const batches = createFairBatches();
    const communityIds = new Map<string, string>();
    for (const communityId of ['flooding', 'quiet', 'steady']) {
      const ids = await accept(communityId, 'createToken', { count: 6, requestBytes: 200_000 });
      for (const id of ids) communityIds.set(id, communityId);
    }
    for (let round = 0; round < 6; round += 1) {
      const communities = (await settle(batches)).map((id) => communityIds.get(id));
      expect(communities.toSorted()).toEqual(['flooding', 'quiet', 'steady']);
    }
  });
});
