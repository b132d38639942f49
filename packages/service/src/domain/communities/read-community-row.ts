import type { Context } from '../../context.ts';
import { type CommunityRow, findCommunity } from '../../storage/communities.ts';
import { Refusal } from '../refusal.ts';

/** The stored community that a path or a body names by its uniqId, case-sensitive. */
export async function readCommunityRow(context: Context, communityId: string): Promise<CommunityRow> {
  const row = /^[A-Za-z0-9_-]{1,64}$/.test(communityId)
    ? await findCommunity(context.database, communityId)
    : undefined;
  if (row === undefined) throw new Refusal('CommunityNotFound', 'There is no community with this id.');
  return row;
}
