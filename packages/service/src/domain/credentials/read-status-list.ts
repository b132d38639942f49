import { createHash } from 'node:crypto';
import { signStatusList, toDidKey } from '@badge/credentials/issue';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { findRevokedIndexes, findStatusList } from '../../storage/credentials.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { checkIssuerKey } from './read-issuer-keys.ts';
import { toSeconds } from './rules.ts';

const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** A signed status list as JSON. */
export interface SignedStatusList {
  bytes: Buffer;
  /** Identifies the bytes. */
  hash: string;
}

type StatusListContext = Pick<Context, 'database' | 'issuerKeys' | 'log'>;

/** Returns a function that reads signed status lists, and keeps those that were read last. */
export function createStatusListReader(
  context: StatusListContext,
): (listId: string) => Promise<SignedStatusList> {
  const { database } = context;
  const kept = new LRUCache<string, SignedStatusList & { revokedCount: number }>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });

  return async (listId) => {
    const list = isUuid(listId) ? await findStatusList(database, listId) : undefined;
    // PostgreSQL also finds a UUID in upper case, but a list has only one URL.
    if (list?.list_id !== listId)
      throw new Refusal('StatusListNotFound', 'There is no status list with this id.');
    // A credential that was revoked stays so, so a list with as many is the same.
    const found = kept.get(listId);
    if (found?.revokedCount === list.revoked_count) return found;
    const key = { communityId: list.community_id, generation: list.generation };
    const keys = checkIssuerKey(context, key, list.public_key);
    const revokedIndexes = await findRevokedIndexes(database, listId);
    const body = await signStatusList(
      {
        url: `${list.base_url}/${listId}`,
        did: toDidKey(list.public_key),
        validFrom: toSeconds(list.created_at),
        created: toSeconds(list.last_revoked_at ?? list.created_at),
        revokedIndexes,
      },
      (digest) => keys.sign(key, digest),
    );
    const bytes = Buffer.from(body);
    const signed = {
      bytes,
      hash: createHash('sha256').update(bytes).digest('base64url'),
      // Some can have been revoked between the two queries. Then the next call signs the list again.
      revokedCount: list.revoked_count,
    };
    kept.set(listId, signed);
    return signed;
  };
}
