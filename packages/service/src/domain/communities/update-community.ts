import type { CommunityWithAdmins, UpdateCommunityBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { updateCommunity as updateCommunityRow } from '../../storage/communities.ts';
import { type Caller, toActor } from '../caller.ts';
import { readCommunityRow, toCommunityWithAdmins } from './read-community.ts';
import { parseAddresses } from './rules.ts';

/** Changes the given fields of a community; null resets an optional field to its default. */
export async function updateCommunity(
  context: Context,
  caller: Caller,
  communityId: string,
  body: UpdateCommunityBody,
): Promise<CommunityWithAdmins> {
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
  // `row` is undefined only if the community was deleted by hand in the database after it was read.
  return toCommunityWithAdmins(context.settings, row ?? current);
}
