import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { isolatedOperationsFixture, STATEMENT_TIMEOUT } from '../testing/isolated-operations-fixture.ts';

const fixture = isolatedOperationsFixture();
const { startWorker, accept, waitUntilFinal, statusOf, failInserts } = fixture;

vi.setConfig({ testTimeout: 120_000 });

test('an operation that times out repeatedly ends in error, and does not delay others', async () => {
  await failInserts('stuck', STATEMENT_TIMEOUT);
  const before = await accept('before');
  const stuck = await accept('stuck');
  const after = await accept('after');
  await startWorker();
  expect((await waitUntilFinal(before)).status).toBe('success');
  expect((await waitUntilFinal(after)).status).toBe('success');

  let others = 0;
  await vi.waitFor(async () => {
    others += 1;
    expect((await waitUntilFinal(await accept(`other ${others}`))).status).toBe('success');
    expect(await statusOf(stuck)).toBe('error');
  }, WAIT_OPTIONS);
  expect((await waitUntilFinal(stuck)).error).toMatchObject({ name: 'InternalError' });
  // The ids have no gap: the tokens are `before`, `after` and the others.
  const tokens = await query(fixture.api.databaseUrl, 'select max(token_id)::integer as last from tokens');
  expect(tokens).toEqual([{ last: others + 2 }]);
});
