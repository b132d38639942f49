import type { Token } from '@badge/sdk';
import {
  type ClaimCode,
  type ClaimEvent,
  type ClaimState,
  isOnWrongChain,
  needsSignature,
  type Step,
} from './claim-state.ts';
import type { StoredClaim } from './claim-store.ts';
import type { Refusal } from './refusal.ts';

/** Returns the first state of the page. `claim`: the claim that this browser has begun before, or null. */
export function startClaim(code: ClaimCode, claim: StoredClaim | null): ClaimState {
  return {
    token: null,
    environment: null,
    activeChainId: null,
    lastAccount: undefined,
    timeRefusal: null,
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
      return enterIfLoaded({ ...state, token: event.token, timeRefusal: event.timeRefusal });
    case 'tokenMissing':
      return goTo(state, { name: 'missing' });
    case 'environmentRead':
      return { ...state, environment: event.environment };
    case 'loadFailed':
      return goTo(state, { name: 'refused', refusal: event.refusal, account: null });
    case 'lastAccountRead':
      return enterIfLoaded({ ...state, lastAccount: event.account });
    case 'problemChanged':
      return state.problem === event.problem ? state : { ...state, problem: event.problem };

    case 'codeChecked':
      if (state.code.status !== 'checking') return state;
      return enterIfLoaded({
        ...state,
        code:
          event.refusal === null
            ? {
                status: 'valid',
                code: state.code.code,
                isSignatureRequired: event.isSignatureRequired ?? false,
                isWalletRequired: event.isWalletRequired ?? false,
              }
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
      return goTo(state, { name: 'checking', account: event.account });
    case 'accountSwitched': {
      const account = 'account' in step ? step.account : null;
      // While the wallet shows a dialog, the result of the dialog decides.
      const hasDialog = step.name === 'signing' || step.name === 'switching';
      if (account === null || account.walletId === null || hasDialog) return state;
      if (event.address === null) return goTo(state, { name: 'choose', refusal: null });
      if (event.address.toLowerCase() === account.address.toLowerCase()) return state;
      return goTo(state, { name: 'checking', account: { ...account, address: event.address } });
    }
    case 'accountChecked': {
      if (step.name !== 'checking') return state;
      const { account } = step;
      return event.refusal === null
        ? goTo(state, { name: 'review', account, refusal: null })
        : goTo(state, { name: 'refused', refusal: event.refusal, account });
    }
    case 'chainRead':
      return changeChain(state, event.chainId);

    case 'confirmed':
      if (step.name !== 'review' || !needsSignature(state)) return state;
      return goTo(state, {
        name: isOnWrongChain(state) ? 'switching' : 'signing',
        account: step.account,
      });
    case 'claimStored':
      if (step.name === 'claiming' || step.name === 'verifying' || step.name === 'done') return state;
      return goTo(state, toClaimStep(event.claim));
    case 'claimed':
      if (step.name !== 'claiming' && step.name !== 'verifying' && step.name !== 'checking') return state;
      return goTo(event.isNew ? countClaim(state) : state, {
        name: 'done',
        address: event.address,
        isKept: event.isKept,
        isNew: event.isNew,
        isCodeUnused: event.isCodeUnused,
      });
    case 'refused':
      return refuse(state, event.refusal);
    case 'wentBack':
      return goBack(state);
  }
}

function goTo(state: ClaimState, step: Step): ClaimState {
  return { ...state, step, problem: null };
}

function toClaimStep(claim: StoredClaim): Step {
  const { address, isKept } = claim;
  if (claim.isDone && address !== null) return { name: 'verifying', address, isKept };
  return { name: 'claiming', claim };
}

/**
 * Leaves the step `loading` when the token, the check of the code and the account of the last visit are
 * known. If nobody can claim on this page, it shows a refusal in the steps `loading` and `choose`, as soon as
 * the token and the check of the code are known.
 *
 * It waits for the account because a known account skips the step `choose`. Otherwise the buttons of this
 * step would disappear while a person presses one.
 */
function enterIfLoaded(state: ClaimState): ClaimState {
  const { token, code, lastAccount, step } = state;
  if (token === null || code.status === 'checking') return state;
  if (step.name !== 'loading' && step.name !== 'choose') return state;
  const refusal = findRefusalForAll(state, token);
  if (refusal !== null) return goTo(state, { name: 'refused', refusal, account: null });
  if (step.name === 'choose' || lastAccount === undefined) return state;
  if (lastAccount === null) return goTo(state, { name: 'choose', refusal: null });
  // The account is used only once, because a person who goes back wants to choose.
  return goTo({ ...state, lastAccount: null }, { name: 'checking', account: lastAccount });
}

/** Returns why nobody can claim on this page, or null. */
function findRefusalForAll({ code, timeRefusal }: ClaimState, token: Token): Refusal | null {
  if (code.status === 'refused') return code.refusal;
  // The service has just checked the code and the token.
  if (code.status === 'valid') return null;
  if (timeRefusal !== null) return { name: timeRefusal, requestId: null };
  const isGone = token.claimabilityAttributes.remainingClaimCount === 0;
  return isGone ? { name: 'NoTokensLeft', requestId: null } : null;
}

function changeChain(before: ClaimState, activeChainId: number | null): ClaimState {
  const state = { ...before, activeChainId };
  const { step } = state;
  const hasReachedRightChain = isOnWrongChain(before) && !isOnWrongChain(state);
  if (!hasReachedRightChain) return state;
  if (step.name === 'switching') return goTo(state, { name: 'signing', account: step.account });
  // The previous attempt failed because of the chain, so its refusal no longer applies.
  return step.name === 'review' ? goTo(state, { ...step, refusal: null }) : state;
}

function refuse(state: ClaimState, refusal: Refusal): ClaimState {
  const { step } = state;
  switch (step.name) {
    case 'connecting':
      return goTo(state, { name: 'choose', refusal });
    case 'checking':
      return goTo(state, { name: 'refused', refusal, account: step.account });
    case 'signing':
      // Another attempt can succeed, except with a smart contract or a wallet that cannot sign typed data.
      return refusal.name === 'ContractWallet' || refusal.name === 'Unsupported'
        ? goTo(state, { name: 'refused', refusal, account: step.account })
        : goTo(state, { name: 'review', account: step.account, refusal });
    case 'switching':
      return goTo(state, { name: 'review', account: step.account, refusal });
    case 'verifying':
      return goTo(state, { name: 'refused', refusal, account: { address: step.address, walletId: null } });
    case 'claiming': {
      if (refusal.name === 'SignedOut') return goTo(state, { name: 'choose', refusal });
      const { address } = step.claim;
      // A `StoredClaim` does not contain the wallet.
      return goTo(state, {
        name: 'refused',
        refusal,
        account: address === null ? null : { address, walletId: null },
      });
    }
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
    case 'done':
      return goTo(state, { name: 'choose', refusal: null });
    case 'refused':
      return enterIfLoaded(goTo({ ...state, code: checkAgain(state.code) }, { name: 'loading' }));
    default:
      return state;
  }
}

/** After a refusal, a code that was valid may have been used, so it must be checked again. */
function checkAgain(code: ClaimCode): ClaimCode {
  return code.status === 'valid' ? { ...code, status: 'checking' } : code;
}

/** Subtracts one from the number of badges that are left, so that the page need not read the token again. */
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
