import { expect, test } from 'vitest';
import { foldText } from './rules.ts';

const EXAMPLES = [
  ['Jürgen MÜLLER', 'jurgen muller'],
  ['José Ñandú', 'jose nandu'],
  ['Łucja Strauß', 'lucja strauss'],
  ['Søren Ærø', 'soren aero'],
  ['İpek', 'ipek'],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['أَحْمَد', 'احمد'],
  ['ﬁne', 'fine'],
  ['plain', 'plain'],
] as const;

test.each(EXAMPLES)('%s becomes %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
  expect(foldText(folded)).toBe(folded);
});

test('texts can be folded together', () => {
  const folded = foldText(EXAMPLES.map(([text]) => text).join('\0')).split('\0');
  expect(folded).toEqual(EXAMPLES.map(([, text]) => text));
});
