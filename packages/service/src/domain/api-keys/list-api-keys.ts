import type { ApiKey } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listUnrevokedApiKeys } from '../../storage/api-keys.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';
import { toApiKey } from './to-api-key.ts';

/** Lists a community's keys that are not revoked, oldest first. */
export async function listApiKeys(
  context: Context,
  communityId: string,
  page: { limit: number; offset: number },
): Promise<ApiKey[]> {
  await readCommunityRow(context, communityId);
  const rows = await listUnrevokedApiKeys(context.database, { ...page, communityId });
  return rows.map(toApiKey);
}
