import { BadgeApiError, type BadgeClient } from '@badge/sdk';
import { readClaimer } from '../../token/ownership.ts';
import type { InstalledWallet, WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { findLastWallet, rememberWallet } from '../../wallet/last-wallet.ts';
import {
  chooseAccounts,
  connectWallet,
  listConnectedAccounts,
  readActiveChain,
  signClaim,
  switchChain,
  watchWallet,
} from '../../wallet/wallet-calls.ts';
import { toWalletError, WalletError } from '../../wallet/wallet-error.ts';
import { createClaimRequests } from './claim-requests.ts';
import {
  type Account,
  type ClaimCode,
  type ClaimEvent,
  type ClaimState,
  needsSignature,
  type Step,
} from './claim-state.ts';
import { pause } from './keep-trying.ts';
import { reduceClaim, startClaim } from './reduce-claim.ts';
import { type Refusal, toRefusal } from './refusal.ts';
import { openStoredClaims, type StoredClaim } from './stored-claims.ts';

/** A claim on one page: its state, and what the person does. */
export interface ClaimFlow {
  getState(): ClaimState;
  /** Calls `listener` when the state has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
  /** Starts to read the token, and to listen to other tabs and to the wallet. Returns a function that ends all of it. */
  start(): () => void;
  send(event: ClaimEvent): void;
  /** The person agrees to what the step `review` shows: asks for the signature, or claims with the code. */
  confirm(): void;
  /** Ends the pause before the next attempt of a request. */
  retryNow(): void;
}

export interface ClaimFlowOptions {
  /** Must not retry requests itself, so that the page can say why it waits. */
  client: BadgeClient;
  wallets: WalletDiscovery;
  page: Window;
  tokenId: number;
  /** The code of the link; `invalid` if it cannot be a code. */
  linkCode: string | null | 'invalid';
  /** Whether the person has typed the code. */
  isCodeTyped: boolean;
}

/** How often the page reads again how many badges are left. Many people can share one rate limit. */
const REFRESH_MS = 60_000;

export function createClaimFlow(options: ClaimFlowOptions): ClaimFlow {
  const { client, wallets, page, tokenId, linkCode, isCodeTyped } = options;
  const claimCode = linkCode === 'invalid' ? null : linkCode;
  const stored = openStoredClaims(page, { tokenId, claimCode });
  const listeners = new Set<() => void>();
  /** Fires `online` and `retry`, which end the pause before the next attempt of a request. */
  const wakeUps = new EventTarget();
  const requests = createClaimRequests({
    client,
    tokenId,
    claimCode,
    wakeUps,
    isOnline: () => page.navigator.onLine,
    onProblem: (problem) => send({ type: 'problemChanged', problem }),
  });
  let state = startClaim(toClaimCode(linkCode), stored.find());
  /** Aborts the calls of the current step. */
  let stepController = new AbortController();
  let stopWatchingWallet = () => {};
  let isRunning = false;

  function send(event: ClaimEvent): void {
    const before = state;
    state = reduceClaim(state, event);
    if (state === before) return;
    if (isRunning && state.step !== before.step) enterStep();
    for (const listener of listeners) listener();
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    send,
    confirm,
    retryNow: () => wakeUps.dispatchEvent(new Event('retry')),
  };

  function start(): () => void {
    const controller = new AbortController();
    const { signal } = controller;
    isRunning = true;
    page.addEventListener('online', () => wakeUps.dispatchEvent(new Event('online')), { signal });
    const unsubscribe = stored.subscribe(continueFromOtherTab);
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

  async function loadToken(signal: AbortSignal): Promise<void> {
    try {
      send({ type: 'tokenRead', ...(await requests.readToken(signal)) });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof BadgeApiError && error.name === 'TokenNotFound') send({ type: 'tokenMissing' });
      else send({ type: 'loadFailed', refusal: toRefusal(error) });
    }
  }

  /** Asks the wallet of the last visit whether it still gives its accounts to this page. The person is asked nothing. */
  async function readLastAccount(signal: AbortSignal): Promise<void> {
    const wallet = findLastWallet(wallets);
    const account = wallet === null ? null : await findConnectedAccount(wallet);
    if (!signal.aborted) send({ type: 'lastAccountRead', account });
  }

  async function findConnectedAccount({ provider, walletId }: InstalledWallet): Promise<Account | null> {
    const [address] = await listConnectedAccounts(provider);
    return address === undefined ? null : { address, walletId };
  }

  async function checkCode(code: string, signal: AbortSignal): Promise<void> {
    let refusal: Refusal | null = await requests.checkCode(code, signal).catch(toRefusal);
    if (isCodeTyped && refusal?.name === 'ClaimCodeInvalid')
      refusal = { ...refusal, name: 'TypedCodeInvalid' };
    if (!signal.aborted) send({ type: 'codeChecked', refusal });
  }

  /** Reads the token again about once a minute, so that the page shows how many badges are left. */
  async function refreshCount(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Pages that were opened together must not read together.
      await pause(REFRESH_MS * (0.8 + Math.random() * 0.4), signal).catch(() => {});
      if (signal.aborted || !isCountNeeded()) continue;
      await client.getToken({ tokenId }, { signal }).then(
        (read) => send({ type: 'tokenRead', token: read, isExpired: state.isExpired }),
        () => {
          // The next attempt is a minute later. A claim itself says what is wrong.
        },
      );
    }
  }

  /** Whether the person sees the page, and still has to decide whether to claim. */
  function isCountNeeded(): boolean {
    const { token, step } = state;
    const hasCount = token !== null && token.claimabilityAttributes.remainingClaimCount !== null;
    const isDeciding = step.name === 'choose' || step.name === 'review';
    return hasCount && isDeciding && page.document.visibilityState === 'visible';
  }

  /** Another tab has begun to claim with the same link. */
  function continueFromOtherTab(claim: StoredClaim): void {
    const account = 'account' in state.step ? state.step.account : null;
    const isSameAddress = account?.address.toLowerCase() === claim.address.toLowerCase();
    if (claimCode !== null || isSameAddress) send({ type: 'claimBegun', claim });
  }

  /** Starts the calls of the current step, and aborts those of the previous one. */
  function enterStep(): void {
    stepController.abort();
    stepController = new AbortController();
    const { signal } = stepController;
    const { step } = state;
    watchAccount(step);
    void runStep(step, signal).catch((error) => {
      if (!signal.aborted) send({ type: 'refused', refusal: toRefusal(error) });
    });
  }

  async function runStep(step: Step, signal: AbortSignal): Promise<void> {
    switch (step.name) {
      case 'loading':
        if (state.code.status === 'checking') await checkCode(state.code.code, signal);
        return;
      case 'connecting':
        return await connect(step, signal);
      case 'checking':
        return await checkAccount(step.account, signal);
      case 'signing':
        return await sign(step.account, signal);
      case 'switching':
        return await switchToServiceChain(step.account, signal);
      case 'claiming':
        return await claim(step.claim, signal);
    }
  }

  async function connect(
    { walletId, isChoosingAccount }: Extract<Step, { name: 'connecting' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { provider } = requireWallet(walletId);
    const [address] = await (isChoosingAccount ? chooseAccounts(provider) : connectWallet(provider));
    if (signal.aborted || address === undefined) return;
    rememberWallet(walletId);
    send({ type: 'accountGiven', account: { address, walletId } });
  }

  async function checkAccount({ address, walletId }: Account, signal: AbortSignal): Promise<void> {
    const [refusal] = await Promise.all([
      needsCheck(address) ? requests.checkAddress(address, signal) : null,
      needsSignature(state) ? readChains(walletId, signal) : null,
    ]);
    if (refusal?.name === 'ClaimingAddressAlreadyHasToken') await showEarlierClaim(address, signal);
    else if (!signal.aborted) send({ type: 'accountChecked', refusal });
  }

  /**
   * Whether the service checks the address before the claim. With a code, it would only find out whether the address has
   * the badge already. Because many people share one rate limit, it is then asked only about the address for which this
   * browser has claimed the badge.
   */
  function needsCheck(address: string): boolean {
    return claimCode === null || readClaimer(tokenId)?.toLowerCase() === address.toLowerCase();
  }

  /** Reads which chain signatures are for, and which one the wallet is on. */
  async function readChains(walletId: string | null, signal: AbortSignal): Promise<void> {
    send({ type: 'environmentRead', environment: await requests.readEnvironment(signal) });
    const chainId = await readActiveChain(requireWallet(walletId).provider);
    if (!signal.aborted) send({ type: 'chainRead', chainId });
  }

  async function sign({ address, walletId }: Account, signal: AbortSignal): Promise<void> {
    const { provider } = requireWallet(walletId);
    try {
      const signature = await signClaim(client, provider, { tokenId, address });
      if (!signal.aborted) beginClaim(address, signature);
    } catch (error) {
      if (toWalletError(error).name === 'WrongChain') await readChains(walletId, signal);
      throw error;
    }
  }

  async function switchToServiceChain({ walletId }: Account, signal: AbortSignal): Promise<void> {
    const { chainId } = (await requests.readEnvironment(signal)).eip712.domain;
    await switchChain(requireWallet(walletId).provider, chainId);
    if (!signal.aborted) send({ type: 'chainRead', chainId });
  }

  function confirm(): void {
    const { step } = state;
    if (step.name !== 'review') return;
    if (needsSignature(state)) send({ type: 'confirmed' });
    else beginClaim(step.account.address, null);
  }

  function beginClaim(address: string, signature: string | null): void {
    // Another tab may have begun this claim. A code can be used only once, so each claim with it is the same.
    const begun = stored.find();
    const isSameClaim = begun !== null && (claimCode !== null || begun.address === address);
    const claim = isSameClaim
      ? begun
      : {
          address,
          signature,
          idempotencyKey: makeIdempotencyKey(),
          operationId: null,
          beganAtTimestamp: Date.now(),
          isDone: false,
        };
    // Stored before it is sent, so that a reload sends it again with the same key.
    stored.save(claim);
    send({ type: 'claimBegun', claim });
  }

  async function claim(begun: StoredClaim, signal: AbortSignal): Promise<void> {
    const { address } = begun;
    try {
      const operationId = begun.operationId ?? (await requests.sendClaim(begun, signal));
      const accepted = { ...begun, operationId };
      stored.save(accepted);
      await requests.waitForOperation(operationId, signal);
      stored.save({ ...accepted, signature: null, isDone: true });
      send({ type: 'claimed', address, isNew: true, isCodeUnused: false });
    } catch (error) {
      if (signal.aborted) return;
      stored.remove();
      if (!(await hasClaimed(error, address, signal))) throw error;
      await showEarlierClaim(address, signal);
    }
  }

  /** Shows the badge that the address already has, and whether somebody else can use the code of the link. */
  async function showEarlierClaim(address: string, signal: AbortSignal): Promise<void> {
    const isCodeUnused = claimCode !== null && (await requests.checkCode(claimCode, signal)) === null;
    if (!signal.aborted) send({ type: 'claimed', address, isNew: false, isCodeUnused });
  }

  /**
   * Whether a claim failed because the address has the badge. It may have been claimed by a request whose response was
   * lost, by another tab, or long ago.
   */
  async function hasClaimed(error: unknown, address: string, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof BadgeApiError)) return false;
    if (error.name === 'ClaimingAddressAlreadyHasToken') return true;
    // That claim may also be why no badge is left or why the code was used.
    if (error.status !== 409) return false;
    const refusal = await requests.checkAddress(address, signal);
    return refusal?.name === 'ClaimingAddressAlreadyHasToken';
  }

  function watchAccount(step: Step): void {
    stopWatchingWallet();
    stopWatchingWallet = () => {};
    const walletId = 'account' in step ? step.account?.walletId : undefined;
    const wallet = wallets.find(walletId ?? null);
    if (wallet === null) return;
    stopWatchingWallet = watchWallet(wallet.provider, (change) => {
      if ('accounts' in change) send({ type: 'accountSwitched', address: change.accounts[0] ?? null });
      else send({ type: 'chainRead', chainId: change.chainId });
    });
  }

  function requireWallet(walletId: string | null): InstalledWallet {
    const wallet = wallets.find(walletId);
    if (wallet === null) throw new WalletError('Disconnected');
    return wallet;
  }
}

function toClaimCode(linkCode: string | null | 'invalid'): ClaimCode {
  if (linkCode === null) return { status: 'none' };
  if (linkCode === 'invalid') return { status: 'refused', refusal: { name: 'Incomplete', requestId: null } };
  return { status: 'checking', code: linkCode };
}

// Not crypto.randomUUID(), which browsers have only on https pages.
function makeIdempotencyKey(): string {
  return `claim-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
