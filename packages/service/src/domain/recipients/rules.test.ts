import { expect, test } from 'vitest';
import { foldText } from './rules.ts';

test.each([
  ['Jürgen MÜLLER', 'jurgen muller'],
  ['José Ñandú', 'jose nandu'],
  ['Łucja Strauß', 'lucja strauss'],
  ['Søren Ærø', 'soren aero'],
  ['İpek', 'ipek'],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['أَحْمَد', 'احمد'],
  ['ﬁne', 'fine'],
  ['plain', 'plain'],
])('%s becomes %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
  expect(foldText(folded)).toBe(folded);
});
