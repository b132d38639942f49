import { toDidKey } from '@badge/credentials/issue';
import type { IssuerKey } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { IssuerKeyId, IssuerKeys } from '../../signatures/issuer-keys.ts';
import { findIssuerKeys, type IssuerKeyRow, insertFirstIssuerKey } from '../../storage/issuer-keys.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';
import { credentialsUnavailable } from './rules.ts';

const ISSUER_KEY_BYTES = 256;

/**
 * Reads a page of the keys of a community whose seed was not replaced, the newest first. A community without
 * a key gets its first one.
 */
export async function readIssuerKeys(
  context: Context,
  reader: Reader,
  { communityId, ...page }: { communityId: string; limit: number; offset: number },
): Promise<IssuerKey[]> {
  await readCommunityRow(context, communityId);
  const rows = await reader.read(page.limit * ISSUER_KEY_BYTES, () =>
    readKeyRows(context, communityId, page),
  );
  return rows.map((row, index) => toIssuerKey(row, { isCurrent: index + page.offset === 0 }));
}

export function toIssuerKey(row: IssuerKeyRow, { isCurrent }: { isCurrent: boolean }): IssuerKey {
  return { did: toDidKey(row.public_key), createdAtTimestamp: row.created_at.getTime(), isCurrent };
}

/** Returns the current key of a community, which this process can use. */
export async function readCurrentIssuerKey(
  context: Pick<Context, 'database' | 'issuerKeys' | 'log'>,
  communityId: string,
): Promise<IssuerKeyId> {
  const [current] = await readKeyRows(context, communityId);
  if (current === undefined) throw credentialsUnavailable(NO_SEED);
  const key = { communityId, generation: current.generation };
  checkIssuerKey(context, key, current.public_key);
  return key;
}

export const NO_SEED =
  'The service has no seed for the keys of issuers. The operator sets BADGE_ISSUER_SEED_FILE.';

/**
 * Returns the keys if the seed of this process gives the recorded public key. Otherwise throws, so that
 * nothing is signed with a key that nobody knows.
 */
export function checkIssuerKey(
  { issuerKeys, log }: Pick<Context, 'issuerKeys' | 'log'>,
  key: IssuerKeyId,
  recorded: Buffer,
): IssuerKeys {
  if (issuerKeys === null) throw credentialsUnavailable(NO_SEED);
  const derived = issuerKeys.publicKeyOf(key);
  if (derived.equals(recorded)) return issuerKeys;
  log.error(
    { ...key, recorded: toDidKey(recorded), derived: toDidKey(derived) },
    'the seed gives another issuer key than the recorded one: nothing is signed',
  );
  throw credentialsUnavailable(
    `The key of the issuer is ${toDidKey(recorded)}, but the seed of the service gives another one.`,
  );
}

async function readKeyRows(
  { database, issuerKeys }: Pick<Context, 'database' | 'issuerKeys'>,
  communityId: string,
  page = { limit: 1, offset: 0 },
): Promise<IssuerKeyRow[]> {
  const rows = await findIssuerKeys(database, communityId, page);
  if (rows.length > 0 || page.offset > 0 || issuerKeys === null) return rows;
  await insertFirstIssuerKey(database, {
    communityId,
    publicKey: issuerKeys.publicKeyOf({ communityId, generation: 1 }),
  });
  return await findIssuerKeys(database, communityId, page);
}
