import { TooComplexError, UnsignedMembersError } from './canonize.ts';
import type { Problem } from './verify-proof.ts';

/** What an error of the canonization says about a document. */
export function canonizationProblem(error: unknown): Problem {
  if (error instanceof UnsignedMembersError) {
    return {
      verdict: 'changed',
      code: 'hasUnsignedMembers',
      detail: 'It has members that its signature does not cover.',
    };
  }
  if (error instanceof TooComplexError) {
    return { verdict: 'unsupported', code: 'tooComplex', detail: 'It is too complex to be checked.' };
  }
  return {
    verdict: 'unsupported',
    code: 'contextUnsupported',
    detail: `Its terms cannot be read: ${(error as Error).message}.`,
  };
}
