import { expect, test } from 'vitest';
import { findApiKeyFaults } from './rules.ts';

const NOW = 1_700_000_000_000;

test.each([
  [{}, 0],
  [{ expiresAtTimestamp: null }, 0],
  [{ expiresAtTimestamp: NOW + 1 }, 0],
  [{ expiresAtTimestamp: NOW }, 1],
  [{ expiresAtTimestamp: 0 }, 1],
  [{ expiresAtTimestamp: 'never' }, 0],
  [null, 0],
  ['text', 0],
])('%j has %d faults beyond its schema', (body, faults) => {
  expect(findApiKeyFaults(body, NOW)).toHaveLength(faults);
});
