import type { Context } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { readMemberState, removeMember as removeStoredMember } from '../../storage/members.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { endQueuedMails } from '../end-queued-mails.ts';
import { Refusal } from '../refusal.ts';
import { checkMayKeepKeys } from './read-keeper.ts';
import { lastOwner, parseMemberAddress } from './rules.ts';

/**
 * Removes a member from a community, with its keys, stops its webhooks, and revokes the invitations that it
 * has queued, unless an owner keeps them. A member may also remove itself, whatever its role is.
 */
export async function removeMember(
  context: Context,
  caller: Caller,
  {
    communityId,
    address: addressText,
    keepMails,
    keepsApiKeys,
  }: { communityId: string; address: string; keepMails: boolean; keepsApiKeys: boolean },
): Promise<void> {
  const address = parseMemberAddress(addressText);
  const isItself = caller.kind === 'session' && caller.address.equals(address);
  const remover: Caller = isItself ? { ...caller, neededRole: 'viewer' } : caller;
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, remover, communityId);
  await context.transaction(async (tx) => {
    // A member that removes itself can keep nothing, because nobody with a right would have kept it.
    const isKept = keepMails && !isItself;
    await endQueuedMails(tx, toActor(remover), { communityId, createdBy: address }, isKept);
    await lockCommunity(tx, communityId);
    await checkMayStillWrite(tx, remover, communityId);
    const { role, ownerCount } = await readMemberState(tx, { communityId, address });
    if (role === null) {
      throw new Refusal('MemberNotFound', 'The address is not a member of the community.');
    }
    if (role === 'owner' && ownerCount === 1 && caller.kind !== 'operator') throw lastOwner();
    if (keepsApiKeys) await checkMayKeepKeys(tx, toActor(remover), address);
    const member = { communityId, address, keepsApiKeys };
    if (await removeStoredMember(tx, toActor(remover), member)) return;
    await checkMayStillWrite(tx, remover, communityId);
  });
}
