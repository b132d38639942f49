import type { NftType, Token } from '@badge/sdk';

/** What the form needs from the service. */
export interface MakeData {
  designs: readonly NftType[];
  reservedNames: readonly string[];
  /** The badge to correct; null for a new badge. */
  corrected: Token | null;
}
