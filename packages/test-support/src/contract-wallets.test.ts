import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMPILED } from './contract-wallets.ts';

test.each(Object.entries(COMPILED.sources))('%s was compiled after its last change', (file, hash) => {
  const source = readFileSync(new URL(`../contracts/${file}`, import.meta.url));
  // See contracts/README.md for how to compile it again.
  expect(createHash('sha256').update(source).digest('hex')).toBe(hash);
});
