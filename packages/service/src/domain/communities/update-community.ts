import type { ManagedCommunity, UpdateCommunityBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { updateCommunity as updateCommunityRow } from '../../storage/communities.ts';
import { type Caller, toActor } from '../caller.ts';
import { readCommunityRow, toManagedCommunity } from './read-community.ts';
import { parseAddresses } from './rules.ts';

/** Changes the given fields of a community; null resets an optional field to its default. */
export async function updateCommunity(
  context: Context,
  caller: Caller,
  communityId: string,
  body: UpdateCommunityBody,
): Promise<ManagedCommunity> {
  const current = await readCommunityRow(context, communityId);
  const row = await updateCommunityRow(context.database, toActor(caller), communityId, {
    ...(body.displayId === undefined ? {} : { display_id: body.displayId }),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(body.logoUrl === undefined ? {} : { logo_url: body.logoUrl }),
    ...(body.adminAddresses === undefined
      ? {}
      : { admin_addresses: parseAddresses(body.adminAddresses ?? []) }),
  });
  return toManagedCommunity(context.settings, row ?? current);
}
