import { readFileSync } from 'node:fs';
import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { describe, expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { rewrite } from './rewrite.ts';

describe('rewrite', () => {
  const changes = { 'a.ts': [['one', '$& two'] as [string, string]] };

  test('changes only the named file, and inserts $& literally', () => {
    expect(rewrite('a one b', 'a.ts', changes)).toBe('a $& two b');
    expect(rewrite('a one b', 'b.ts', changes)).toBe('a one b');
  });

  test.each([
    [0, 'a b'],
    [2, 'one one'],
  ])('rejects a text that occurs %i times', (times, source) => {
    const message = `this text occurs ${times} times in a.ts, instead of once: one`;
    expect(() => rewrite(source, 'a.ts', changes)).toThrow(message);
  });
});

const CHANGED_FILES = MUTANTS.flatMap((mutant) =>
  Object.keys(mutant.changes).map((file) => ({ name: mutant.name, file, changes: mutant.changes })),
);

test.each(CHANGED_FILES)('$file contains the texts that "$name" replaces', ({ file, changes }) => {
  const source = readFileSync(new URL(`../../../packages/service/src/${file}`, import.meta.url), 'utf8');
  expect(rewrite(source, file, changes)).not.toBe(source);
});

// One changes the settings of the server, which other tests use too.
const PREPARED = MUTANTS.filter(
  ({ prepareSql = '' }) => prepareSql !== '' && !prepareSql.includes('to program'),
);

test.each(PREPARED)('the statements of "$name" fit the tables', async ({ prepareSql = '' }) => {
  await query(await createDatabase(), prepareSql);
});
