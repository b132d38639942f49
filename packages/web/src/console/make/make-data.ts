import type { NftType, Token } from '@badge/sdk';
import type { CreatorKey } from '../signer/creator-signer.ts';

/** What the form needs from the service. */
export interface MakeData {
  designs: readonly NftType[];
  reservedNames: readonly string[];
  /** The badge to correct; null for a new badge. */
  corrected: Token | null;
  /** Who can sign for its creator; null for a new badge, which anybody signs. */
  creatorKey: CreatorKey | null;
}
