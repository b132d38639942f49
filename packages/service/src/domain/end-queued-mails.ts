import type { DatabaseTransaction } from '../context.ts';
import type { Address } from '../signatures/address.ts';
import type { Actor } from '../storage/audit-log.ts';
import { lockTokens } from '../storage/claims.ts';
import { adoptQueuedMails, cancelQueuedMails, findTokensOfQueuedMails } from '../storage/queued-mails.ts';

/**
 * Cancels the invitations that a member or an API key has queued and that loses its right, or lets the actor
 * keep them. To be called in the transaction that ends the right, before the community is locked, because
 * tokens are locked first. What is queued meanwhile is not sent: the sender of mails checks the right again.
 */
export async function endQueuedMails(
  tx: DatabaseTransaction,
  actor: Actor,
  queued: { communityId: string; createdBy: Address } | { communityId: string; createdByKey: string },
  keepMails: boolean,
): Promise<void> {
  if (keepMails) {
    await adoptQueuedMails(tx, actor, queued);
    return;
  }
  const tokenIds = await findTokensOfQueuedMails(tx, queued);
  if (tokenIds.length === 0) return;
  await lockTokens(tx, tokenIds);
  await cancelQueuedMails(tx, actor, { ...queued, tokenIds, isAlwaysRecorded: false });
}
