import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonize } from './canonize.ts';
import { isWithin, MAX_STATED_CHARACTERS } from './parse-json.ts';
import { CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

const length = fc.constantFrom(1, 50, 900, 200_000, 3_000_000);
const letter = fc.constantFrom('a', 'é', '<');
const text = fc.tuple(length, letter).map(([count, character]) => character.repeat(count));
const iri = length.map((count) => `urn:${'a'.repeat(count)}`);
const thing = fc.record({
  id: fc.oneof(iri, fc.constant('urn:same'), fc.constant('_:b')),
  type: fc.constantFrom([], ['urn:a'], ['urn:a', 'urn:b', 'urn:c']),
  'urn:name': fc.oneof(text, fc.array(fc.string({ maxLength: 5 }), { maxLength: 40 })),
  'urn:other': fc.array(fc.record({ id: iri }), { maxLength: 4 }),
  termName: fc.oneof(fc.constant('urn:term'), iri),
  // A statement for each.
  values: fc.tuple(fc.constantFrom(1, 30, 600), fc.boolean()),
});

test('a document that is accepted has no more canonical statements than are allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { minLength: 1, maxLength: 3 }), async (things) => {
      const objects = things.map(({ termName, values: [count, isList], ...rest }) => {
        const values = Array.from({ length: count }, (_, index) => `${index}`);
        return { ...rest, [termName]: isList ? [values] : values };
      });
      const source = { type: ['VerifiableCredential'], evidence: objects };
      fc.pre(isWithin(source, { maxValues: 2_000, maxDepth: 20 }));
      const context = [CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT];
      const canonical = await canonize({ '@context': context, ...source });
      expect(canonical.length).toBeLessThanOrEqual(MAX_STATED_CHARACTERS);
    }),
    { numRuns: 25 },
  );
});
