/** How many requests per second the service allows each key, and each address, in the scenario `attacks`. */
export const ATTACKED_LIMITS = { perKey: 100, perAddress: 50 };

/** The configuration of the service in the scenario `attacks`. */
export const ATTACKED_SERVICE = {
  BADGE_RATE_LIMIT: `${ATTACKED_LIMITS.perKey}/${ATTACKED_LIMITS.perAddress}`,
  BADGE_STORAGE_QUOTA: '60MiB',
  // The load comes from this address. Each of its requests names a client in X-Forwarded-For.
  BADGE_TRUST_PROXY: '127.0.0.1',
};

// So many addresses that the limits of addresses do not slow down the load.
const LOAD_ADDRESSES = 250;

/** The client address that request number `n` of the load sends in X-Forwarded-For. */
export function loadAddress(n: number): string {
  return `198.18.0.${1 + (n % LOAD_ADDRESSES)}`;
}
