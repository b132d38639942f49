import { BadgeApiError, type BadgeClient } from '@badge/sdk';
import { makeRandomId } from '../../random-id.ts';
import { findClaimer } from '../../token/ownership.ts';
import type { InstalledWallet, WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { rememberWallet } from '../../wallet/last-wallet.ts';
import {
  canSignOnChain,
  chooseAccounts,
  connectWallet,
  findActiveChain,
  signClaim,
  switchChain,
} from '../../wallet/wallet-calls.ts';
import { toWalletError, WalletError } from '../../wallet/wallet-error.ts';
import type { ClaimRequests, OwnBadge } from './claim-requests.ts';
import { type Account, type ClaimEvent, type ClaimState, needsSignature, type Step } from './claim-state.ts';
import type { ClaimStore, StoredClaim } from './claim-store.ts';
import { isLoss, type Refusal, toRefusal } from './refusal.ts';

/** The calls to the wallet and to the service that the steps of a claim wait for. */
export interface ClaimSteps {
  /**
   * Makes the calls of a step, and sends events with the results. An aborted step sends no event. If the step
   * fails, throws the error of the wallet or of the service. Only `loading` sends the error instead, as the
   * refusal of `codeChecked`.
   */
  run(step: Step, signal: AbortSignal): Promise<void>;
  /** Begins to claim for an address. `signature`: null if the code is enough. */
  beginClaim(address: string, signature: string | null): void;
  /** Begins to claim with the e-mail of who has signed in. */
  beginClaimWithEmail(): void;
}

interface ClaimStepsOptions {
  client: BadgeClient;
  requests: ClaimRequests;
  wallets: WalletDiscovery;
  store: ClaimStore;
  tokenId: number;
  claimCode: string | null;
  /** Whether the person has typed the code. */
  isCodeTyped: boolean;
  getState(): ClaimState;
  send(event: ClaimEvent): void;
}

export function createClaimSteps(options: ClaimStepsOptions): ClaimSteps {
  const { client, requests, wallets, store, tokenId, claimCode, isCodeTyped, getState, send } = options;

  return { run, beginClaim, beginClaimWithEmail };

  async function run(step: Step, signal: AbortSignal): Promise<void> {
    switch (step.name) {
      case 'loading':
        return await checkCode(signal);
      case 'verifying':
        return await verifyClaim(step, signal);
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

  async function checkCode(signal: AbortSignal): Promise<void> {
    const { code } = getState();
    if (code.status !== 'checking') return;
    const check = await requests.checkCode(code.code, signal).catch((error: unknown) => ({
      refusal: toRefusal(error),
      isSignatureRequired: false,
      isWalletRequired: false,
    }));
    let { refusal } = check;
    if (isCodeTyped && refusal?.name === 'ClaimCodeInvalid')
      refusal = { ...refusal, name: 'TypedCodeInvalid' };
    if (!signal.aborted) send({ ...check, type: 'codeChecked', refusal });
  }

  /** Shows the badge of a claim that this browser has finished, or says how the address has lost it since. */
  async function verifyClaim(
    { address, isKept }: Extract<Step, { name: 'verifying' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const loss = await findLoss(address, signal);
    if (signal.aborted) return;
    if (loss === null) send({ type: 'claimed', address, isKept, isNew: false, isCodeUnused: false });
    else send({ type: 'refused', refusal: loss });
  }

  /** Returns how the address has lost the badge; null if it has not. */
  async function findLoss(address: string, signal: AbortSignal): Promise<Refusal | null> {
    const refusal = await requests.checkAddress(address, signal);
    return refusal !== null && isLoss(refusal) ? refusal : null;
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
      checkAddress(address, signal),
      needsSignature(getState()) ? readChains({ address, walletId }, signal) : null,
    ]);
    if (refusal?.name === 'ClaimingAddressAlreadyHasToken') await showEarlierClaim(address, signal);
    else if (!signal.aborted) send({ type: 'accountChecked', refusal });
  }

  /**
   * Returns why the address cannot claim; null if it can, or if the service is not asked before the claim.
   */
  async function checkAddress(address: string, signal: AbortSignal): Promise<Refusal | null> {
    // With a code, an address is refused only if it already has the badge. Each question is a request, and
    // many people can share one rate limit. So the service is asked only about the address for which this
    // browser has claimed this badge.
    const hasClaimedHere = findClaimer(tokenId)?.toLowerCase() === address.toLowerCase();
    if (claimCode !== null && !hasClaimedHere) return null;
    return await requests.checkAddress(address, signal);
  }

  /**
   * Reads which chain signatures are for, and which one the wallet is on. A contract can stay on its own
   * chain.
   */
  async function readChains({ address, walletId }: Account, signal: AbortSignal): Promise<void> {
    const environment = await requests.readEnvironment(signal);
    if (signal.aborted) return;
    send({ type: 'environmentRead', environment });
    const { provider } = requireWallet(walletId);
    const chainId = await findActiveChain(provider);
    const isRight = await canSignOnChain(provider, { address, chainId }, environment);
    if (!signal.aborted)
      send({ type: 'chainRead', chainId: isRight ? environment.eip712.domain.chainId : chainId });
  }

  async function sign({ address, walletId }: Account, signal: AbortSignal): Promise<void> {
    const { provider } = requireWallet(walletId);
    try {
      const signature = await signClaim(client, provider, { tokenId, address });
      if (!signal.aborted) beginClaim(address, signature);
    } catch (error) {
      // The wallet's chain has changed, or was not known. The page must know it to offer a switch.
      if (toWalletError(error).name === 'WrongChain') await readChains({ address, walletId }, signal);
      throw error;
    }
  }

  async function switchToServiceChain({ walletId }: Account, signal: AbortSignal): Promise<void> {
    const { chainId } = (await requests.readEnvironment(signal)).eip712.domain;
    await switchChain(requireWallet(walletId).provider, chainId);
    if (!signal.aborted) send({ type: 'chainRead', chainId });
  }

  function beginClaim(address: string, signature: string | null): void {
    begin({ address, signature, isKept: false });
  }

  function beginClaimWithEmail(): void {
    begin({ address: null, signature: null, isKept: true });
  }

  function begin(claimer: Pick<StoredClaim, 'address' | 'signature' | 'isKept'>): void {
    // Another tab may have begun this claim. With a code, it is always the same claim, because a code can be
    // used only once.
    const begun = store.find();
    const isSameAddress = begun?.address?.toLowerCase() === claimer.address?.toLowerCase();
    const isSameClaim = begun !== null && (claimCode !== null || isSameAddress);
    const claim = isSameClaim
      ? begun
      : {
          ...claimer,
          idempotencyKey: `claim-${makeRandomId()}`,
          operationId: null,
          beganAtTimestamp: Date.now(),
          isDone: false,
        };
    // Stored before it is sent, so that a reload sends it again with the same key.
    store.save(claim);
    send({ type: 'claimStored', claim });
  }

  async function claim(begun: StoredClaim, signal: AbortSignal): Promise<void> {
    try {
      const operationId = begun.operationId ?? (await requests.sendClaim(begun, signal));
      const accepted = { ...begun, operationId };
      store.save(accepted);
      await requests.waitForOperation(operationId, signal);
      const { address, isKept } = await findClaimed(begun, signal);
      store.save({ ...accepted, address, isKept, signature: null, isDone: true });
      // A claim that is continued may have been made long ago, and the address may have lost the badge since.
      const loss = begun.operationId === null ? null : await findLoss(address, signal);
      if (signal.aborted) return;
      if (loss === null) send({ type: 'claimed', address, isKept, isNew: true, isCodeUnused: false });
      else send({ type: 'refused', refusal: loss });
    } catch (error) {
      if (signal.aborted) return;
      store.remove();
      if (begun.address === null) return await failWithEmail(error, signal);
      const refusal = await findEarlierClaim(error, begun.address, signal);
      if (refusal?.name === 'ClaimingAddressAlreadyHasToken') await showEarlierClaim(begun.address, signal);
      else if (refusal !== null && isLoss(refusal)) send({ type: 'refused', refusal });
      else throw error;
    }
  }

  /** Where the badge is that was just claimed. */
  async function findClaimed({ address }: StoredClaim, signal: AbortSignal): Promise<OwnBadge> {
    if (address !== null) return { address, isKept: false };
    const own = await requests.findOwnBadge(signal);
    if (own === null) throw new WalletError('Failed');
    return own;
  }

  /** Says why a claim with an e-mail has failed, or shows the badge that the person has already. */
  async function failWithEmail(error: unknown, signal: AbortSignal): Promise<void> {
    const isConflict = error instanceof BadgeApiError && error.status === 409;
    const own = isConflict ? await requests.findOwnBadge(signal) : null;
    if (own !== null) return await showEarlierClaim(own.address, signal, own.isKept);
    const refusal = toRefusal(error);
    if (signal.aborted) return;
    const isNotListed = refusal.name === 'AddressNotAllowlisted';
    send({ type: 'refused', refusal: isNotListed ? { ...refusal, name: 'EmailNotListed' } : refusal });
  }

  /**
   * Returns why the address cannot claim, if a claim failed because of a conflict. The badge may have been
   * claimed by a request whose response was lost, by another tab, or long ago. This claim may have taken the
   * last badge or used the code.
   */
  async function findEarlierClaim(
    error: unknown,
    address: string,
    signal: AbortSignal,
  ): Promise<Refusal | null> {
    if (!(error instanceof BadgeApiError) || error.status !== 409) return null;
    return await requests.checkAddress(address, signal);
  }

  /** Shows the badge that the address already has, and whether somebody else can use the code of the link. */
  async function showEarlierClaim(address: string, signal: AbortSignal, isKept = false): Promise<void> {
    const isCodeUnused = claimCode !== null && (await requests.checkCode(claimCode, signal)).refusal === null;
    if (!signal.aborted) send({ type: 'claimed', address, isKept, isNew: false, isCodeUnused });
  }

  function requireWallet(walletId: string | null): InstalledWallet {
    const wallet = wallets.find(walletId);
    if (wallet === null) throw new WalletError('Disconnected');
    return wallet;
  }
}
