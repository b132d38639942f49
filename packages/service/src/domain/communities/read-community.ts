import type { Community } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readCommunityRow } from './read-community-row.ts';

/** Reads one community by its uniqId. */
export async function readCommunity(context: Context, communityId: string): Promise<Community> {
  const row = await readCommunityRow(context, communityId);
  return {
    uniqId: row.community_id,
    displayId: row.display_id,
    name: row.name,
    description: row.description,
    logoUrl: row.logo_url ?? `${context.settings.imageUrl}/logo.png`,
  };
}
