import { randomUUID } from 'node:crypto';
import type { CommunityWithAdmins, CreateCommunityBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertCommunity } from '../../storage/communities.ts';
import type { RecordResponse } from '../../storage/idempotency-keys.ts';
import { type Caller, toActor } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { toCommunityWithAdmins } from './read-community.ts';
import { parseAddresses } from './rules.ts';

/** Creates a community. If the body has no uniqId, a random UUID is used. */
export async function createCommunity(
  context: Context,
  caller: Caller,
  { body, recordResponse }: { body: CreateCommunityBody; recordResponse: RecordResponse | undefined },
): Promise<CommunityWithAdmins> {
  const communityId = body.uniqId ?? randomUUID();
  return await context.transaction(async (tx) => {
    const row = await insertCommunity(tx, toActor(caller), {
      community_id: communityId,
      display_id: body.displayId,
      name: body.name,
      description: body.description ?? '',
      logo_url: body.logoUrl ?? null,
      admin_addresses: parseAddresses(body.adminAddresses ?? []),
    });
    if (row === undefined) throw new Refusal('CommunityExists', `The uniqId ${communityId} is taken.`);
    const community = toCommunityWithAdmins(context.settings, row);
    await recordResponse?.(tx, community);
    return community;
  });
}
