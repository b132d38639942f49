/** The configuration of the service in the scenario `attacks`. */
export const ATTACKED_SERVICE = {
  BADGE_RATE_LIMIT: '100/50',
  BADGE_STORAGE_QUOTA: '60MiB',
  // The load comes from this address. Each of its requests names a client in X-Forwarded-For.
  BADGE_TRUST_PROXY: '127.0.0.1',
};

// With so many addresses, the load stays below the rate limit of each.
const LOAD_ADDRESSES = 250;

/** The client address that request number `n` of the load sends in X-Forwarded-For. */
export function loadAddress(n: number): string {
  return `198.18.0.${1 + (n % LOAD_ADDRESSES)}`;
}
