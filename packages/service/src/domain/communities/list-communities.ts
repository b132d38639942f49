import type { ManagedCommunity } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listCommunities as listCommunityRows } from '../../storage/communities.ts';
import { toManagedCommunity } from './to-community.ts';

/** Lists all communities, oldest first. */
export async function listCommunities(
  context: Context,
  page: { limit: number; offset: number },
): Promise<ManagedCommunity[]> {
  const rows = await listCommunityRows(context.database, page);
  return rows.map((row) => toManagedCommunity(context.settings, row));
}
