import { TooComplexError, UnsignedMembersError } from './canonize.ts';
import { UnreadableError } from './graph.ts';
import type { ReasonCode, Verdict } from './verification.ts';

/** Why a document is not what its issuer has signed, or cannot be read. */
export interface Problem {
  verdict: Exclude<Verdict, 'valid'>;
  code: ReasonCode;
  detail: string;
  /** See `Verification.reason`. */
  kind?: string | null;
}

/** What an error of the canonization or of the reading says about a document. */
export function toProblem(error: unknown): Problem {
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
  if (error instanceof UnreadableError) {
    return {
      verdict: 'unsupported',
      code: 'contentUnsupported',
      detail: `What it says cannot be read completely and without a doubt: ${error.message}.`,
    };
  }
  return {
    verdict: 'unsupported',
    code: 'contextUnsupported',
    detail: `Its terms cannot be read: ${(error as Error).message}.`,
  };
}
