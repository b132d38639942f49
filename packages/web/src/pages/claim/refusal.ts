import { BadgeApiError } from '@badge/sdk';
import { toWalletError, type WalletErrorName } from '../../wallet/wallet-error.ts';

/** The errors of the service that the page explains. */
const EXPLAINED_NAMES = [
  'AddressNotAllowlisted',
  'NoTokensLeft',
  'TokenClaimExpired',
  'TokenNotYetClaimable',
  'ClaimingAddressAlreadyHasToken',
  'ClaimCodeUsed',
  'ClaimCodeInvalid',
  'ClaimCodePaused',
  'TokenReplaced',
  'ClaimCodeNotStarted',
  'SignatureRequired',
  'NotSignedByClaimer',
] as const;

/**
 * Why a claim was not made: an error of the service, an error of the wallet, or one of these:
 * - `Revoked`, `Moved`, `Burnt`: the address has lost the badge. The community has revoked it or moved it to
 *   another address, or the address has burnt it
 * - `Incomplete`: the link has only a part of a code
 * - `EmailNotListed`: the error `AddressNotAllowlisted` for an e-mail
 * - `SignedOut`: the session of the person is over
 * - `TypedCodeInvalid`: the error `ClaimCodeInvalid` for a code that the person has typed
 */
export type RefusalName =
  | (typeof EXPLAINED_NAMES)[number]
  | WalletErrorName
  | 'Revoked'
  | 'Moved'
  | 'Burnt'
  | 'Incomplete'
  | 'TypedCodeInvalid'
  | 'EmailNotListed'
  | 'SignedOut';

/** Why nobody can claim a badge at this time. */
export type TimeRefusal = Extract<RefusalName, 'TokenClaimExpired' | 'TokenNotYetClaimable'>;

export interface Refusal {
  name: RefusalName;
  /**
   * What the operator of the service needs to find the error in the log. Null if the page explains the error,
   * or if no request is known.
   */
  requestId: string | null;
}

/** Thrown if a claim with an e-mail continues after the person has signed out. */
export class SignedOutError extends Error {}

/** Returns what the page says about an error of the service or of a wallet. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof SignedOutError) return { name: 'SignedOut', requestId: null };
  if (!(error instanceof BadgeApiError)) return { name: toWalletError(error).name, requestId: null };
  // The signature of a smart-contract wallet can have another form than that of a key. Then the service
  // rejects it.
  if (error.status === 401) return { name: 'SignedOut', requestId: null };
  if (error.name === 'InvalidSignature') return { name: 'ContractWallet', requestId: null };
  return toExplainedRefusal(error.name) ?? { name: 'Failed', requestId: error.requestId };
}

/** Whether the address had the badge, and has lost it. */
export function isLoss(refusal: Refusal): boolean {
  return refusal.name === 'Revoked' || refusal.name === 'Moved' || refusal.name === 'Burnt';
}

/** If one of these reasons applies, nobody can claim the badge any more, with or without a code. */
const FINAL_REASONS = ['TokenClaimExpired', 'NoTokensLeft'];

/** Returns what the page says about the reasons against a claim, or null if there are none. */
export function findRefusal(reasons: readonly string[]): Refusal | null {
  // The page advises a person with an invalid code to ask for a new code. If nobody can claim any more, a
  // code does not help.
  const final = reasons.find((reason) => FINAL_REASONS.includes(reason));
  const name = reasons[0] === 'ClaimCodeInvalid' && final !== undefined ? final : reasons[0];
  if (name === undefined) return null;
  return toExplainedRefusal(name) ?? { name: 'Failed', requestId: null };
}

function toExplainedRefusal(errorName: string): Refusal | null {
  const name = EXPLAINED_NAMES.find((explainedName) => explainedName === errorName);
  return name === undefined ? null : { name, requestId: null };
}
