import { basename } from 'node:path';
import { openSource } from './archive/source.ts';
import { ArrivalError, type ArrivalFormat } from './arrivals/arrival.ts';
import { READERS } from './arrivals/formats.ts';
import { type Config, urlsOf } from './config.ts';
import { createFetchUrl } from './domain/imports/create-fetch-url.ts';
import { type ImportOptions, type ImportResult, importArrivals } from './domain/imports/import-arrivals.ts';
import { createEncryption } from './encryption.ts';
import { createLog } from './log.ts';
import { findEncryptionKey, findSeed } from './secrets.ts';
import { type Address, parseAddress } from './signatures/address.ts';
import { createKeptAddresses } from './signatures/kept-addresses.ts';
import { findCommunities, listCommunityIds } from './storage/communities.ts';
import type { Database, DatabaseTransaction } from './storage/database.ts';
import { findImporter } from './storage/imports.ts';

/** What is imported, and how. */
export interface BadgeImportOptions extends Pick<ImportOptions, 'isDryRun'> {
  format: ArrivalFormat;
  /** Null: the only community. */
  communityId: string | null;
  mapping: Record<string, string>;
  /** The address of the creator of the tokens. Null: as in the API. */
  creator: string | null;
  picturesFolder: string | null;
  /** A file with an identity of age, for people who are encrypted. */
  identityFile: string | null;
  /** Whether nothing is read from the network. */
  isOffline: boolean;
  onLine: NonNullable<ImportOptions['onLine']>;
}

/**
 * Imports badges of another service from a file, a folder or a URL into a community. A service may run
 * meanwhile. Throws `ArrivalError` if the source cannot be read.
 */
export async function importBadges(
  config: Config,
  path: string,
  options: BadgeImportOptions,
): Promise<ImportResult> {
  const { format, mapping, picturesFolder, identityFile, isOffline, isDryRun, onLine } = options;
  const { database, check, end } = await openSource(config);
  try {
    await check();
    const encryptionKey = findEncryptionKey(config);
    const holderSeed = findSeed(config, 'holderSeed');
    const context = {
      database,
      transaction: <T>(work: (tx: DatabaseTransaction) => Promise<T>) => database.transaction().execute(work),
      log: createLog(config.logLevel),
      settings: { ...config, ...urlsOf(config) },
      encryption: encryptionKey === null ? null : createEncryption(encryptionKey),
      keptAddresses: holderSeed === null ? null : createKeptAddresses(holderSeed),
    };
    const communityId = await findCommunity(database, options.communityId);
    const importer = await readImporter(database, communityId, options.creator);
    const fetchUrl = isOffline ? null : createFetchUrl(config.webhookAllow);
    const arrivals = READERS[format]({
      name: basename(path),
      path,
      mapping,
      picturesFolder,
      identityFile,
      fetchUrl,
    });
    const actor = { kind: 'operator', apiKeyId: null } as const;
    return await importArrivals(context, arrivals, { communityId, importer, actor, isDryRun, onLine });
  } finally {
    await end();
  }
}

async function findCommunity(database: Database, communityId: string | null): Promise<string> {
  if (communityId !== null) {
    const [found] = await findCommunities(database, [communityId]);
    if (found === undefined) throw new ArrivalError(`there is no community ${JSON.stringify(communityId)}`);
    return communityId;
  }
  const [only, another] = await listCommunityIds(database, { limit: 2, offset: 0 });
  if (only === undefined) throw new ArrivalError('there is no community: create one first');
  if (another !== undefined)
    throw new ArrivalError('there are several communities: name one with --community ID');
  return only;
}

async function readImporter(
  database: Database,
  communityId: string,
  creator: string | null,
): Promise<Address> {
  const importer = creator === null ? await findImporter(database, communityId) : parseAddress(creator);
  if (importer !== null) return importer;
  throw new ArrivalError('the community has no owner: name the creator of its tokens with --creator ADDRESS');
}
