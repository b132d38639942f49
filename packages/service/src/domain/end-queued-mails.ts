import type { DatabaseTransaction } from '../context.ts';
import type { Address } from '../signatures/address.ts';
import type { Actor } from '../storage/audit-log.ts';
import {
  adoptQueuedMails,
  cancelQueuedMails,
  findTokensOfQueuedMails,
  type QueuedMails,
} from '../storage/queued-mails.ts';
import { lockTokens } from '../storage/token-locks.ts';

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
  const tokenIds = await lockTokensOfMails(tx, queued);
  if (tokenIds.length === 0) return;
  await cancelQueuedMails(tx, actor, { ...queued, tokenIds, isAlwaysRecorded: false });
}

/**
 * Locks the tokens of queued invitations, and returns their ids. If one of them is replaced meanwhile, its
 * invitations are those of its replacement, which is locked too.
 */
export async function lockTokensOfMails(tx: DatabaseTransaction, mails: QueuedMails): Promise<number[]> {
  for (;;) {
    const tokenIds = await findTokensOfQueuedMails(tx, mails);
    const replaced = await lockTokens(tx, tokenIds);
    if (replaced.length === 0) return tokenIds;
  }
}
