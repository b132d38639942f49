import { LIMITS } from '@badge/protocol';
import type { DatabaseTransaction, Settings } from '../../context.ts';
import { readClaimLinkUsage } from '../../storage/claim-links.ts';
import { lockCommunity } from '../../storage/communities.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { Refusal } from '../refusal.ts';

/**
 * Throws if more links do not fit into the token or into the quota of its community. The community is locked,
 * so that concurrent requests for its tokens do not exceed its quota together. The token must be locked.
 */
export async function checkClaimLinkUsage(
  { settings }: { settings: Pick<Settings, 'storageQuotaBytes'> },
  tx: DatabaseTransaction,
  { token, added }: { token: Pick<TokenSummaryRow, 'token_id' | 'community_id'>; added: number },
): Promise<void> {
  const max = LIMITS.unusedClaimLinks;
  await lockCommunity(tx, token.community_id);
  const usage = await readClaimLinkUsage(tx, {
    tokenId: token.token_id,
    communityId: token.community_id,
    max,
  });
  if (usage.unused + added > max) {
    throw new Refusal(
      'ClaimLinkLimitReached',
      `A token may have ${max} unused claim links, and these ${added} do not fit. Revoke some first.`,
    );
  }
  const quotaBytes = settings.storageQuotaBytes;
  if (usage.storedBytes + added * LIMITS.claimLinkBytes > quotaBytes) {
    throw new Refusal(
      'StorageQuotaReached',
      `The files and claim links of a community may have ${quotaBytes} bytes in all, and these ${added} links do not fit. A link counts with ${LIMITS.claimLinkBytes} bytes, also after its use.`,
    );
  }
}
