import type { ApiKey } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { type ApiKeyRow, listUnrevokedApiKeys } from '../../storage/api-keys.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';

// The name has up to 100 characters, of up to 6 bytes in JSON.
const API_KEY_BYTES = 1024;

/** Lists a community's keys that are not revoked, oldest first. */
export async function listApiKeys(
  context: Context,
  reader: Reader,
  caller: Caller,
  communityId: string,
  page: { limit: number; offset: number },
): Promise<ApiKey[]> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const rows = await reader.read(page.limit * API_KEY_BYTES, () =>
    listUnrevokedApiKeys(context.database, { ...page, communityId }),
  );
  return rows.map(toApiKey);
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    apiKeyId: row.api_key_id,
    name: row.name,
    prefix: row.prefix,
    role: row.role,
    createdBy: row.created_by === null ? null : toChecksumAddress(row.created_by),
    createdAtTimestamp: row.created_at.getTime(),
    expiresAtTimestamp: row.expires_at?.getTime() ?? null,
  };
}
