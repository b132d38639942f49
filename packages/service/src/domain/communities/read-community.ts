import type { Community } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readCommunityRow } from './read-community-row.ts';
import { toCommunity } from './to-community.ts';

/** Reads one community by its uniqId. */
export async function readCommunity(context: Context, communityId: string): Promise<Community> {
  return toCommunity(context.settings, await readCommunityRow(context, communityId));
}
