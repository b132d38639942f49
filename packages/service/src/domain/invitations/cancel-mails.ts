import { type CancelMailsBody, parseEmailAddress } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { cancelQueuedMails, type QueuedMails } from '../../storage/queued-mails.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { lockTokensOfMails } from '../end-queued-mails.ts';
import { requireMail } from '../mail-service.ts';
import { Refusal } from '../refusal.ts';
import { checkNotReplaced, readTokenRow } from '../tokens/read-token.ts';
import { hashEmail } from './rules.ts';

/**
 * Revokes the queued invitations of a community that match each given field, with their links. Returns how
 * many.
 */
export async function cancelMails(
  context: Context,
  caller: Caller,
  { communityId, body }: { communityId: string; body: CancelMailsBody },
): Promise<number> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const { tokenId, email, createdByAddress } = body;
  const mails: QueuedMails = {
    communityId,
    tokenId: tokenId ? await readTokenId(context, communityId, tokenId) : undefined,
    emailHash: email ? hashOf(context, email) : undefined,
    createdBy: createdByAddress ? parseAddress(createdByAddress) : undefined,
  };
  return await context.transaction(async (tx) => {
    // While the tokens are locked, nobody can claim with the links.
    const tokenIds = await lockTokensOfMails(tx, mails);
    const cancelled = await cancelQueuedMails(tx, toActor(caller), {
      ...mails,
      tokenIds,
      isAlwaysRecorded: true,
    });
    if (cancelled !== undefined) return cancelled;
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error(`community ${communityId} no longer exists`);
  });
}

async function readTokenId(context: Context, communityId: string, tokenId: number): Promise<number> {
  const token = await readTokenRow(context, String(tokenId));
  if (token.community_id === communityId) {
    checkNotReplaced(token);
    return token.token_id;
  }
  throw new Refusal('TokenNotFound', 'The community has no token with this id.');
}

function hashOf(context: Context, email: string): Buffer {
  const parsed = parseEmailAddress(email);
  if (typeof parsed === 'string') throw new Error('the address was not checked');
  return hashEmail(requireMail(context).encryption, parsed);
}
