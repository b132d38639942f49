import { expect, test } from 'vitest';
import { type ClaimState, mayCodeHelp } from './claim-state.ts';

test.for([
  [{ isSignatureRequired: false, isAllowlistRequired: false }, true],
  [{ isSignatureRequired: false, isAllowlistRequired: true }, true],
  [{ isSignatureRequired: true, isAllowlistRequired: true }, true],
  [{ isSignatureRequired: true, isAllowlistRequired: false }, false],
] as const)('for a token with %j, mayCodeHelp returns %j', ([claimabilityAttributes, expected]) => {
  expect(mayCodeHelp({ token: { claimabilityAttributes } } as ClaimState)).toBe(expected);
});
