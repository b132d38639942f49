import { test } from 'vitest';
import { raceReplacement } from '../../src/testing/replacement-race.ts';
import { replacementsFixture } from '../../src/testing/replacements-fixture.ts';

const fixture = replacementsFixture();

test.each([1, 2, 3])(
  'of 50 claims, 20 confirmations and a replacement at once, everybody has exactly one, on the replacement: %s',
  { timeout: 120_000 },
  async () => await raceReplacement(fixture),
);
