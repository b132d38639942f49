import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PICTURE_SIZES, roundUpSize, toMeasuredText, toShieldText } from './rules.ts';

test('every size is rounded up to the next of five', () => {
  const rounded = new Set(Array.from({ length: 1_024 - 64 + 1 }, (_, index) => roundUpSize(64 + index)));
  expect([...rounded]).toEqual([...PICTURE_SIZES]);
  expect([64, 65, 512, 513, 1_024].map(roundUpSize)).toEqual([64, 128, 512, 1_024, 1_024]);
});

test.each([
  ['Devcon 7', 'Devcon 7'],
  ['  two\n\nlines\t', 'two lines'],
  ['turned \u202eback\u2066', 'turned back'],
  ['\u0000\u0007\ufffe\uffff', ''],
  ['مرحبا بكم', 'مرحبا بكم'],
  ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
  ['x'.repeat(41), `${'x'.repeat(40)}…`],
  [`${'x'.repeat(39)} y`, `${'x'.repeat(39)}…`],
  ['👩‍👩‍👧‍👦'.repeat(20), `${'👩‍👩‍👧‍👦'.repeat(10)}…`],
  [`a${'\u0301'.repeat(500)}`, '…'],
])('the headline %j is %j on a shield', (headline, expected) => {
  expect(toShieldText(headline)).toBe(expected);
});

test('a shield text never contains what XML forbids, and is never longer than its limits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (headline) => {
      const text = toShieldText(headline);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids
      expect(text).not.toMatch(/[\u0000-\u001f\ufffe\uffff]/u);
      expect(text.length).toBeLessThanOrEqual(121);
    }),
  );
});

test.each([
  ['Devcon 7: 感謝 ★', 'Devcon 7: 感謝 ★'],
  ['مرحبا 2026', 'nnnnn 2026'],
  ['שָׁלוֹם', 'nnnn'],
  ['समुदाय', 'nnnnn'],
])('the width of %j is that of %j', (text, measured) => {
  expect(toMeasuredText(text)).toBe(measured);
});
