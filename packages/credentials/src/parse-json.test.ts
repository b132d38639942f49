import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonize } from './canonize.ts';
import { isWithin } from './parse-json.ts';
import { CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

// A smaller limit than that of credentials, so that many documents come close to it.
const LIMITS = { maxValues: 2_000, maxDepth: 20, maxStatedCharacters: 128 * 1024 };
const length = fc.constantFrom(1, 50, 900, 8_000, 30_000);
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
  values: fc.tuple(fc.constantFrom(1, 5, 60), fc.boolean()),
});

test('a document that is accepted has no more canonical statements than are allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { minLength: 1, maxLength: 3 }), async (things) => {
      const objects = things.map(({ termName, values: [count, isList], ...rest }) => {
        const values = Array.from({ length: count }, (_, index) => `${index}`);
        return { ...rest, [termName]: isList ? [values] : values };
      });
      const source = { type: ['VerifiableCredential'], evidence: objects };
      fc.pre(isWithin(source, LIMITS));
      const context = [CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT];
      const canonical = await canonize({ '@context': context, ...source });
      expect(canonical.length).toBeLessThanOrEqual(LIMITS.maxStatedCharacters);
    }),
    { numRuns: 15 },
  );
});
