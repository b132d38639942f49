import { signStatusList, toDidKey } from '@badge/credentials/issue';
import type { Context } from '../../context.ts';
import { findRevokedIndexes, findStatusList } from '../../storage/credentials.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { createSignedDocuments, type SignedDocument } from '../signed-documents.ts';
import { checkIssuerKey } from './read-issuer-keys.ts';
import { toSeconds } from './rules.ts';

const MAX_KEPT_BYTES = 8 * 1024 * 1024;

type StatusListContext = Pick<Context, 'database' | 'issuerKeys' | 'log'>;

/** Returns a function that reads signed status lists, and keeps those that were read last. */
export function createStatusListReader(
  context: StatusListContext,
): (listId: string) => Promise<SignedDocument> {
  const { database } = context;
  const readSigned = createSignedDocuments(MAX_KEPT_BYTES);

  return async (listId) => {
    const list = isUuid(listId) ? await findStatusList(database, listId) : undefined;
    // PostgreSQL also finds a UUID in upper case, but a list has only one URL.
    if (list?.list_id !== listId)
      throw new Refusal('StatusListNotFound', 'There is no status list with this id.');
    // A credential that was revoked stays so, so a list with as many is the same. Some can be revoked before
    // the second query. Then the next call signs the list again.
    return await readSigned(listId, String(list.revoked_count), async () => {
      const key = { communityId: list.community_id, generation: list.generation };
      const keys = checkIssuerKey(context, key, list.public_key);
      return await signStatusList(
        {
          url: `${list.base_url}/${listId}`,
          did: toDidKey(list.public_key),
          validFrom: toSeconds(list.created_at),
          created: toSeconds(list.last_revoked_at ?? list.created_at),
          revokedIndexes: await findRevokedIndexes(database, listId),
        },
        (digest) => keys.sign(key, digest),
      );
    });
  };
}
