import type { Environment, Token } from '@badge/sdk';
import type { ConnectionProblem } from './keep-trying.ts';
import type { Refusal } from './refusal.ts';
import type { StoredClaim } from './stored-claims.ts';

/** The account that the badge goes to. */
export interface Account {
  address: string;
  /** The wallet that has the account; null if the person has typed the address. */
  walletId: string | null;
}

export type ClaimCode =
  | { status: 'none' }
  | { status: 'checking' | 'valid'; code: string }
  | { status: 'refused'; refusal: Refusal };

/** Where the person is. The steps whose name ends in -ing wait for the service or for the wallet. */
export type Step =
  | { name: 'loading' }
  /** There is no token with this id. */
  | { name: 'missing' }
  /** Choose a wallet, type an address or enter a code. `refusal`: why the wallet was not connected. */
  | { name: 'choose'; refusal: Refusal | null }
  | { name: 'connecting'; walletId: string; isChoosingAccount: boolean }
  /** The service is asked whether the account can claim. */
  | { name: 'checking'; account: Account }
  /** The person reads what happens next, and confirms it. `refusal`: why the previous attempt failed. */
  | { name: 'review'; account: Account; refusal: Refusal | null }
  | { name: 'signing'; account: Account }
  /** The wallet is on another chain. `refusal`: why it did not switch. */
  | { name: 'wrongChain'; account: Account; refusal: Refusal | null }
  | { name: 'switching'; account: Account }
  | { name: 'claiming'; claim: StoredClaim }
  | { name: 'done'; address: string; isNew: boolean }
  | { name: 'refused'; refusal: Refusal; account: Account | null };

export interface ClaimState {
  /** Null while it is read. */
  token: Token | null;
  /** Null until a signature is needed. */
  environment: Environment | null;
  isExpired: boolean;
  code: ClaimCode;
  /** Why the service has not responded yet; null if it has. */
  problem: ConnectionProblem | null;
  step: Step;
}

export type ClaimEvent =
  | { type: 'tokenRead'; token: Token; isExpired: boolean }
  | { type: 'tokenMissing' }
  | { type: 'environmentRead'; environment: Environment }
  | { type: 'loadFailed'; refusal: Refusal }
  | { type: 'problemChanged'; problem: ConnectionProblem | null }
  /** `refusal`: why a claim with the code would fail; null if it would succeed. */
  | { type: 'codeChecked'; refusal: Refusal | null }
  | { type: 'walletChosen'; walletId: string }
  /** Choose another account of the same wallet. */
  | { type: 'accountChangeAsked' }
  | { type: 'accountGiven'; account: Account }
  /** The wallet reports other accounts; null if it gives none to this page any more. */
  | { type: 'accountSwitched'; address: string | null }
  | { type: 'eligibilityRead'; refusal: Refusal | null }
  | { type: 'confirmed' }
  | { type: 'chainFoundWrong' }
  | { type: 'chainSwitchAsked' }
  | { type: 'chainSwitched' }
  /** A claim begins, here or in another tab, or a reloaded page continues it. */
  | { type: 'claimBegun'; claim: StoredClaim }
  | { type: 'claimed'; address: string; isNew: boolean }
  /** The service or the wallet has refused what this step asked for. */
  | { type: 'refused'; refusal: Refusal }
  /** The person goes back, and no longer waits for the wallet. */
  | { type: 'wentBack' };

/** Returns the first state of the page. `claim`: what this browser has begun before. */
export function startClaim(code: ClaimCode, claim: StoredClaim | null): ClaimState {
  return {
    token: null,
    environment: null,
    isExpired: false,
    code,
    problem: null,
    step: claim === null ? { name: 'loading' } : toClaimStep(claim),
  };
}

/** Returns the next state. An event that does not belong to the current step changes nothing. */
export function reduceClaim(state: ClaimState, event: ClaimEvent): ClaimState {
  const { step } = state;
  switch (event.type) {
    case 'tokenRead':
      return enterIfLoaded({ ...state, token: event.token, isExpired: event.isExpired });
    case 'tokenMissing':
      return goTo(state, { name: 'missing' });
    case 'environmentRead':
      return { ...state, environment: event.environment };
    case 'loadFailed':
      return goTo(state, { name: 'refused', refusal: event.refusal, account: null });
    case 'problemChanged':
      return state.problem === event.problem ? state : { ...state, problem: event.problem };

    case 'codeChecked':
      if (state.code.status !== 'checking') return state;
      return enterIfLoaded({
        ...state,
        code:
          event.refusal === null
            ? { status: 'valid', code: state.code.code }
            : { status: 'refused', refusal: event.refusal },
      });

    case 'walletChosen':
      if (step.name !== 'choose') return state;
      return goTo(state, { name: 'connecting', walletId: event.walletId, isChoosingAccount: false });
    case 'accountChangeAsked': {
      const walletId = 'account' in step ? (step.account?.walletId ?? null) : null;
      if (walletId === null) return goTo(state, { name: 'choose', refusal: null });
      return goTo(state, { name: 'connecting', walletId, isChoosingAccount: true });
    }
    case 'accountGiven':
      if (step.name !== 'choose' && step.name !== 'connecting') return state;
      return takeAccount(state, event.account);
    case 'accountSwitched': {
      const account = 'account' in step ? step.account : null;
      const isWaiting = step.name === 'signing' || step.name === 'switching';
      if (account === null || account.walletId === null || isWaiting) return state;
      if (event.address === null) return goTo(state, { name: 'choose', refusal: null });
      if (event.address.toLowerCase() === account.address.toLowerCase()) return state;
      return takeAccount(state, { ...account, address: event.address });
    }
    case 'eligibilityRead': {
      if (step.name !== 'checking') return state;
      const { account } = step;
      if (event.refusal === null) return goTo(state, { name: 'review', account, refusal: null });
      if (event.refusal.name === 'ClaimingAddressAlreadyHasToken')
        return goTo(state, { name: 'done', address: account.address, isNew: false });
      return goTo(state, { name: 'refused', refusal: event.refusal, account });
    }

    case 'confirmed':
      if (step.name !== 'review' || !needsSignature(state)) return state;
      return goTo(state, { name: 'signing', account: step.account });
    case 'chainFoundWrong':
      if (step.name !== 'signing') return state;
      return goTo(state, { name: 'wrongChain', account: step.account, refusal: null });
    case 'chainSwitchAsked':
      if (step.name !== 'wrongChain') return state;
      return goTo(state, { name: 'switching', account: step.account });
    case 'chainSwitched':
      // The person has asked the page to switch in order to sign, or has switched in the wallet.
      if (step.name === 'switching') return goTo(state, { name: 'signing', account: step.account });
      if (step.name === 'wrongChain')
        return goTo(state, { name: 'review', account: step.account, refusal: null });
      return state;

    case 'claimBegun':
      if (step.name === 'claiming' || step.name === 'done') return state;
      return goTo(state, toClaimStep(event.claim));
    case 'claimed':
      if (step.name !== 'claiming') return state;
      return goTo(event.isNew ? countClaim(state) : state, {
        name: 'done',
        address: event.address,
        isNew: event.isNew,
      });
    case 'refused':
      return refuse(state, event.refusal);
    case 'wentBack':
      return goBack(state);
  }
}

/** Whether a claim on this page needs the signature of a wallet. Without a code it always does. */
export function needsSignature({ code, token }: ClaimState): boolean {
  return code.status !== 'valid' || token === null || token.claimabilityAttributes.isSignatureRequired;
}

function goTo(state: ClaimState, step: Step): ClaimState {
  return { ...state, step, problem: null };
}

function toClaimStep(claim: StoredClaim): Step {
  if (claim.isDone) return { name: 'done', address: claim.address, isNew: false };
  return { name: 'claiming', claim };
}

/** Leaves the step `loading` when the token and the code are known, and ends the page when nobody can claim any more. */
function enterIfLoaded(state: ClaimState): ClaimState {
  const { token, code, step } = state;
  if (token === null || code.status === 'checking') return state;
  if (step.name !== 'loading' && step.name !== 'choose') return state;
  const refusal = findRefusalForAll(state, token);
  if (refusal !== null) return goTo(state, { name: 'refused', refusal, account: null });
  return step.name === 'loading' ? goTo(state, { name: 'choose', refusal: null }) : state;
}

/** Returns why nobody can claim on this page, or null. */
function findRefusalForAll({ code, isExpired }: ClaimState, token: Token): Refusal | null {
  if (code.status === 'refused') return code.refusal;
  // The service has just checked the code and the token.
  if (code.status === 'valid') return null;
  if (isExpired) return { name: 'TokenClaimExpired', requestId: null };
  const isGone = token.claimabilityAttributes.remainingClaimCount === 0;
  return isGone ? { name: 'NoTokensLeft', requestId: null } : null;
}

function takeAccount(state: ClaimState, account: Account): ClaimState {
  // A code stands for the entry on the list, so only a claim without a code depends on the address.
  if (state.code.status === 'valid') return goTo(state, { name: 'review', account, refusal: null });
  return goTo(state, { name: 'checking', account });
}

function refuse(state: ClaimState, refusal: Refusal): ClaimState {
  const { step } = state;
  switch (step.name) {
    case 'connecting':
      return goTo(state, { name: 'choose', refusal });
    case 'checking':
      return goTo(state, { name: 'refused', refusal, account: step.account });
    case 'signing':
      // Another attempt can succeed, except with a smart contract.
      return refusal.name === 'ContractWallet'
        ? goTo(state, { name: 'refused', refusal, account: step.account })
        : goTo(state, { name: 'review', account: step.account, refusal });
    case 'switching':
      return goTo(state, { name: 'wrongChain', account: step.account, refusal });
    case 'claiming':
      return goTo(state, {
        name: 'refused',
        refusal,
        account: { address: step.claim.address, walletId: null },
      });
    default:
      return state;
  }
}

function goBack(state: ClaimState): ClaimState {
  const { step } = state;
  switch (step.name) {
    case 'signing':
    case 'switching':
      return goTo(state, { name: 'review', account: step.account, refusal: null });
    case 'connecting':
    case 'checking':
    case 'review':
    case 'wrongChain':
    case 'done':
      return goTo(state, { name: 'choose', refusal: null });
    case 'refused':
      return enterIfLoaded(goTo({ ...state, code: checkAgain(state.code) }, { name: 'loading' }));
    default:
      return state;
  }
}

function checkAgain(code: ClaimCode): ClaimCode {
  return code.status === 'valid' ? { ...code, status: 'checking' } : code;
}

/** One badge less is left. The page does not read the token again for this. */
function countClaim(state: ClaimState): ClaimState {
  const { token } = state;
  const remainingClaimCount = token?.claimabilityAttributes.remainingClaimCount;
  if (token === null || !remainingClaimCount) return state;
  const claimabilityAttributes = {
    ...token.claimabilityAttributes,
    remainingClaimCount: remainingClaimCount - 1,
  };
  return { ...state, token: { ...token, claimabilityAttributes } };
}
