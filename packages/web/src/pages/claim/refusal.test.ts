import { expect, test } from 'vitest';
import { findRefusal } from './refusal.ts';

test.for([
  [[], null],
  [['AddressNotAllowlisted', 'NoTokensLeft'], 'AddressNotAllowlisted'],
  [['ClaimCodeInvalid'], 'ClaimCodeInvalid'],
  [['ClaimCodeInvalid', 'TokenClaimExpired'], 'TokenClaimExpired'],
  [['ClaimCodeInvalid', 'NoTokensLeft'], 'NoTokensLeft'],
  [['ClaimCodeUsed', 'TokenClaimExpired'], 'ClaimCodeUsed'],
] as const)('of the reasons %j, the page explains %j', ([reasons, name]) => {
  expect(findRefusal(reasons)?.name ?? null).toBe(name);
});
