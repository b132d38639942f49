import type { ApiKey } from '@badge/protocol';
import type { ApiKeyRow } from '../../storage/api-keys.ts';

/** What may be told of a stored key. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    apiKeyId: row.api_key_id,
    name: row.name,
    prefix: row.prefix,
    createdAtTimestamp: row.created_at.getTime(),
    expiresAtTimestamp: row.expires_at?.getTime() ?? null,
  };
}
