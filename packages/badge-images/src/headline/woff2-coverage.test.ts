import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { readCoverage } from './woff2-coverage.ts';

const require = createRequire(import.meta.url);

function coverage(file: string): ReadonlySet<number> {
  return readCoverage(readFileSync(require.resolve(file)));
}

function missing(covered: ReadonlySet<number>, characters: string): string {
  return Array.from(characters)
    .filter((character) => !covered.has(character.codePointAt(0) ?? 0))
    .join('');
}

it('returns the characters that a font has', () => {
  const latin = coverage('@fontsource-variable/noto-sans/files/noto-sans-latin-wght-normal.woff2');
  expect(missing(latin, 'AZaz09éß€…ΩЖ漢😀')).toBe('ΩЖ漢😀');
});

it('returns characters outside the basic multilingual plane', () => {
  const emoji = coverage('@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff2');
  expect(missing(emoji, '😀🏆🇩👍🏽ABΩ漢')).toBe('ABΩ漢');
});
