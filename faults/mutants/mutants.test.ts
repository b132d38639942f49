import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { rewrite } from './rewrite.ts';

describe('rewrite', () => {
  const changes = { 'a.ts': [['one', '$& two'] as [string, string]] };

  test('changes the file that is meant', () => {
    expect(rewrite('a one b', 'a.ts', changes)).toBe('a $& two b');
    expect(rewrite('a one b', 'b.ts', changes)).toBe('a one b');
  });

  test.each(['none', 'one one'].map((text) => [text]))(
    'refuses a text that is not there once: %s',
    (text) => {
      expect(() => rewrite(text.replace('none', ''), 'a.ts', changes)).toThrow('a.ts holds a text');
    },
  );
});

const CHANGED_FILES = MUTANTS.flatMap((mutant) =>
  Object.keys(mutant.changes).map((file) => ({ name: mutant.name, file, changes: mutant.changes })),
);

test.each(CHANGED_FILES)('"$name" finds in $file what it changes', ({ file, changes }) => {
  const source = readFileSync(new URL(`../../packages/service/src/${file}`, import.meta.url), 'utf8');
  expect(rewrite(source, file, changes)).not.toBe(source);
});
