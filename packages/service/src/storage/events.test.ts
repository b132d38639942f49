import { randomBytes, randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newOperation, openDemoDatabase } from '../testing/demo-database.ts';
import type { Database } from './database.ts';
import { deleteOldEvents, markOf, placeEvents, readFeed } from './events.ts';
import { insertOperations, type NewOperation } from './operations.ts';
import { finishOperations } from './queue.ts';

let url: string;
let db: Database;
beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(() => db.destroy());
beforeEach(async () => {
  await query(url, 'truncate events, event_outbox, operations cascade');
  await query(url, 'update event_counter set last_position = 0, last_deleted_position = 0');
});

const ADDRESS = 'ab'.repeat(20);
const TO_ADDRESS = 'cd'.repeat(20);

/** Accepts an operation and ends it, with success unless `error` is given. Returns its id. */
async function settle(
  operationType: NewOperation['operationType'],
  { error, db: on = db, communityId = 'demo' }: { error?: string; db?: Database; communityId?: string } = {},
): Promise<string> {
  const operationId = randomUUID();
  const request = { tokenId: 7, address: ADDRESS, toAddress: TO_ADDRESS, claimLinkId: null };
  await insertOperations(on, [
    newOperation({
      operationId,
      communityId,
      operationType,
      request: JSON.stringify(request),
      requestIdentity: randomBytes(32),
    }),
  ]);
  await finishOperations(on, [
    error === undefined
      ? { operationId, resourceId: 7 }
      : { operationId, error: { name: error, detail: 'why' } },
  ]);
  return operationId;
}

const place = (limit = 1_000) => db.transaction().execute((tx) => placeEvents(tx, limit));
const read = (after: Parameters<typeof readFeed>[1]['after'] = null, limit = 100, communityId = 'demo') =>
  readFeed(db, { communityId, after, limit });

describe('events of operations', () => {
  const claimed = { tokenId: 7, address: ADDRESS, claimLinkId: null };
  test.each([
    ['createToken', 'token.created', { tokenId: 7 }],
    ['claim', 'badge.claimed', claimed],
    ['airdrop', 'badge.claimed', claimed],
    ['communityAdminAirdrop', 'badge.claimed', claimed],
    ['communityAdminAirdropWithoutConsentSig', 'badge.claimed', claimed],
    ['burn', 'badge.burnt', { tokenId: 7, address: ADDRESS }],
    ['revoke', 'badge.revoked', { tokenId: 7, address: ADDRESS }],
    ['reinstate', 'badge.reinstated', { tokenId: 7, address: ADDRESS }],
    ['move', 'badge.moved', { tokenId: 7, address: ADDRESS, toAddress: TO_ADDRESS }],
    ['addContributors', 'contributors.added', { tokenId: 7 }],
    ['removeContributors', 'contributors.removed', { tokenId: 7 }],
  ] as const)('%s is %s', async (operationType, type, data) => {
    const operationId = await settle(operationType);
    await place();
    const { events } = await read();
    expect(events).toMatchObject([{ type, community_id: 'demo', position: 1 }]);
    expect(events[0]?.data).toEqual({ operationId, ...data });
  });

  test('renew has no event, because each of its addresses has one', async () => {
    await settle('renew');
    await place();
    expect((await read()).events).toEqual([]);
  });

  test('an operation that ends in error is operation.failed, with the name of the error', async () => {
    const operationId = await settle('claim', { error: 'NoTokensLeft' });
    await place();
    const { events } = await read();
    expect(events[0]).toMatchObject({
      type: 'operation.failed',
      data: { operationId, operationType: 'claim', tokenId: 7, error: 'NoTokensLeft' },
    });
  });

  test('an operation that is ended twice, or isolated, has one event', async () => {
    const operationId = await settle('claim');
    await finishOperations(db, [{ operationId, resourceId: 7 }]);
    const isolated = randomUUID();
    await insertOperations(db, [newOperation({ operationId: isolated })]);
    await query(url, `update operations set status = 'processing' where operation_id = '${isolated}'`);
    await place();
    expect((await read()).events).toHaveLength(1);
  });

  test('a batch has an event for each operation, in the order of acceptance', async () => {
    const operations = Array.from({ length: 500 }, () => newOperation({ operationId: randomUUID() }));
    await insertOperations(db, operations);
    await finishOperations(
      db,
      operations.map(({ operationId }, index) => ({ operationId, resourceId: index + 1 })),
    );
    await place();
    const { events } = await read(null, 1_000);
    const tokenIds = new Map(operations.map(({ operationId }, index) => [operationId, index + 1]));
    expect(events.map(({ data }) => data.tokenId)).toEqual(
      events.map(({ data }) => tokenIds.get(String(data.operationId))),
    );
    expect(new Set(events.map(({ data }) => data.operationId)).size).toBe(500);
  });

  test('a transaction that is rolled back leaves no event', async () => {
    await expect(
      db.transaction().execute(async (tx) => {
        await settle('claim', { db: tx });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await place()).toBeNull();
  });
});

describe('the feed', () => {
  test('an event is not in the feed before it has a position, and positions have no gaps', async () => {
    for (let count = 0; count < 5; count += 1) await settle('claim');
    expect((await read()).events).toEqual([]);
    expect(await place(3)).toEqual({ firstPosition: 1, lastPosition: 3 });
    expect(await place(3)).toEqual({ firstPosition: 4, lastPosition: 5 });
    expect(await place(3)).toBeNull();
    expect((await read()).events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  });

  test('an event whose transaction commits later comes later, even if it was recorded earlier', async () => {
    let commit = (): void => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let recorded = (): void => undefined;
    const isRecorded = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    const slow = db.transaction().execute(async (tx) => {
      const operationId = await settle('claim', { db: tx });
      recorded();
      await mayCommit;
      return operationId;
    });
    await isRecorded;
    const fastId = await settle('burn');
    await place();
    const first = await read();
    expect(first.events.map(({ data }) => data.operationId)).toEqual([fastId]);
    commit();
    const slowId = await slow;
    await place();
    const next = await read(first.end);
    expect(next.events.map(({ data }) => data.operationId)).toEqual([slowId]);
  });

  test('concurrent placements give each position once', async () => {
    for (let count = 0; count < 20; count += 1) await settle('claim');
    await Promise.all(Array.from({ length: 6 }, () => place(4)));
    await place();
    const positions = (await read()).events.map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('a community sees only its events; the end is that of all', async () => {
    await query(
      url,
      "insert into communities (community_id, display_id, name, description) values ('other', '', '', '') on conflict do nothing",
    );
    await settle('claim');
    await settle('claim', { communityId: 'other' });
    await place();
    const { events, end } = await read();
    expect(events.map(({ position }) => position)).toEqual([1]);
    expect(end).toMatchObject({ position: 2 });
    expect((await read(end)).events).toEqual([]);
  });
});

describe('expired cursors', () => {
  test('a cursor before a deleted event is expired, one at it is not', async () => {
    for (let count = 0; count < 3; count += 1) await settle('claim');
    await place();
    const { events } = await read();
    const [first, second] = events.map(({ position, event_id, community_id }) => ({
      position,
      mark: markOf(event_id, community_id),
    }));
    await query(url, "update events set created_at = now() - interval '31 days' where position < 3");
    expect(await db.transaction().execute((tx) => deleteOldEvents(tx, 1_000))).toBe(2);
    expect((await read(first ?? null)).isExpired).toBe(true);
    const afterSecond = await read(second ?? null);
    expect(afterSecond.isExpired).toBe(false);
    expect(afterSecond.events.map(({ position }) => position)).toEqual([3]);
    expect((await read()).events.map(({ position }) => position)).toEqual([3]);
  });

  test('without old events, nothing is deleted', async () => {
    await settle('claim');
    await place();
    expect(await db.transaction().execute((tx) => deleteOldEvents(tx, 1_000))).toBe(0);
  });

  test('a cursor of a feed that this database does not have is expired', async () => {
    await settle('claim');
    await place();
    const { end } = await read();
    // A restored database, or a standby that has missed transactions, gives the position to another event.
    await query(url, 'update events set event_id = gen_random_uuid()');
    expect((await read(end)).isExpired).toBe(true);
    expect((await read({ position: 2, mark: '00000000' })).isExpired).toBe(true);
  });

  test('a cursor of another community is expired', async () => {
    await settle('claim');
    await place();
    const other = await readFeed(db, { communityId: 'other', after: null, limit: 10 });
    expect(other).toMatchObject({ events: [], end: { position: 1 } });
    expect((await read(other.end)).isExpired).toBe(true);
    const again = await readFeed(db, { communityId: 'other', after: other.end, limit: 10 });
    expect(again.isExpired).toBe(false);
  });
});
