import { BadgeApiError, type BadgeClient } from '@badge/sdk';
import type { InstalledWallet, WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { findLastWallet, rememberWallet } from '../../wallet/last-wallet.ts';
import {
  chooseAccounts,
  connectWallet,
  listConnectedAccounts,
  signClaim,
  switchChain,
  watchWallet,
} from '../../wallet/wallet-calls.ts';
import { toWalletError, WalletError } from '../../wallet/wallet-error.ts';
import {
  type Account,
  type ClaimCode,
  type ClaimEvent,
  type ClaimState,
  needsSignature,
  reduceClaim,
  type Step,
  startClaim,
} from './claim-state.ts';
import { keepTrying } from './keep-trying.ts';
import { findRefusal, toRefusal } from './refusal.ts';
import { openStoredClaims, type StoredClaim } from './stored-claims.ts';

/** A claim on one page: its state, and what the person does. */
export interface ClaimFlow {
  getState(): ClaimState;
  /** Calls `listener` when the state has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
  /** Begins to read and to listen. Returns a function that ends all of it. */
  start(): () => void;
  send(event: ClaimEvent): void;
  /** The person agrees to what the step `review` shows: asks for the signature, or claims with the code. */
  confirm(): void;
  /** Tries at once what waits for the service. */
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
}

/** Any address serves to ask whether claims have ended. */
const NO_ADDRESS = `0x${'0'.repeat(40)}`;
/** How often the remaining count is read again, while the page is visible. Many people can share one rate limit. */
const REFRESH_MS = 60_000;
const OPERATION_WAIT_SECONDS = 20;

export function createClaimFlow({ client, wallets, page, tokenId, linkCode }: ClaimFlowOptions): ClaimFlow {
  const claimCode = linkCode === 'invalid' ? null : linkCode;
  const stored = openStoredClaims(page, { tokenId, claimCode });
  const listeners = new Set<() => void>();
  /** Fires `online` and `retry`. */
  const wakeUps = new EventTarget();
  let state = startClaim(toClaimCode(linkCode), stored.find());
  /** Ends what the current step waits for. */
  let stepController = new AbortController();
  let endWatch = () => {};
  let isRunning = false;
  let hasTriedLastWallet = false;

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
    const endStored = stored.subscribe(continueFromOtherTab);
    const endWallets = wallets.subscribe(() => void returnToLastWallet(signal));
    void loadToken(signal);
    void refresh(signal);
    enterStep();
    return () => {
      isRunning = false;
      controller.abort();
      stepController.abort();
      endStored();
      endWallets();
      endWatch();
    };
  }

  function retry<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    return keepTrying(call, {
      signal,
      wakeUps,
      isOnline: () => page.navigator.onLine,
      onProblem: (problem) => send({ type: 'problemChanged', problem }),
    });
  }

  async function loadToken(signal: AbortSignal): Promise<void> {
    try {
      const token = await retry((one) => client.getToken({ tokenId }, { signal: one }), signal);
      const isExpired = claimCode === null && (await hasExpired(token.claimabilityAttributes, signal));
      send({ type: 'tokenRead', token, isExpired });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof BadgeApiError && error.name === 'TokenNotFound') send({ type: 'tokenMissing' });
      else send({ type: 'loadFailed', refusal: toRefusal(error) });
    }
  }

  /** The clock of this device may be wrong, so the service decides. */
  async function hasExpired(
    { expirationTimestamp }: { expirationTimestamp: number | null },
    signal: AbortSignal,
  ): Promise<boolean> {
    if (expirationTimestamp === null || expirationTimestamp > Date.now()) return false;
    const { reasons } = await retry(
      (one) => client.getEligibility({ tokenId, address: NO_ADDRESS }, { signal: one }),
      signal,
    );
    return reasons.includes('TokenClaimExpired');
  }

  async function checkCode(code: string, signal: AbortSignal): Promise<void> {
    try {
      const { reasons } = await retry(
        (one) => client.checkClaimCode({ tokenId, claimCode: code }, { signal: one }),
        signal,
      );
      send({ type: 'codeChecked', refusal: findRefusal(reasons) });
    } catch (error) {
      if (!signal.aborted) send({ type: 'codeChecked', refusal: toRefusal(error) });
    }
  }

  async function refresh(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Pages that were opened together must not read together.
      await pause(REFRESH_MS * (0.8 + Math.random() * 0.4), signal).catch(() => {});
      const { token, step } = state;
      const isCounted = token !== null && token.claimabilityAttributes.remainingClaimCount !== null;
      const isChoosing = step.name === 'choose' || step.name === 'review';
      if (signal.aborted || !isCounted || !isChoosing || page.document.visibilityState !== 'visible')
        continue;
      await client.getToken({ tokenId }, { signal }).then(
        (read) => send({ type: 'tokenRead', token: read, isExpired: state.isExpired }),
        () => {
          // The next attempt is a minute later. A claim itself says what is wrong.
        },
      );
    }
  }

  /** Another tab has begun to claim with the same link. */
  function continueFromOtherTab(claim: StoredClaim): void {
    const account = 'account' in state.step ? state.step.account : null;
    const isSameAddress = account?.address.toLowerCase() === claim.address.toLowerCase();
    if (claimCode !== null || isSameAddress) send({ type: 'claimBegun', claim });
  }

  /** Does what the current step waits for, and ends what the last step has waited for. */
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
        return state.code.status === 'checking' ? await checkCode(state.code.code, signal) : undefined;
      case 'choose':
        return await returnToLastWallet(signal);
      case 'connecting': {
        const { provider } = readWallet(step.walletId);
        const [address] = await (step.isChoosingAccount ? chooseAccounts(provider) : connectWallet(provider));
        if (signal.aborted || address === undefined) return;
        rememberWallet(step.walletId);
        return send({ type: 'accountGiven', account: { address, walletId: step.walletId } });
      }
      case 'checking': {
        const { address } = step.account;
        const { reasons } = await retry(
          (one) => client.getEligibility({ tokenId, address }, { signal: one }),
          signal,
        );
        return send({ type: 'eligibilityRead', refusal: findRefusal(reasons) });
      }
      case 'signing':
        return await sign(step.account, signal);
      case 'switching': {
        const environment = await retry((one) => client.getEnvironment({ signal: one }), signal);
        const { provider } = readWallet(step.account.walletId);
        await switchChain(provider, environment.eip712.domain.chainId);
        if (!signal.aborted) send({ type: 'chainSwitched' });
        return;
      }
      case 'claiming':
        return await claim(step.claim, signal);
    }
  }

  async function sign(account: Account, signal: AbortSignal): Promise<void> {
    const { provider } = readWallet(account.walletId);
    const environment = await retry((one) => client.getEnvironment({ signal: one }), signal);
    send({ type: 'environmentRead', environment });
    try {
      const signature = await signClaim(client, provider, { tokenId, address: account.address });
      if (!signal.aborted) beginClaim(account.address, signature);
    } catch (error) {
      if (signal.aborted) return;
      if (toWalletError(error).name === 'WrongChain') send({ type: 'chainFoundWrong' });
      else throw error;
    }
  }

  function confirm(): void {
    const { step } = state;
    if (step.name !== 'review') return;
    if (needsSignature(state)) send({ type: 'confirmed' });
    else beginClaim(step.account.address, null);
  }

  function beginClaim(address: string, signature: string | null): void {
    const other = stored.find();
    const isSameClaim = other !== null && (claimCode !== null || other.address === address);
    const claim = isSameClaim
      ? other
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
      const operationId = begun.operationId ?? (await sendClaim(begun, signal));
      const accepted = { ...begun, operationId };
      stored.save(accepted);
      await waitForOperation(operationId, signal);
      stored.save({ ...accepted, signature: null, isDone: true });
      send({ type: 'claimed', address, isNew: true });
    } catch (error) {
      if (signal.aborted) return;
      stored.remove();
      // The claim may have been made by a request whose response was lost, or by another tab.
      if (await hasClaimed(error, address, signal)) send({ type: 'claimed', address, isNew: false });
      else throw error;
    }
  }

  async function sendClaim(
    { address, signature, idempotencyKey }: StoredClaim,
    signal: AbortSignal,
  ): Promise<string> {
    const body = { tokenId, claimingAddress: address, signature, claimCode };
    const { operationId } = await retry((one) => client.claim(body, { idempotencyKey, signal: one }), signal);
    return operationId;
  }

  async function waitForOperation(operationId: string, signal: AbortSignal): Promise<void> {
    for (let round = 1; ; round += 1) {
      const startMs = performance.now();
      const operation = await retry(
        (one) => client.getOperation({ operationId, waitSeconds: OPERATION_WAIT_SECONDS }, { signal: one }),
        signal,
      );
      if (operation.status === 'success') return;
      if (operation.error !== null) throw new BadgeApiError(operation.error, { operationId });
      // The service responds at once if too many people wait already.
      const isHeld = performance.now() - startMs > (OPERATION_WAIT_SECONDS * 1_000) / 2;
      if (!isHeld) await pause(Math.min(250 * 2 ** round, 5_000), signal);
    }
  }

  async function hasClaimed(error: unknown, address: string, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof BadgeApiError)) return false;
    if (error.name === 'ClaimingAddressAlreadyHasToken') return true;
    if (error.status !== 409) return false;
    const { reasons } = await retry(
      (one) => client.getEligibility({ tokenId, address }, { signal: one }),
      signal,
    );
    return reasons.includes('ClaimingAddressAlreadyHasToken');
  }

  /** Continues with the wallet of the last visit, if it still gives its accounts to this page. Asks the person nothing. */
  async function returnToLastWallet(signal: AbortSignal): Promise<void> {
    const wallet = findLastWallet(wallets);
    if (hasTriedLastWallet || wallet === null || state.step.name !== 'choose') return;
    hasTriedLastWallet = true;
    const { walletId } = wallet;
    const [address] = await listConnectedAccounts(wallet.provider);
    if (address !== undefined && !signal.aborted && state.step.name === 'choose')
      send({ type: 'accountGiven', account: { address, walletId } });
  }

  function watchAccount(step: Step): void {
    endWatch();
    endWatch = () => {};
    const walletId = 'account' in step ? step.account?.walletId : undefined;
    const wallet = findWallet(walletId ?? null);
    if (wallet === null) return;
    endWatch = watchWallet(wallet.provider, (change) => {
      const { environment } = state;
      if ('accounts' in change) send({ type: 'accountSwitched', address: change.accounts[0] ?? null });
      else if (change.chainId === environment?.eip712.domain.chainId) send({ type: 'chainSwitched' });
    });
  }

  function findWallet(walletId: string | null): InstalledWallet | null {
    return wallets.list().find((wallet) => wallet.walletId === walletId) ?? null;
  }

  function readWallet(walletId: string | null): InstalledWallet {
    const wallet = findWallet(walletId);
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

function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
