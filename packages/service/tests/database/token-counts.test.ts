import { query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { expect, onTestFinished, test } from 'vitest';
import { openDemoDatabase } from '../../src/testing/demo-database.ts';
import { insertDemoTokens } from '../../src/testing/insert-demo-tokens.ts';

// The tokens of `insertDemoTokens` are allowlisted. Each key is the token's id in 20 bytes, with a number.
const key = (number: number) => `decode(lpad(to_hex(token_id * 100 + ${number}), 40, '0'), 'hex')`;
const insertEntries = (number: number, condition = 'true') => `
  insert into allowlist_entries (token_id, contributor_key, position, added_at)
  select token_id, ${key(number)}, ${number}, now() from tokens where ${condition}`;
const insertClaims = (number: number, condition = 'true') => `
  with operation as (
    insert into operations (operation_id, operation_type, community_id, request_bytes, resource_id, status, completed_at)
    select gen_random_uuid(), 'claim', 'demo', 0, token_id, 'success', now() from tokens where ${condition}
    returning operation_id, resource_id as token_id
  )
  insert into claims (token_id, address, operation_id, claimed_at)
  select token_id, ${key(number)}, operation_id, now() from operation`;

const readCounts = async (url: string, tokenId: number) =>
  await query(url, 'select claimed_count, contributor_count from token_counts where token_id = $1', [
    tokenId,
  ]);

test('the counts follow every statement, and a claim that was moved from another address is not counted', async () => {
  const { url, db } = await openDemoDatabase();
  onTestFinished(() => db.destroy());
  await insertDemoTokens(url, 3, 'small');
  await query(
    url,
    'update tokens set is_allowlist_required = false, total_claim_count = 5, remaining_claim_count = 5 where token_id = 3',
  );
  for (const statement of [
    insertEntries(1),
    insertEntries(2, 'token_id < 3'),
    insertClaims(1),
    insertClaims(2, 'token_id = 1'),
    'update claims set burnt_at = now(), burn_operation_id = operation_id where token_id = 1',
    'delete from allowlist_entries where position = 2 and token_id = 2',
  ]) {
    await query(url, statement);
    expect(await countWrongTokenCounts(url), statement).toBe(0);
  }
  const moved = `
    with operation as (
      insert into operations (operation_id, operation_type, community_id, request_bytes)
      values (gen_random_uuid(), 'claim', 'demo', 0) returning operation_id
    )
    insert into claims (token_id, address, operation_id, claimed_at, moved_from)
    select token_id, ${key(7)}, operation.operation_id, now(), ${key(1)} from tokens, operation where token_id = 1`;
  await query(url, moved);
  expect(await countWrongTokenCounts(url)).toBe(0);
  expect(await readCounts(url, 1)).toEqual([{ claimed_count: '2', contributor_count: '2' }]);
  expect(await readCounts(url, 2)).toEqual([{ claimed_count: '1', contributor_count: '1' }]);
  expect(await readCounts(url, 3)).toEqual([]);
});

test('transactions that write to the same tokens at the same time are all counted', async () => {
  const { url, db } = await openDemoDatabase();
  onTestFinished(() => db.destroy());
  await insertDemoTokens(url, 5, 'small');
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await query(url, insertEntries(index + 1));
      await query(url, insertClaims(index + 1));
    }),
  );
  expect(await countWrongTokenCounts(url)).toBe(0);
  expect(await readCounts(url, 5)).toEqual([{ claimed_count: '20', contributor_count: '20' }]);
});
