import type { Environment, Token } from '@badge/sdk';
import type { StoredClaim } from './claim-store.ts';
import type { ConnectionProblem } from './keep-trying.ts';
import type { Refusal, TimeRefusal } from './refusal.ts';

/** The account that the badge goes to. */
export interface Account {
  address: string;
  /**
   * The wallet that has the account. Null if the person has entered the address, or if the wallet is not
   * known.
   */
  walletId: string | null;
}

/** The code of the claim link, and whether the service accepts it. */
export type ClaimCode =
  | { status: 'none' }
  /**
   * `isSignatureRequired`: a claim with the code for a wallet needs a signature. `isWalletRequired`: nobody
   * can claim with an e-mail. Known once the code is valid.
   */
  | { status: 'checking' | 'valid'; code: string; isSignatureRequired?: boolean; isWalletRequired?: boolean }
  | { status: 'refused'; refusal: Refusal };

/**
 * What the page shows now. The steps `loading`, `verifying`, `connecting`, `checking`, `signing`, `switching`
 * and `claiming` wait for the service or for the wallet.
 */
export type Step =
  | { name: 'loading' }
  /** This browser has claimed the badge before. The service is asked whether the address still has it. */
  | { name: 'verifying'; address: string; isKept: boolean }
  /** There is no token with this id. */
  | { name: 'missing' }
  /**
   * The person chooses a wallet, types an address or enters a code. `refusal`: why the wallet was not
   * connected.
   */
  | { name: 'choose'; refusal: Refusal | null }
  | { name: 'connecting'; walletId: string; isChoosingAccount: boolean }
  /**
   * The service is asked whether the account can claim. If a signature is needed, the wallet is asked for its
   * chain.
   */
  | { name: 'checking'; account: Account }
  /** The person reads what happens next, and confirms it. `refusal`: why the previous attempt failed. */
  | { name: 'review'; account: Account; refusal: Refusal | null }
  | { name: 'signing'; account: Account }
  /** The wallet is asked to switch to the chain of the service. It signs afterwards. */
  | { name: 'switching'; account: Account }
  | { name: 'claiming'; claim: StoredClaim }
  /**
   * `isKept`: with an e-mail. `isNew`: claimed just now, on this page. `isCodeUnused`: somebody else can use
   * the code of the link.
   */
  | { name: 'done'; address: string; isKept: boolean; isNew: boolean; isCodeUnused: boolean }
  | { name: 'refused'; refusal: Refusal; account: Account | null };

export interface ClaimState {
  /** Null while it is read. */
  token: Token | null;
  /** Null until a signature is needed. */
  environment: Environment | null;
  /** The chain that the wallet is on. Null if it is not known. */
  activeChainId: number | null;
  /**
   * The account that the wallet of the last visit gives to this page. Null if there is none, or if it has
   * been used. Undefined while the wallet is asked.
   */
  lastAccount: Account | null | undefined;
  /** Why nobody can claim at this time; null if this is no reason. */
  timeRefusal: TimeRefusal | null;
  code: ClaimCode;
  /** Why the current request is repeated; null if it is not. */
  problem: ConnectionProblem | null;
  step: Step;
}

export type ClaimEvent =
  | { type: 'tokenRead'; token: Token; timeRefusal: TimeRefusal | null }
  | { type: 'tokenMissing' }
  | { type: 'environmentRead'; environment: Environment }
  | { type: 'loadFailed'; refusal: Refusal }
  | { type: 'lastAccountRead'; account: Account | null }
  | { type: 'problemChanged'; problem: ConnectionProblem | null }
  /** `refusal`: why a claim with the code would fail; null if it would succeed. */
  | {
      type: 'codeChecked';
      refusal: Refusal | null;
      isSignatureRequired?: boolean;
      isWalletRequired?: boolean;
    }
  | { type: 'walletChosen'; walletId: string }
  /** The person wants to choose another account of the same wallet. */
  | { type: 'accountChangeAsked' }
  | { type: 'accountGiven'; account: Account }
  /**
   * The wallet reports other accounts. `address`: null if the wallet no longer gives this page an account.
   */
  | { type: 'accountSwitched'; address: string | null }
  /** `refusal`: why the account cannot claim; null if it can. */
  | { type: 'accountChecked'; refusal: Refusal | null }
  | { type: 'chainRead'; chainId: number | null }
  /** The person agrees to sign. */
  | { type: 'confirmed' }
  /** A claim begins on this page, or another tab begins, continues or finishes it. */
  | { type: 'claimStored'; claim: StoredClaim }
  /** The claim has succeeded, or the address already has the badge. */
  | { type: 'claimed'; address: string; isKept: boolean; isNew: boolean; isCodeUnused: boolean }
  /** The service or the wallet has refused what the current step asked for. */
  | { type: 'refused'; refusal: Refusal }
  /** The person goes back, or stops waiting for the wallet. */
  | { type: 'wentBack' };

/** Whether a claim on this page needs the signature of a wallet. Without a code it always does. */
export function needsSignature({ code, token }: ClaimState): boolean {
  if (code.status !== 'valid' || code.isSignatureRequired === true) return true;
  return token === null || token.claimabilityAttributes.isSignatureRequired;
}

/**
 * Whether only a wallet can claim on this page, because the community wants the signature of each owner: for
 * the badge, or for the code of the link.
 */
export function isWalletNeeded({ code, token }: ClaimState): boolean {
  const isNeededByCode = code.status === 'valid' && code.isWalletRequired === true;
  return isNeededByCode || token?.claimabilityAttributes.isSignatureRequired === true;
}

/** Whether a person who has no code yet could claim with a code instead of a signature. */
export function mayCodeReplaceSignature({ code, token }: ClaimState): boolean {
  return code.status === 'none' && token?.claimabilityAttributes.isSignatureRequired === false;
}

/**
 * Whether a code can help a person to claim. A code replaces the entry on the list of an allowlisted token.
 * It replaces the signature if the token does not require one.
 */
export function mayCodeHelp({ token }: ClaimState): boolean {
  if (token === null) return false;
  const { isAllowlistRequired, isSignatureRequired } = token.claimabilityAttributes;
  return isAllowlistRequired || !isSignatureRequired;
}

/** Whether the wallet cannot sign now, because it is on another chain than the service. */
export function isOnWrongChain({ environment, activeChainId }: ClaimState): boolean {
  return (
    environment !== null && activeChainId !== null && activeChainId !== environment.eip712.domain.chainId
  );
}
