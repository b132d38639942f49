import { BadgeApiError, type BadgeClient, type Eligibility, type Environment, type Token } from '@badge/sdk';
import type { StoredClaim } from './claim-store.ts';
import { keepTrying, pause, type RetryOptions } from './keep-trying.ts';
import { findRefusal, type Refusal, type TimeRefusal } from './refusal.ts';

/**
 * The requests of a claim to the service. A request that failed but may succeed later is repeated, until its
 * signal is aborted.
 */
export interface ClaimRequests {
  readToken(signal: AbortSignal): Promise<{ token: Token; timeRefusal: TimeRefusal | null }>;
  readEnvironment(signal: AbortSignal): Promise<Environment>;
  /**
   * Returns why nobody can claim with the code, or null if somebody can; and whether such a claim needs a
   * signature.
   */
  checkCode(claimCode: string, signal: AbortSignal): Promise<CodeCheck>;
  /** Returns why an address cannot claim; null if it can. */
  checkAddress(address: string, signal: AbortSignal): Promise<Refusal | null>;
  /** Sends a claim, with the session of the person if it has no address. Returns the id of its operation. */
  sendClaim(claim: StoredClaim, signal: AbortSignal): Promise<string>;
  /**
   * Returns where who has signed in with an e-mail has the badge: it is kept, or in the wallet to which later
   * badges go. Null if they do not have it.
   */
  findOwnBadge(signal: AbortSignal): Promise<OwnBadge | null>;
  /** Resolves when the operation has succeeded. Throws its error if it has failed. */
  waitForOperation(operationId: string, signal: AbortSignal): Promise<void>;
}

/** A badge of who has signed in with an e-mail. */
export interface OwnBadge {
  address: string;
  /** Whether it is kept with the e-mail. */
  isKept: boolean;
}

export interface CodeCheck {
  refusal: Refusal | null;
  isSignatureRequired: boolean;
  isWalletRequired: boolean;
}

interface ClaimRequestsOptions extends Omit<RetryOptions, 'signal'> {
  /** Must not retry requests itself, so that the page can say why it waits. */
  client: BadgeClient;
  /** A client with the session of who has signed in. Throws a `SignedOutError` if nobody has. */
  openPersonClient(): BadgeClient;
  tokenId: number;
  claimCode: string | null;
}

/**
 * The page asks about this address whether claims have begun and not ended. The result is the same for every
 * address.
 */
const ANY_ADDRESS = `0x${'0'.repeat(40)}`;
const TIME_REFUSALS = ['TokenClaimExpired', 'TokenNotYetClaimable'] as const;
const OPERATION_WAIT_SECONDS = 20;
/** A badge that was just claimed is among the newest. */
const NEWEST_COUNT = 100;

export function createClaimRequests({
  client,
  openPersonClient,
  tokenId,
  claimCode,
  ...retryOptions
}: ClaimRequestsOptions): ClaimRequests {
  return {
    async readToken(signal) {
      const token = await retry(() => client.getToken({ tokenId }, { signal }), signal);
      // With a code, `checkCode` finds out whether claims have begun and not ended.
      return { token, timeRefusal: claimCode === null ? await findTimeRefusal(token, signal) : null };
    },
    readEnvironment: (signal) => retry(() => client.getEnvironment({ signal }), signal),
    async checkCode(code, signal) {
      const query = { tokenId, claimCode: code };
      const check = await retry(() => client.checkClaimCode(query, { signal }), signal);
      const { reasons, isSignatureRequired, isWalletRequired } = check;
      return { refusal: findRefusal(reasons), isSignatureRequired, isWalletRequired };
    },
    async checkAddress(address, signal) {
      const { reasons, ownership } = await readEligibility(address, signal);
      if (ownership === 'revoked') return { name: 'Revoked', requestId: null };
      if (ownership === 'moved') return { name: 'Moved', requestId: null };
      if (ownership === 'burnt') return { name: 'Burnt', requestId: null };
      // With a code, the address need not be on the list, and `checkCode` finds the other reasons.
      const isRelevant = (reason: string) =>
        claimCode === null || reason === 'ClaimingAddressAlreadyHasToken';
      return findRefusal(reasons.filter(isRelevant));
    },
    async sendClaim({ address, signature, idempotencyKey }, signal) {
      const { operationId } = await retry(() => {
        const options = { idempotencyKey, signal };
        if (address === null)
          return openPersonClient().claim({ tokenId, claimCode, isBySession: true }, options);
        return client.claim({ tokenId, claimingAddress: address, signature, claimCode }, options);
      }, signal);
      return operationId;
    },
    async findOwnBadge(signal) {
      const { data } = await retry(
        async () => await openPersonClient().listOwnTokens({ limit: NEWEST_COUNT }, { signal }),
        signal,
      );
      const kept = data.find(({ badgeTokenId }) => badgeTokenId === tokenId);
      if (kept !== undefined) return { address: kept.address, isKept: true };
      const { defaultAddress } = await retry(() => openPersonClient().getSession({ signal }), signal);
      if (defaultAddress === null) return null;
      const { ownership } = await readEligibility(defaultAddress, signal);
      return ['held', 'expired'].includes(ownership) ? { address: defaultAddress, isKept: false } : null;
    },
    waitForOperation,
  };

  function retry<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return keepTrying(call, { ...retryOptions, signal });
  }

  /**
   * Returns why nobody can claim at this time. Asks the service only if the clock of this device, which may
   * be wrong, says so. If it does not, the service refuses the claim itself.
   */
  async function findTimeRefusal(token: Token, signal: AbortSignal): Promise<TimeRefusal | null> {
    const { claimableFromTimestamp, claimabilityAttributes } = token;
    const { expirationTimestamp } = claimabilityAttributes;
    const now = Date.now();
    const isOpen = (claimableFromTimestamp ?? now) <= now && (expirationTimestamp ?? Infinity) > now;
    if (isOpen) return null;
    const { reasons } = await readEligibility(ANY_ADDRESS, signal);
    return TIME_REFUSALS.find((name) => reasons.includes(name)) ?? null;
  }

  function readEligibility(address: string, signal: AbortSignal): Promise<Eligibility> {
    return retry(() => client.getEligibility({ tokenId, address }, { signal }), signal);
  }

  async function waitForOperation(operationId: string, signal: AbortSignal): Promise<void> {
    for (let round = 1; ; round += 1) {
      const startMs = performance.now();
      const operation = await retry(
        () => client.getOperation({ operationId, waitSeconds: OPERATION_WAIT_SECONDS }, { signal }),
        signal,
      );
      if (operation.status === 'success') return;
      if (operation.error !== null) throw new BadgeApiError(operation.error, { operationId });
      // If too many people wait already, the service responds at once. Then this page must wait itself.
      const hasServiceWaited = performance.now() - startMs > (OPERATION_WAIT_SECONDS * 1_000) / 2;
      if (!hasServiceWaited) await pause(Math.min(250 * 2 ** round, 5_000), signal);
    }
  }
}
