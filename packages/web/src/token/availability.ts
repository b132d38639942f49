import type { Token } from '@badge/sdk';

/**
 * Whether a token can still be claimed:
 * - `open`: yes, by everyone
 * - `allowlisted`: yes, by the people on its list, or with a code
 * - `exhausted`: no, none is left
 * - `expired`: no, claims have ended
 */
export type Availability = 'open' | 'allowlisted' | 'exhausted' | 'expired';

export function readAvailability(
  { claimabilityAttributes }: Pick<Token, 'claimabilityAttributes'>,
  now: number,
): Availability {
  const { expirationTimestamp, isAllowlistRequired, remainingClaimCount } = claimabilityAttributes;
  if (expirationTimestamp !== null && expirationTimestamp <= now) return 'expired';
  if (isAllowlistRequired) return 'allowlisted';
  return remainingClaimCount === 0 ? 'exhausted' : 'open';
}
