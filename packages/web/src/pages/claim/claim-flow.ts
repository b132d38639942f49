import { BadgeApiError, type BadgeClient } from '@badge/sdk';
import type { WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { findLastWallet } from '../../wallet/last-wallet.ts';
import { listConnectedAccounts, watchWallet } from '../../wallet/wallet-calls.ts';
import { createClaimRequests } from './claim-requests.ts';
import {
  type Account,
  type ClaimCode,
  type ClaimEvent,
  type ClaimState,
  needsSignature,
} from './claim-state.ts';
import { createClaimSteps } from './claim-steps.ts';
import { openClaimStore, type StoredClaim } from './claim-store.ts';
import { pause } from './keep-trying.ts';
import { reduceClaim, startClaim } from './reduce-claim.ts';
import { toRefusal } from './refusal.ts';

/** A claim on one page: its state, and what the person does. */
export interface ClaimFlow {
  getState(): ClaimState;
  /** Calls `listener` when the state has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
  /**
   * Makes the calls of the current step, reads the token and the last account, and listens to other tabs and
   * to the wallet. Returns a function that ends all of it.
   */
  start(): () => void;
  send(event: ClaimEvent): void;
  /**
   * Call it when the person agrees to what the step `review` shows. It asks the wallet for the signature, or
   * sends the claim if no signature is needed. A wallet on another chain than the service is asked to switch
   * first.
   */
  confirm(): void;
  /** Claims with the e-mail of who has signed in. */
  claimWithEmail(): void;
  /** Ends the pause before the next attempt of a request. */
  retryNow(): void;
}

export interface ClaimFlowOptions {
  /** Must not retry requests itself, so that the page can say why it waits. */
  client: BadgeClient;
  /** The same with the session of who has signed in. Throws a `SignedOutError` if nobody has. */
  openPersonClient(): BadgeClient;
  wallets: WalletDiscovery;
  page: Window;
  tokenId: number;
  /**
   * The code in the fragment of the URL; null if there is no fragment, `invalid` if the fragment cannot be a
   * code.
   */
  codeInUrl: string | null | 'invalid';
  /** Whether the person has typed this code, instead of opening a claim link. */
  isCodeTyped: boolean;
}

/**
 * How often the page reads the number of badges that are left. Seldom, because many people can share one rate
 * limit.
 */
const REFRESH_MS = 60_000;

export function createClaimFlow(options: ClaimFlowOptions): ClaimFlow {
  const { client, openPersonClient, wallets, page, tokenId, codeInUrl, isCodeTyped } = options;
  const claimCode = codeInUrl === 'invalid' ? null : codeInUrl;
  const store = openClaimStore(page, { tokenId, claimCode });
  const listeners = new Set<() => void>();
  /** Fires `online` and `retry`, which end the pause before the next attempt of a request. */
  const wakeUps = new EventTarget();
  const requests = createClaimRequests({
    client,
    openPersonClient,
    tokenId,
    claimCode,
    wakeUps,
    isOnline: () => page.navigator.onLine,
    onProblem: (problem) => send({ type: 'problemChanged', problem }),
  });
  const steps = createClaimSteps({
    client,
    requests,
    wallets,
    store,
    tokenId,
    claimCode,
    isCodeTyped,
    getState: () => state,
    send,
  });
  let state = startClaim(toClaimCode(codeInUrl), store.find());
  /** Aborts the calls of the current step. */
  let stepController = new AbortController();
  let stopWatchingWallet = () => {};
  let isRunning = false;

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    send,
    confirm,
    claimWithEmail: steps.beginClaimWithEmail,
    retryNow: () => wakeUps.dispatchEvent(new Event('retry')),
  };

  function start(): () => void {
    const controller = new AbortController();
    const { signal } = controller;
    isRunning = true;
    page.addEventListener('online', () => wakeUps.dispatchEvent(new Event('online')), { signal });
    const unsubscribe = store.subscribe(continueFromOtherTab);
    void loadToken(signal);
    void readLastAccount(signal);
    void refreshCount(signal);
    enterStep();
    return () => {
      isRunning = false;
      controller.abort();
      stepController.abort();
      unsubscribe();
      stopWatchingWallet();
    };
  }

  function send(event: ClaimEvent): void {
    const before = state;
    state = reduceClaim(state, event);
    if (state === before) return;
    if (isRunning && state.step !== before.step) enterStep();
    for (const listener of listeners) listener();
  }

  /** Starts the calls of the current step, and aborts those of the previous one. */
  function enterStep(): void {
    stepController.abort();
    stepController = new AbortController();
    const { signal } = stepController;
    watchWalletOfStep();
    void steps.run(state.step, signal).catch((error) => {
      if (!signal.aborted) send({ type: 'refused', refusal: toRefusal(error) });
    });
  }

  function confirm(): void {
    const { step } = state;
    if (step.name !== 'review') return;
    if (needsSignature(state)) send({ type: 'confirmed' });
    else steps.beginClaim(step.account.address, null);
  }

  /** Listens to the wallet of the step's account, if it has one. */
  function watchWalletOfStep(): void {
    stopWatchingWallet();
    stopWatchingWallet = () => {};
    const { step } = state;
    const walletId = 'account' in step ? step.account?.walletId : undefined;
    const wallet = wallets.find(walletId ?? null);
    if (wallet === null) return;
    stopWatchingWallet = watchWallet(wallet.provider, (change) => {
      if ('accounts' in change) send({ type: 'accountSwitched', address: change.accounts[0] ?? null });
      else send({ type: 'chainRead', chainId: change.chainId });
    });
  }

  async function loadToken(signal: AbortSignal): Promise<void> {
    try {
      send({ type: 'tokenRead', ...(await requests.readToken(signal)) });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof BadgeApiError && error.name === 'TokenNotFound') send({ type: 'tokenMissing' });
      else send({ type: 'loadFailed', refusal: toRefusal(error) });
    }
  }

  async function readLastAccount(signal: AbortSignal): Promise<void> {
    const account = await findLastAccount();
    if (!signal.aborted) send({ type: 'lastAccountRead', account });
  }

  /**
   * Returns the account that the wallet of the last visit still gives to this page. The person is asked
   * nothing.
   */
  async function findLastAccount(): Promise<Account | null> {
    const wallet = findLastWallet(wallets);
    if (wallet === null) return null;
    const [address] = await listConnectedAccounts(wallet.provider);
    return address === undefined ? null : { address, walletId: wallet.walletId };
  }

  /** Reads the token again about once a minute, so that the page shows how many badges are left. */
  async function refreshCount(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Pages that were opened together must not read together.
      await pause(REFRESH_MS * (0.8 + Math.random() * 0.4), signal).catch(() => {});
      if (signal.aborted || !isCountNeeded()) continue;
      await client.getToken({ tokenId }, { signal }).then(
        (token) => send({ type: 'tokenRead', token, timeRefusal: state.timeRefusal }),
        () => {
          // The next attempt is about a minute later. If the person claims, the page shows what is wrong.
        },
      );
    }
  }

  /** Whether the token has a count, and the person sees the page and still has to decide whether to claim. */
  function isCountNeeded(): boolean {
    const { token, step } = state;
    const hasCount = token !== null && token.claimabilityAttributes.remainingClaimCount !== null;
    const isDeciding = step.name === 'choose' || step.name === 'review';
    return hasCount && isDeciding && page.document.visibilityState === 'visible';
  }

  /**
   * Called when another tab stores a claim with the code of this page, or without a code if this page has
   * none.
   */
  function continueFromOtherTab(claim: StoredClaim): void {
    const account = 'account' in state.step ? state.step.account : null;
    const isSameAddress =
      claim.address !== null && account?.address.toLowerCase() === claim.address.toLowerCase();
    // Without a code, a claim for another address is another claim.
    if (claimCode !== null || isSameAddress) send({ type: 'claimStored', claim });
  }
}

function toClaimCode(codeInUrl: string | null | 'invalid'): ClaimCode {
  if (codeInUrl === null) return { status: 'none' };
  if (codeInUrl === 'invalid') return { status: 'refused', refusal: { name: 'Incomplete', requestId: null } };
  return { status: 'checking', code: codeInUrl };
}
