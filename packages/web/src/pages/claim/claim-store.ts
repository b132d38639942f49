/** A claim that this browser has begun. With it, a reloaded page or another tab continues the claim. */
export interface StoredClaim {
  /** Null for a claim with an e-mail: its address is known when it has succeeded. */
  address: string | null;
  /** Null if the code is enough. */
  signature: string | null;
  /** With the same key, the service executes the claim only once, however often it is sent. */
  idempotencyKey: string;
  /** Null until the service has accepted the claim. */
  operationId: string | null;
  beganAtTimestamp: number;
  isDone: boolean;
  /** Whether the badge is kept with an e-mail. */
  isKept: boolean;
}

export interface ClaimStore {
  find(): StoredClaim | null;
  save(claim: StoredClaim): void;
  remove(): void;
  /**
   * Calls `listener` when another tab stores the claim that this store is for. Returns a function that ends
   * this.
   */
  subscribe(listener: (claim: StoredClaim) => void): () => void;
}

/** An hour less than the service keeps idempotency keys. */
const MAX_AGE_MS = 23 * 3_600_000;

/**
 * Stores the claim of one token with one code, or without a code, in `localStorage`, which all tabs share. A
 * finished claim is kept only with a code, which nobody else can use. Without a code, the next person at this
 * computer must be able to claim.
 */
export function openClaimStore(
  page: Window,
  { tokenId, claimCode }: { tokenId: number; claimCode: string | null },
): ClaimStore {
  const key = `badge.claim.${tokenId}${claimCode === null ? '' : `.${claimCode}`}`;
  return {
    find: () => parseClaim(accessStorage((storage) => storage.getItem(key)) ?? null),
    save: (claim) => {
      if (claim.isDone && claimCode === null) accessStorage((storage) => storage.removeItem(key));
      else accessStorage((storage) => storage.setItem(key, JSON.stringify(claim)));
    },
    remove: () => accessStorage((storage) => storage.removeItem(key)),
    subscribe(listener) {
      const onStorage = (event: StorageEvent) => {
        const claim = event.key === key ? parseClaim(event.newValue) : null;
        if (claim !== null) listener(claim);
      };
      page.addEventListener('storage', onStorage);
      return () => page.removeEventListener('storage', onStorage);
    },
  };

  // A browser can forbid a page to store anything. Then the page works, but a reload forgets the claim.
  function accessStorage<T>(access: (storage: Storage) => T): T | undefined {
    try {
      return access(page.localStorage);
    } catch {
      return undefined;
    }
  }
}

function parseClaim(json: string | null): StoredClaim | null {
  if (json === null) return null;
  try {
    const claim = JSON.parse(json) as StoredClaim;
    if (typeof claim.idempotencyKey !== 'string') return null;
    if (typeof claim.address !== 'string' && (claim.isDone || !claim.isKept)) return null;
    // A claim that the service has not accepted is sent again. Then the service must still know the
    // idempotency key.
    const isAccepted = claim.isDone || claim.operationId !== null;
    const isTooOld = Date.now() - claim.beganAtTimestamp > MAX_AGE_MS;
    return isTooOld && !isAccepted ? null : claim;
  } catch {
    return null;
  }
}
