import type { CommunityWithAdmins, UpdateCommunityBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  findCommunities,
  lockCommunity,
  updateCommunity as updateCommunityRow,
} from '../../storage/communities.ts';
import { setAutomaticReminders } from '../../storage/reminders.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { checkManagedCreator } from '../managed-creators/read-managed-creator.ts';
import { Refusal } from '../refusal.ts';
import { readCommunityRow, toCommunityWithAdmins } from './read-community.ts';
import { parseAddresses } from './rules.ts';

/** Changes the given fields of a community; null resets an optional field to its default. */
export async function updateCommunity(
  context: Context,
  caller: Caller,
  communityId: string,
  body: UpdateCommunityBody,
): Promise<CommunityWithAdmins> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  if (caller.kind !== 'operator') checkOperatorsFields(body);
  const changes = {
    ...(body.displayId === undefined ? {} : { display_id: body.displayId }),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(body.logoUrl === undefined ? {} : { logo_url: body.logoUrl }),
    ...(body.adminAddresses === undefined
      ? {}
      : { admin_addresses: parseAddresses(body.adminAddresses ?? []) }),
  };
  const row = await context.transaction(async (tx) => {
    await lockCommunity(tx, communityId);
    const [former] = await findCommunities(tx, [communityId]);
    const recorded = former?.managed_creator ?? null;
    const managedCreator = body.hasManagedCreator
      ? checkManagedCreator(context, communityId, recorded).address
      : null;
    const updated = await updateCommunityRow(tx, toActor(caller), communityId, {
      ...changes,
      ...(body.contractWalletChainId === undefined
        ? {}
        : { contract_wallet_chain_id: body.contractWalletChainId }),
      ...(body.reminders === undefined
        ? {}
        : {
            remind_unclaimed_after: body.reminders.unclaimedAfterDays,
            remind_before_expiry: body.reminders.beforeExpiryDays,
          }),
      ...(body.hasManagedCreator === undefined ? {} : { managed_creator: managedCreator }),
    });
    if (updated !== undefined) {
      const isOn = [updated.remind_unclaimed_after, updated.remind_before_expiry].some(
        (days) => days.length > 0,
      );
      if (body.reminders !== undefined) await setAutomaticReminders(tx, { communityId, isOn });
      return updated;
    }
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error(`community ${communityId} no longer exists`);
  });
  return toCommunityWithAdmins(context.settings, row);
}

function checkOperatorsFields({ adminAddresses, hasManagedCreator }: UpdateCommunityBody): void {
  if (adminAddresses !== undefined) {
    throw new Refusal(
      'ApiKeyNotAllowed',
      "adminAddresses requires the operator's key. An owner changes the members instead.",
    );
  }
  if (hasManagedCreator !== undefined) {
    throw new Refusal('ApiKeyNotAllowed', "hasManagedCreator requires the operator's key.");
  }
}
