import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BOX, drawInBox, HEIGHT, hasInk, WIDTH } from '../testing/drawn-headline.ts';

it('draws any text inside the box, without an error', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
    fc
      .array(fc.constantFrom('👩‍👩‍👧‍👦', '\u0301', 'ش', '𝓗', '\u200d', '\u202e', '🇩', 'ก', '\ud83d'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (headline) => {
      const context = drawInBox(headline);
      const [right, bottom] = [BOX.x + BOX.width, BOX.y + BOX.height];
      const outside = [
        context.getImageData(0, 0, WIDTH, BOX.y),
        context.getImageData(0, bottom, WIDTH, HEIGHT - bottom),
        context.getImageData(0, 0, BOX.x, HEIGHT),
        context.getImageData(right, 0, WIDTH - right, HEIGHT),
      ];
      expect(outside.map(({ data }) => hasInk(data))).toEqual([false, false, false, false]);
    }),
    { numRuns: 25 },
  );
});
