import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SOURCES = new URL('../', import.meta.url).pathname;

// The browser writes "No file chosen" beside its own file input, in its own language.
test('only the file button has a file input', () => {
  const files = globSync('**/*.tsx', { cwd: SOURCES }).filter((name) =>
    /type=["'{]+file\b/.test(readFileSync(`${SOURCES}${name}`, 'utf8')),
  );
  expect(files).toEqual(['design/file-button.tsx']);
});
