import { createHash, randomUUID } from 'node:crypto';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newOperation, OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { insertApiKey } from './api-keys.ts';
import type { Database } from './database.ts';
import { findOperations, type InsertResult, insertOperations, type NewOperation } from './operations.ts';
import { finishOperations, readBacklog } from './queue.ts';

const ERROR = { name: 'InternalError', detail: 'It did not work.' };
const actorOfKey = (apiKeyId: string) => ({ kind: 'apiKey', apiKeyId, neededRole: 'editor' }) as const;
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
  return newOperation({ actor: actorOfKey(validKey), requestIdentity: hash(identity), ...fields });
}

const accepted = ({ operationId }: NewOperation) => ({ operationId, isReplay: false });
const replayed = ({ operationId }: NewOperation) => ({ operationId, isReplay: true });
const idsOf = (results: (InsertResult | Error)[]) =>
  new Set(
    results.map((result) =>
      typeof result === 'object' && 'operationId' in result ? result.operationId : result,
    ),
  );
/**
 * Returns twelve lists of the names, in three different orders. Three of the lists lack the first five names.
 */
function inManyOrders(names: string[]): string[][] {
  const orders = [names, names.toReversed(), names.toSorted(), names.slice(5)];
  return [...orders, ...orders, ...orders];
}
const countOperations = async () => (await query(url, 'select from operations')).length;

/** Inserts an operation in a transaction that stays open until `end` resolves or rejects. */
async function insertUncommitted(first: NewOperation) {
  const inserted = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = db.transaction().execute(async (tx) => {
    expect(await insertOperations(tx, [first])).toEqual([accepted(first)]);
    inserted.resolve();
    await end.promise;
  });
  await Promise.race([inserted.promise, work]);
  return { end, work };
}

describe('two requests with the same identity', () => {
  test('are one operation if they are in one batch', async () => {
    const [first, other, again] = [operation('same'), operation(), operation('same')];
    const results = await insertOperations(db, [first, other, again]);
    const [stored] = await findOperations(db, [first.operationId, again.operationId]);
    const operationId = stored?.operation_id;
    expect(results).toEqual([
      { operationId, isReplay: operationId !== first.operationId },
      accepted(other),
      { operationId, isReplay: operationId !== again.operationId },
    ]);
    expect(await countOperations()).toBe(2);
  });

  test('are one operation if the second is in a later batch, even after the operation has succeeded', async () => {
    const first = operation('same');
    expect(await insertOperations(db, [first])).toEqual([accepted(first)]);
    expect(await insertOperations(db, [operation('same')])).toEqual([replayed(first)]);
    await db
      .transaction()
      .execute((tx) => finishOperations(tx, [{ operationId: first.operationId, resourceId: 1 }]));
    expect(await insertOperations(db, [operation('same')])).toEqual([replayed(first)]);
  });

  test('are one operation if the second arrives before the first has committed', async () => {
    const [first, second] = [operation('same'), operation('same')];
    const uncommitted = await insertUncommitted(first);
    const meanwhile = insertOperations(db, [second]);
    await waitForBlockedStatements(url, 1);
    uncommitted.end.resolve();
    await uncommitted.work;
    expect(await meanwhile).toEqual([replayed(first)]);
  });

  test('are one operation, that of the second request, if the batch of the first is rolled back', async () => {
    const [first, second] = [operation('same'), operation('same')];
    const uncommitted = await insertUncommitted(first);
    const meanwhile = insertOperations(db, [second]);
    await waitForBlockedStatements(url, 1);
    uncommitted.end.reject(new Error('rolled back'));
    await expect(uncommitted.work).rejects.toThrow('rolled back');
    expect(await meanwhile).toEqual([accepted(second)]);
  });

  test('are one operation in many concurrent batches, in any order', async () => {
    const identities = Array.from({ length: 20 }, (_, index) => `many ${index}`);
    const batches = inManyOrders(identities).map((order) => order.map((name) => operation(name)));
    const results = await Promise.all(batches.map((batch) => insertOperations(db, batch)));
    expect(await countOperations()).toBe(20);
    expect(idsOf(results.flat()).size).toBe(20);
  });
});

describe('a create request without an idempotency key', () => {
  const makeOlder = (operation: NewOperation, by: string) =>
    query(url, 'update operations set created_at = created_at - $2::interval where operation_id = $1', [
      operation.operationId,
      by,
    ]);

  test('is a repetition until 60 seconds after the first request, however often it is repeated', async () => {
    const [first, late] = [operation('same'), operation('same')];
    await insertOperations(db, [first]);
    await makeOlder(first, '30 seconds');
    expect(await insertOperations(db, [operation('same')])).toEqual([replayed(first)]);
    await makeOlder(first, '30 seconds');
    expect(await insertOperations(db, [late])).toEqual([accepted(late)]);
    expect(await insertOperations(db, [operation('same')])).toEqual([replayed(late)]);
    const rows = await query(
      url,
      'select from operations where operation_id = $1 and request_identity is null',
      [first.operationId],
    );
    expect(rows).toHaveLength(1);
  });

  test('that many concurrent batches repeat after 60 seconds is accepted once more', async () => {
    const identities = Array.from({ length: 20 }, (_, index) => `old ${index}`);
    const old = identities.map((name) => operation(name));
    await insertOperations(db, old);
    for (const one of old) await makeOlder(one, '61 seconds');
    const batches = inManyOrders(identities).map((order) => order.map((name) => operation(name)));
    const results = (await Promise.all(batches.map((batch) => insertOperations(db, batch)))).flat();
    expect(await countOperations()).toBe(40);
    expect(idsOf(results).size).toBe(20);
    expect(
      results.filter((result) => typeof result === 'object' && 'isReplay' in result && !result.isReplay),
    ).toHaveLength(20);
  });

  test('waits for a worker that settles the old operation, and then is a new operation', async () => {
    const [first, late] = [operation('same'), operation('same')];
    await insertOperations(db, [first]);
    await makeOlder(first, '61 seconds');
    let meanwhile: ReturnType<typeof insertOperations> | undefined;
    await db.transaction().execute(async (tx) => {
      await finishOperations(tx, [{ operationId: first.operationId, resourceId: 1 }]);
      meanwhile = insertOperations(db, [late]);
      await waitForBlockedStatements(url, 1);
    });
    expect(await meanwhile).toEqual([accepted(late)]);
  });

  test('gets the error of a failed query, and the other operations of its batch get their results', async () => {
    const [first, late, other] = [operation('same'), operation('same'), operation()];
    await insertOperations(db, [first]);
    await makeOlder(first, '61 seconds');
    await db.transaction().execute(async (tx) => {
      await sql`select from operations for update`.execute(tx);
      const meanwhile = insertOperations(db, [other, late]);
      await waitForBlockedStatements(url, 1);
      await query(
        url,
        `select pg_cancel_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(await meanwhile).toEqual([accepted(other), expect.objectContaining({ code: '57014' })]);
    });
    expect(await insertOperations(db, [late])).toEqual([accepted(late)]);
  });
});

test('a claim without an idempotency key is a repetition even a day after the first one', async () => {
  const claim = () => operation('same', { operationType: 'claim' });
  const first = claim();
  await insertOperations(db, [first]);
  await query(url, "update operations set created_at = created_at - interval '1 day'");
  expect(await insertOperations(db, [claim()])).toEqual([replayed(first)]);
});

describe('an idempotency key', () => {
  const keyed = (key: string, fields: Partial<NewOperation> = {}): NewOperation => ({
    ...operation(),
    requestIdentity: null,
    keyUse: {
      scope: hash(key),
      bodyHash: hash('body'),
      requestId: randomUUID(),
      response: { status: 202, headers: {}, body: '{}' },
    },
    ...fields,
  });
  const countKeys = async () => (await query(url, 'select from idempotency_keys')).length;
  beforeEach(async () => {
    await query(url, 'truncate idempotency_keys');
  });

  test('has one operation, in one batch or in consecutive batches', async () => {
    const results = await insertOperations(db, [keyed('same'), keyed('other'), keyed('same')]);
    expect(results.filter((result) => result === 'keyUsed')).toHaveLength(1);
    expect(await insertOperations(db, [keyed('same')])).toEqual(['keyUsed']);
    expect([await countOperations(), await countKeys()]).toEqual([2, 2]);
  });

  test('has one operation in many concurrent batches in any order, mixed with requests without a key', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const batches = inManyOrders(names).map((order) =>
      order.flatMap((name, index) => [keyed(name), operation(`identity ${index}`)]),
    );
    const results = (await Promise.all(batches.map((batch) => insertOperations(db, batch)))).flat();
    expect([await countOperations(), await countKeys()]).toEqual([40, 20]);
    // Half of the requests have a key. For each of the 20 keys, one request is accepted.
    expect(results.filter((result) => result === 'keyUsed')).toHaveLength(results.length / 2 - 20);
  });

  test('is not recorded for an operation that is refused', async () => {
    const apiKeyId = await addKey('revoked_at = now()');
    const refused = [
      keyed('a', { actor: actorOfKey(apiKeyId) }),
      keyed('b', { nftTypeId: 'deleted type' }),
      keyed('c'),
    ];
    await query(
      url,
      `with asset as (
         insert into assets (asset_id, content_type, size_bytes, piece_bytes, content_hash)
         values (gen_random_uuid(), 'image/png', 1, 1, sha256('')) returning asset_id
       ) insert into nft_types (community_id, nft_type_id, name, asset_id, deleted_at)
       select 'demo', 'deleted type', '', asset_id, now() from asset`,
    );
    expect(await insertOperations(db, refused)).toEqual([
      'apiKeyInvalid',
      'nftTypeDeleted',
      expect.objectContaining({ isReplay: false }),
    ]);
    expect([await countOperations(), await countKeys()]).toEqual([1, 1]);
  });

  test('is free again if the transaction that has used it is rolled back', async () => {
    const [first, second] = [keyed('same'), keyed('same')];
    const uncommitted = await insertUncommitted(first);
    const meanwhile = insertOperations(db, [second]);
    await waitForBlockedStatements(url, 1);
    uncommitted.end.reject(new Error('rolled back'));
    await expect(uncommitted.work).rejects.toThrow('rolled back');
    expect(await meanwhile).toEqual([accepted(second)]);
  });

  test.each([
    ['is 24 hours old', true, "created_at = now() - interval '24 hours'"],
    ['is almost 24 hours old', false, "created_at = now() - interval '23:59:00'"],
    [
      'is locked',
      false,
      "status = null, headers = null, body = null, locked_until = now() + interval '1 second'",
    ],
    ['has an expired lock', true, 'status = null, headers = null, body = null, locked_until = now()'],
  ])('that %s can be used again: %s', async (_title, isFree, changes) => {
    await insertOperations(db, [keyed('same')]);
    await query(url, `update idempotency_keys set ${changes}`);
    const [again, twin] = [keyed('same'), keyed('same')];
    const results = await insertOperations(db, [again, twin]);
    expect(results.filter((result) => result === 'keyUsed')).toHaveLength(isFree ? 1 : 2);
    expect([await countOperations(), await countKeys()]).toEqual([isFree ? 2 : 1, 1]);
  });
});

describe('an operation that ended in error', () => {
  test('frees its identity for a new operation', async () => {
    const [failed, again] = [operation('same'), operation('same')];
    await insertOperations(db, [failed]);
    await finishOperations(db, [{ operationId: failed.operationId, error: ERROR }]);
    expect(await insertOperations(db, [again])).toEqual([accepted(again)]);
    const rows = await findOperations(db, [failed.operationId, again.operationId]);
    expect(Object.fromEntries(rows.map((row) => [row?.operation_id, [row?.status, row?.error]]))).toEqual({
      [failed.operationId]: ['error', ERROR],
      [again.operationId]: ['pending', null],
    });
  });

  test('keeps its result, like one that ended in success', async () => {
    const [failed, done] = [operation(), operation()];
    await insertOperations(db, [failed, done]);
    await finishOperations(db, [{ operationId: failed.operationId, error: ERROR }]);
    await db
      .transaction()
      .execute((tx) => finishOperations(tx, [{ operationId: done.operationId, resourceId: 7 }]));
    await finishOperations(db, [{ operationId: failed.operationId, error: { ...ERROR, detail: 'again' } }]);
    await finishOperations(db, [{ operationId: done.operationId, error: ERROR }]);
    const rows = await findOperations(db, [failed.operationId, done.operationId]);
    expect(rows.map((row) => [row?.status, row?.error, row?.resource_id]).sort()).toEqual([
      ['error', ERROR, null],
      ['success', null, 7],
    ]);
  });
});

describe('an operation', () => {
  test.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = now() - interval '1 second'"],
  ])(
    'is rejected if its API key is %s, and the others in its batch are accepted',
    async (_title, changes) => {
      const refused = operation('refused', { actor: actorOfKey(await addKey(changes)) });
      const byOperator = operation('', { actor: OPERATOR });
      const batch = [operation(), refused, byOperator, operation('again')];
      expect(await insertOperations(db, batch)).toEqual(
        batch.map((one) => (one === refused ? 'apiKeyInvalid' : accepted(one))),
      );
      expect(await countOperations()).toBe(3);
    },
  );

  test('is rejected if its API key is unknown', async () => {
    expect(await insertOperations(db, [operation('a', { actor: actorOfKey(randomUUID()) })])).toEqual([
      'apiKeyInvalid',
    ]);
    expect(await countOperations()).toBe(0);
  });

  test('is rejected if its NFT type does not exist, and the others in its batch are accepted', async () => {
    const [refused, valid] = [operation('a', { nftTypeId: 'missing' }), operation()];
    expect(await insertOperations(db, [refused, valid])).toEqual(['nftTypeDeleted', accepted(valid)]);
  });

  test('that no attempt can insert is rejected with an error', async () => {
    const refused = db.transaction().execute(async (tx) => {
      await sql`create function skip_row() returns trigger language plpgsql as 'begin return null; end'`.execute(
        tx,
      );
      await sql`create trigger skip_rows before insert on operations for each row execute function skip_row()`.execute(
        tx,
      );
      await insertOperations(tx, [operation()]);
    });
    await expect(refused).rejects.toThrow('in 10 attempts');
    expect(await countOperations()).toBe(0);
  });

  test('is accepted if its API key expires later', async () => {
    const apiKeyId = await addKey("expires_at = now() + interval '1 hour'");
    const one = operation('a', { actor: actorOfKey(apiKeyId) });
    expect(await insertOperations(db, [one])).toEqual([accepted(one)]);
  });
});

test('an empty batch inserts nothing', async () => {
  expect(await insertOperations(db, [])).toEqual([]);
});

test('the backlog has the number of pending operations and the age of the oldest', async () => {
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
