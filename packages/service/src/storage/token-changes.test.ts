import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { startDatabaseProxy } from '@badge/test-support/tcp-proxy';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDemoDatabase } from '../testing/demo-database.ts';
import { insertTokens } from '../testing/insert-tokens.ts';
import { createRenewal } from './renewal.ts';
import { createTokenChangeReader, deleteTokenChanges, type TokenChanges } from './token-changes.ts';

/** Creates a database with 300 tokens, and a reader of their changes. `seen` has the changes since it caught up. */
async function openReader() {
  const { url, db } = await openDemoDatabase();
  onTestFinished(() => db.destroy());
  await insertTokens(url, 300, 'small');
  let onResponse = (): void => undefined;
  const proxy = await startDatabaseProxy(url, () => (_chunk, from) => {
    if (from === 'server') onResponse();
    return true;
  });
  onTestFinished(() => proxy.stop());
  const renewal = createRenewal();
  const options = { onError: () => undefined, renewal, database: db };
  const reader = createTokenChangeReader({ connectionString: proxy.url }, options);
  onTestFinished(() => reader.close());
  const seen: TokenChanges[] = [];
  reader.onChanges((changes) => seen.push(changes));
  await vi.waitFor(async () => expect(await reader.catchUp()).toBe(true), WAIT_OPTIONS);
  seen.length = 0;
  /** Holds the next response of the server back. Resolves when it has arrived at the proxy. */
  const holdNextResponse = () =>
    new Promise<void>((resolve) => {
      onResponse = () => {
        onResponse = () => undefined;
        proxy.hang();
        resolve();
      };
    });
  return { url, db, proxy, renewal, reader, seen, holdNextResponse };
}

const changeToken = (id: number) => `update tokens set description = 'new' where token_id = ${id}`;
const changeOfContent = (id: number) => [
  { lowestId: id, highestId: id, changesLists: false, isOfOwners: false },
];
const changeOfOwners = (lowestId: number, highestId = lowestId) => ({
  lowestId,
  highestId,
  changesLists: false,
  isOfOwners: true,
});
const insertClaims = (condition: string) => `
  insert into claims (token_id, address, operation_id, claimed_at)
  select token_id, creator, operation_id, now() from tokens where ${condition}`;

const ANY_CHANGE = {
  lowestId: 0,
  highestId: Number.MAX_SAFE_INTEGER,
  changesLists: true,
  isOfOwners: false,
};

test.each<[string, string, TokenChanges]>([
  [
    'changed tokens',
    "update tokens set description = 'new' where token_id in (1, 5)",
    [...changeOfContent(1), ...changeOfContent(5)],
  ],
  [
    'a hidden token',
    'update tokens set is_hidden = true where token_id = 3',
    [{ lowestId: 3, highestId: 3, changesLists: true, isOfOwners: false }],
  ],
  [
    'many changed tokens',
    "update tokens set description = 'new'",
    [{ lowestId: 1, highestId: 300, changesLists: true, isOfOwners: false }],
  ],
  [
    'deleted tokens',
    'delete from tokens where token_id between 4 and 6',
    [{ lowestId: 4, highestId: 6, changesLists: true, isOfOwners: false }],
  ],
  [
    'truncated tokens',
    'truncate tokens cascade',
    // The claims are truncated too.
    [ANY_CHANGE, ANY_CHANGE],
  ],
  ['new claims', insertClaims('token_id in (1, 5)'), [changeOfOwners(1), changeOfOwners(5)]],
  ['claims of many tokens', insertClaims('true'), [changeOfOwners(1, 300)]],
])('of %s, the listeners get each change once', async (_title, statement, expected) => {
  const { url, reader, seen } = await openReader();
  await query(url, statement);
  expect(await reader.catchUp()).toBe(true);
  expect(await reader.catchUp()).toBe(true);
  const sorted = seen.map((changes) =>
    changes === 'unknown' ? changes : changes.toSorted((one, other) => one.lowestId - other.lowestId),
  );
  expect(sorted).toEqual([expected]);
});

test.each([
  [
    'burnt',
    'update claims set burnt_at = now(), burn_operation_id = operation_id where token_id = 2',
    [changeOfOwners(2), changeOfOwners(2)],
  ],
  ['moved', 'update claims set token_id = 4 where token_id = 2', [changeOfOwners(2), changeOfOwners(4)]],
  ['deleted', 'delete from claims where token_id = 2', [changeOfOwners(2)]],
])('of a %s claim, the listeners get a change of the owners', async (_title, statement, expected) => {
  const { url, reader, seen } = await openReader();
  await query(url, insertClaims('token_id = 2'));
  await reader.catchUp();
  seen.length = 0;
  await query(url, statement);
  await reader.catchUp();
  const changes = seen.flat().filter((change) => change !== 'unknown');
  expect(changes.toSorted((one, other) => one.lowestId - other.lowestId)).toEqual(expected);
});

test('new tokens are passed to the listeners as one range', async () => {
  const { url, reader, seen } = await openReader();
  await insertTokens(url, 7, 'small');
  await reader.catchUp();
  expect(seen).toEqual([[{ lowestId: 301, highestId: 307, changesLists: true, isOfOwners: false }]]);
});

test('a call waits for a query that is sent after the call', async () => {
  const { url, proxy, reader, seen, holdNextResponse } = await openReader();
  const held = holdNextResponse();
  void reader.catchUp();
  await held;
  await query(url, changeToken(1));
  const second = reader.catchUp();
  proxy.heal();
  await second;
  expect(seen).toEqual([changeOfContent(1)]);
});

test('a change is passed when its transaction commits, even if a later transaction has committed before', async () => {
  const { url, reader, seen } = await openReader();
  const early = new pg.Client(url);
  await early.connect();
  onTestFinished(() => early.end());
  await early.query('begin');
  await early.query(changeToken(1));
  await query(url, changeToken(2));
  await reader.catchUp();
  expect(seen).toEqual([changeOfContent(2)]);
  await early.query('commit');
  await reader.catchUp();
  expect(seen).toEqual([changeOfContent(2), changeOfContent(1)]);
});

test('the changes are unknown if some were deleted before they were read', async () => {
  const { url, db, reader, seen } = await openReader();
  await query(url, changeToken(1));
  // Not the lowest id of the snapshot, which can be that of a transaction in another database of the server.
  const [row] = await query<{ xid: string }>(
    url,
    'select pg_snapshot_xmax(pg_current_snapshot())::text as xid',
  );
  await deleteTokenChanges(db, row?.xid ?? '');
  expect(await query(url, 'select from token_changes')).toEqual([]);
  await reader.catchUp();
  expect(seen).toEqual(['unknown']);
});

test('if there are more than 1,000 changes, the listeners get `unknown`', async () => {
  const { url, reader, seen } = await openReader();
  await query(
    url,
    'insert into token_changes select pg_current_xact_id(), id, id, false from generate_series(1, 1001) id',
  );
  await reader.catchUp();
  expect(seen).toEqual(['unknown']);
});

test('changes of another server, as after a restore, are deleted, and its horizon is replaced', async () => {
  const { url, db, reader } = await openReader();
  await query(
    url,
    "update token_changes set xid = '99999999'; update token_changes_horizon set xid = '99999999'",
  );
  await deleteTokenChanges(db, '1');
  expect(await query(url, 'select from token_changes')).toEqual([]);
  expect(await query(url, 'select xid::text from token_changes_horizon')).toEqual([{ xid: '1' }]);
  expect(await reader.catchUp()).toBe(true);
});

test('while the connection is lost, no call can catch up; after that, the changes are unknown', async () => {
  const { url, proxy, reader, seen } = await openReader();
  proxy.cut();
  expect(await reader.catchUp()).toBe(false);
  await query(url, changeToken(1));
  proxy.heal();
  await vi.waitFor(async () => expect(await reader.catchUp()).toBe(true), WAIT_OPTIONS);
  expect(new Set(seen)).toEqual(new Set(['unknown']));
});

test('a call returns false if the connections are renewed while its query is running', async () => {
  const { proxy, renewal, reader, seen, holdNextResponse } = await openReader();
  const held = holdNextResponse();
  const running = reader.catchUp();
  await held;
  renewal.renew(renewal.count());
  proxy.heal();
  expect(await running).toBe(false);
  expect(seen[0]).toBe('unknown');
});
