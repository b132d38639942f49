import { test } from 'vitest';
import { checkRewritings, show } from './testing/forms-of-a-credential.ts';

test('every form of a credential shows what was signed, or nothing, in many runs', {
  timeout: 300_000,
}, async () => {
  await checkRewritings(show, { numRuns: 3_000 });
});
