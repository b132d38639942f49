import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { startDatabaseProxy } from '@badge/test-support/tcp-proxy';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDemoDatabase } from '../testing/demo-database.ts';
import { insertDemoTokens } from '../testing/insert-demo-tokens.ts';
import { openDedicatedSession } from './dedicated-session.ts';
import { createReplacement } from './replacement.ts';
import {
  createTokenChangeReader,
  deleteTokenChanges,
  type TokenChange,
  type TokenChanges,
} from './token-changes.ts';

/**
 * Creates a database with 300 tokens, and a reader that has caught up with their changes. `seen` contains
 * what the reader passes to its listener after that, one item for each call of the listener.
 */
async function openReader() {
  const { url, db } = await openDemoDatabase();
  onTestFinished(() => db.destroy());
  await insertDemoTokens(url, 300, 'small');
  let onResponse = (): void => undefined;
  const proxy = await startDatabaseProxy(url, () => (_chunk, from) => {
    if (from === 'server') onResponse();
    return true;
  });
  onTestFinished(() => proxy.stop());
  const replacement = createReplacement();
  const session = openDedicatedSession({ connectionString: proxy.url }, () => undefined, replacement);
  onTestFinished(() => session.close());
  const reader = createTokenChangeReader(session, { onError: () => undefined, database: db });
  onTestFinished(() => reader.stop());
  const seen: TokenChanges[] = [];
  reader.onChanges((changes) => seen.push(changes));
  await vi.waitFor(async () => expect(await reader.catchUp()).toBe(true), WAIT_OPTIONS);
  seen.length = 0;
  /**
   * The proxy keeps the server's next response until `proxy.heal()`. Resolves when this response is at the
   * proxy.
   */
  const holdNextResponse = () =>
    new Promise<void>((resolve) => {
      onResponse = () => {
        onResponse = () => undefined;
        proxy.hang();
        resolve();
      };
    });
  return { url, db, proxy, replacement, reader, seen, holdNextResponse };
}

const changeTokenSql = (id: number) => `update tokens set description = 'new' where token_id = ${id}`;
const changeOfContent = (lowestId: number, highestId = lowestId) => ({
  lowestId,
  highestId,
  changesLists: false,
  isOfOwners: false,
});
const changeOfOwners = (lowestId: number, highestId = lowestId) => ({
  lowestId,
  highestId,
  changesLists: false,
  isOfOwners: true,
});
const insertClaimsSql = (condition: string) => `
  insert into claims (token_id, address, operation_id, claimed_at)
  select token_id, creator, operation_id, now() from tokens where ${condition}`;

const sortById = (changes: TokenChange[]) => changes.toSorted((a, b) => a.lowestId - b.lowestId);

const listKnownChanges = (seen: TokenChanges[]) => seen.flat().filter((change) => change !== 'unknown');

test.each<[string, string, TokenChange[]]>([
  [
    'an update of two tokens',
    "update tokens set description = 'new' where token_id in (1, 5)",
    [changeOfContent(1), changeOfContent(5)],
  ],
  [
    'an update that hides a token',
    'update tokens set is_hidden = true where token_id = 3',
    [{ lowestId: 3, highestId: 3, changesLists: true, isOfOwners: false }],
  ],
  [
    'an update of all tokens',
    // The triggers record a change of more than 256 tokens as one range.
    "update tokens set description = 'new'",
    [{ lowestId: 1, highestId: 300, changesLists: true, isOfOwners: false }],
  ],
  // The tokens are allowlisted, so a claim also changes the count of claims in the token.
  [
    'new claims of two tokens',
    insertClaimsSql('token_id in (1, 5)'),
    [changeOfContent(1), changeOfOwners(1), changeOfContent(5), changeOfOwners(5)],
  ],
  ['new claims of all tokens', insertClaimsSql('true'), [changeOfContent(1, 300), changeOfOwners(1, 300)]],
])('the listeners get each recorded change once after %s', async (_title, statement, expected) => {
  const { url, reader, seen } = await openReader();
  await query(url, statement);
  expect(await reader.catchUp()).toBe(true);
  expect(await reader.catchUp()).toBe(true);
  expect(seen).toHaveLength(1);
  expect(sortById(listKnownChanges(seen))).toEqual(expected);
});

test('the listeners get a change of owners when a claim is burnt', async () => {
  const { url, reader, seen } = await openReader();
  await query(url, insertClaimsSql('token_id = 2'));
  await reader.catchUp();
  seen.length = 0;
  await query(url, 'update claims set burnt_at = now(), burn_operation_id = operation_id where token_id = 2');
  await reader.catchUp();
  expect(listKnownChanges(seen)).toEqual([changeOfOwners(2)]);
});

test('new tokens are passed to the listeners as one range', async () => {
  const { url, reader, seen } = await openReader();
  await insertDemoTokens(url, 7, 'small');
  await reader.catchUp();
  expect(seen).toEqual([[{ lowestId: 301, highestId: 307, changesLists: true, isOfOwners: false }]]);
});

test('a call during a query waits for the next query, which returns all changes before the call', async () => {
  const { url, proxy, reader, seen, holdNextResponse } = await openReader();
  const held = holdNextResponse();
  void reader.catchUp();
  await held;
  await query(url, changeTokenSql(1));
  const secondCall = reader.catchUp();
  proxy.heal();
  await secondCall;
  expect(seen).toEqual([[changeOfContent(1)]]);
});

test('a change is passed after its transaction commits, even if a later transaction committed first', async () => {
  const { url, reader, seen } = await openReader();
  const early = new pg.Client(url);
  await early.connect();
  onTestFinished(() => early.end());
  await early.query('begin');
  await early.query(changeTokenSql(1));
  await query(url, changeTokenSql(2));
  await reader.catchUp();
  expect(seen).toEqual([[changeOfContent(2)]]);
  await early.query('commit');
  await reader.catchUp();
  expect(seen).toEqual([[changeOfContent(2)], [changeOfContent(1)]]);
});

test('the listeners get `unknown` if changes were deleted before they were read', async () => {
  const { url, db, reader, seen } = await openReader();
  await query(url, changeTokenSql(1));
  // All transactions so far have ids below xmax, so every change is deleted. With xmin, a transaction that
  // runs in another database of the server could keep some.
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

test('changes with ids of future transactions, as after a restore, are deleted, and the horizon is replaced', async () => {
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

test('calls return false while the connection is lost, and the listeners get `unknown`', async () => {
  const { url, proxy, reader, seen } = await openReader();
  proxy.cut();
  expect(await reader.catchUp()).toBe(false);
  await query(url, changeTokenSql(1));
  proxy.heal();
  await vi.waitFor(async () => expect(await reader.catchUp()).toBe(true), WAIT_OPTIONS);
  // The listeners get `unknown` at the loss, after each failed attempt to connect, and when the connection is
  // open again.
  expect(new Set(seen)).toEqual(new Set(['unknown']));
});

test('a call returns false if the connections are replaced while its query is running', async () => {
  const { proxy, replacement, reader, seen, holdNextResponse } = await openReader();
  const held = holdNextResponse();
  const running = reader.catchUp();
  await held;
  replacement.replace(replacement.count());
  proxy.heal();
  expect(await running).toBe(false);
  expect(seen[0]).toBe('unknown');
});
