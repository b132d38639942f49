import type { WalletToken } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { listWalletTokens as listWalletTokenRows } from '../../storage/wallets.ts';
import { invalidRequest } from '../refusal.ts';
import { toTokenUrls } from '../tokens/to-token-urls.ts';

interface WalletTokensFilter {
  limit: number;
  offset: number;
  claimStatus: 'claimed' | 'unclaimed' | undefined;
  communityId: string | undefined;
}

/** Lists what a wallet holds and what it may claim, newest token first. */
export async function listWalletTokens(
  context: Context,
  address: string,
  filter: WalletTokensFilter,
): Promise<WalletToken[]> {
  const bytes = parseAddress(address);
  if (bytes === null) {
    throw invalidRequest([{ parameter: 'address', detail: 'must be 0x and 40 hex digits' }]);
  }
  const rows = await listWalletTokenRows(context.database, { ...filter, address: bytes });
  return rows.map((row) => ({
    badgeTokenId: row.token_id,
    headline: row.headline,
    assetUrl: toTokenUrls(context.settings, row).assetUrl,
    createdAt: row.created_at.toISOString(),
    claimStatus: row.claim_status,
    communityId: row.community_id,
  }));
}
