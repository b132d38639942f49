import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Requester } from '@badge/badge-images';
import { signBadge } from '@badge/credentials/issue';
import type { Progress } from '../../archive/progress.ts';
import { inSnapshot } from '../../archive/source.ts';
import { ArchiveError } from '../../archive/tar.ts';
import type { Piece } from '../../archive/write-files.ts';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { type CommunityRow, findCommunities } from '../../storage/communities.ts';
import {
  countHeld,
  findStatusListIds,
  type HeldCredentialRow,
  readHeldCredentials,
  readOwnersWithoutCredential,
} from '../../storage/community-credentials.ts';
import { insertCredentials } from '../../storage/credentials.ts';
import { findTokens, TOKEN_COLUMNS, type TokenRow } from '../../storage/tokens.ts';
import { createPictureReader } from '../credentials/read-credential.ts';
import { checkIssuerKey, readCurrentIssuerKey } from '../credentials/read-issuer-keys.ts';
import { createStatusListReader } from '../credentials/read-status-list.ts';
import { type CredentialPicture, toBadge } from '../credentials/rules.ts';
import { Refusal } from '../refusal.ts';

/** With more badges, an archive has no credentials. */
export const MAX_ARCHIVED_CREDENTIALS = 100_000;
// Each takes less than a millisecond. Meanwhile nothing else of the process runs.
const SIGNED_AT_ONCE = 8;

export type SigningContext = Pick<Context, 'database' | 'issuerKeys' | 'images' | 'log'> & {
  settings: Pick<Context['settings'], 'publicUrl' | 'imageUrl' | 'statusUrl' | 'domain'>;
};

/**
 * Gives a credential to everybody who has a badge of a community and has none. So that each is recorded, and
 * can be revoked. Returns why the archive can have no credentials, null if it can, and how many have a badge.
 */
export async function recordCredentials(
  context: SigningContext,
  communityId: string,
  { max, signal, progress }: { max: number; signal: AbortSignal | undefined; progress: Progress },
): Promise<{ leftOut: 'tooMany' | 'noKey' | null; held: number }> {
  const { database, settings } = context;
  const held = await countHeld(database, communityId, max + 1);
  if (held > max) return { leftOut: 'tooMany', held };
  const key = await readCurrentIssuerKey(context, communityId).catch(skipUnavailable);
  if (key === null) return { leftOut: 'noKey', held };
  let recorded = 0;
  const choice = { ...key, baseUrl: settings.statusUrl };
  await inSnapshot(database, async (tx) => {
    for await (const owners of readOwnersWithoutCredential(tx, communityId)) {
      signal?.throwIfAborted();
      await insertCredentials(database, choice, owners, { mayWait: false });
      recorded += owners.length;
      progress.report(`${recorded} credentials are new`, { done: recorded, total: 2 * held });
    }
  });
  return { leftOut: null, held };
}

/** Reads the credential of each owner as a line, signed as the service gives it. */
export async function* readCredentialLines(
  context: SigningContext,
  tx: DatabaseTransaction,
  {
    communityId,
    requester,
    held,
    progress,
  }: { communityId: string; requester: Requester; held: number; progress: Progress },
): AsyncGenerator<Piece> {
  let signed = 0;
  const readPicture = createPictureReader({ ...context, database: tx });
  const [community] = await findCommunities(tx, [communityId]);
  if (community === undefined) throw new ArchiveError(`there is no community ${communityId}`);
  let current: { token: TokenRow; picture: CredentialPicture } | undefined;
  for await (const rows of readHeldCredentials(tx, communityId)) {
    const lines: string[] = [];
    for (const [index, row] of rows.entries()) {
      if (current === undefined || current.token.token_id !== row.tokenId) {
        const [token] = await findTokens(tx, [row.tokenId], TOKEN_COLUMNS);
        if (token === undefined) throw new Error(`there is no token ${row.tokenId}`);
        current = { token, picture: await readPicture(token, requester) };
      }
      const credential = await sign(context, row, { ...current, community }).catch(skipUnavailable);
      if (credential === null) continue;
      const address = `0x${row.address.toString('hex')}`;
      lines.push(`{"tokenId":${row.tokenId},"address":"${address}","credential":${credential}}\n`);
      if (index % SIGNED_AT_ONCE === 0) await letOthersRun();
    }
    signed += rows.length;
    // To sign them takes most of the time, and to record them the rest.
    progress.report(`${signed} credentials`, { done: held + Math.min(signed, held), total: 2 * held });
    yield { bytes: Buffer.from(lines.join('')), lines: lines.length };
  }
}

async function sign(
  context: SigningContext,
  row: HeldCredentialRow,
  { token, picture, community }: { token: TokenRow; picture: CredentialPicture; community: CommunityRow },
): Promise<string> {
  const key = { communityId: community.community_id, generation: row.generation };
  const keys = checkIssuerKey(context, key, row.public_key);
  const badge = toBadge(context.settings, {
    token,
    address: row.address,
    claimedAt: row.claimed_at,
    state: { community_name: community.name, logo_url: community.logo_url, criteria: token.criteria },
    credential: row,
    picture,
    identities: [],
  });
  return await signBadge(badge, (digest) => keys.sign(key, digest));
}

/** Reads the signed status lists of a community, each as a file named after it. */
export async function* readStatusLists(
  { issuerKeys, log }: SigningContext,
  tx: DatabaseTransaction,
  communityId: string,
): AsyncGenerator<{ name: string; bytes: Buffer }> {
  const readStatusList = createStatusListReader({ database: tx, issuerKeys, log });
  for (const listId of await findStatusListIds(tx, communityId)) {
    const list = await readStatusList(listId).catch(skipUnavailable);
    if (list !== null) yield { name: listId, bytes: list.bytes };
  }
}

/** What a key of another seed has signed cannot be signed again. */
function skipUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.errorName === 'CredentialsUnavailable') return null;
  throw error;
}
