import { LIMITS, type Member, ROLES, type Role } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { readMemberState, setMember as setStoredMember } from '../../storage/members.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { endQueuedMails } from '../end-queued-mails.ts';
import { Refusal } from '../refusal.ts';
import { toMember } from './list-members.ts';
import { checkMayKeepKeys } from './read-keeper.ts';
import { lastOwner, parseMemberAddress } from './rules.ts';

/**
 * Adds a member to a community, or gives a member another role. Only owners and the operator may do this, so
 * nobody gives a role above its own. With a role that may not invite, the invitations that the member has
 * queued are revoked, unless they are kept.
 */
export async function setMember(
  context: Context,
  caller: Caller,
  {
    communityId,
    address: addressText,
    role,
    keepMails,
    keepsApiKeys,
  }: { communityId: string; address: string; role: Role; keepMails: boolean; keepsApiKeys: boolean },
): Promise<{ member: Member; isNew: boolean }> {
  const address = parseMemberAddress(addressText);
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  return await context.transaction(async (tx) => {
    const mayInvite = ROLES.indexOf(role) >= ROLES.indexOf('issuer');
    if (!mayInvite) {
      await endQueuedMails(tx, toActor(caller), { communityId, createdBy: address }, keepMails);
    }
    await lockCommunity(tx, communityId);
    await checkMayStillWrite(tx, caller, communityId);
    const current = await readMemberState(tx, { communityId, address });
    const isOwner = current.role === 'owner';
    if (isOwner && role !== 'owner' && current.ownerCount === 1 && caller.kind !== 'operator') {
      throw lastOwner();
    }
    if (!isOwner && role === 'owner' && current.ownerCount >= LIMITS.adminAddresses) {
      throw new Refusal(
        'OwnerLimitReached',
        `The community has ${LIMITS.adminAddresses} owners, the most allowed.`,
      );
    }
    if (current.role === null && current.memberCount >= LIMITS.members) {
      throw new Refusal(
        'MemberLimitReached',
        `The community has ${LIMITS.members} members, the most allowed.`,
      );
    }
    if (keepsApiKeys) await checkMayKeepKeys(tx, toActor(caller), address);
    const member = { communityId, address, role, keepsApiKeys };
    const row = await setStoredMember(tx, toActor(caller), member);
    if (row !== undefined) return { member: toMember(row), isNew: current.role === null };
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error(`community ${communityId} no longer exists`);
  });
}
