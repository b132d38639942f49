import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureJson } from './measure-json.ts';

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, child) => sum + countValues(child), 1)
    : 1;
const countLevels = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(countLevels)) : 0;

test('counts the values and levels of any JSON document', () => {
  const json = fc.json({
    maxDepth: 8,
    stringUnit: fc.constantFrom('"', '\\\\', '[', '{', ']', '}', ',', 'é', '🎖'),
  });
  fc.assert(
    fc.property(json, fc.constantFrom('', ' ', ' \n\t\r'), (text, space) => {
      const value = JSON.parse(text);
      const spaced = JSON.stringify(value, null, space);
      expect(measureJson(Buffer.from(spaced))).toEqual({
        values: countValues(value),
        depth: countLevels(value),
      });
    }),
  );
});

test.each([
  ['[ ]', 1, 1],
  ['{\n}', 1, 1],
  ['"[[[,,,"', 1, 0],
  ['["\\"",",\\\\",1]', 4, 1],
  [`${'['.repeat(100_000)}`, 100_001, 100_000],
  [`[${'0,'.repeat(99_999)}0]`, 100_001, 1],
])('counts the values and levels of %.20s', (text, values, depth) => {
  expect(measureJson(Buffer.from(text))).toEqual({ values, depth });
});

test.each(['"', '"\\', '[', ']]]', ''])('stops at the end of the malformed document %j', (text) => {
  expect(measureJson(Buffer.from(text)).values).toBeGreaterThan(0);
});

test('stops when there are more values than allowed', () => {
  expect(measureJson(Buffer.from(`[${'0,'.repeat(1_000)}0]`), 10)).toEqual({ values: 11, depth: 1 });
});
