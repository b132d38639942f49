import type { NftType, Token } from '@badge/sdk';

/** What the form needs from the service. */
export interface MakeData {
  designs: readonly NftType[];
  reservedNames: readonly string[];
  /**
   * The badge of which a corrected copy is made, and how many people on its list have not claimed; null for a
   * new badge.
   */
  copied: { token: Token; waitingCount: number } | null;
}
