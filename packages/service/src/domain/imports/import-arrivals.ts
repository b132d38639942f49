import { createHash } from 'node:crypto';
import { LIMITS, type Person } from '@badge/protocol';
import {
  type Arrival,
  ArrivalError,
  type ArrivalProblem,
  type ArrivalSkip,
  type ArrivingLink,
  type ArrivingPerson,
  type ArrivingPicture,
  type ArrivingToken,
  type Place,
  type Source,
  toServiceName,
} from '../../arrivals/arrival.ts';
import type { Context, DatabaseTransaction, Settings } from '../../context.ts';
import type { Address } from '../../signatures/address.ts';
import type { Actor } from '../../storage/audit-log.ts';
import { lockCommunity } from '../../storage/communities.ts';
import {
  type FoundToken,
  findImportedToken,
  findOwnToken,
  insertImportedEntries,
  insertImportedLink,
  insertImportedOwners,
  insertImportedPicture,
  insertImportedToken,
  readStoredBytes,
  recordImport,
  recordImportedReplacement,
} from '../../storage/imports.ts';
import { findNftType } from '../../storage/nft-types.ts';
import { type PersonalFields, writeRecipients } from '../../storage/recipients.ts';
import { lockCurrentToken } from '../../storage/token-locks.ts';
import { checkClaimLinkUsage } from '../claim-links/read-usage.ts';
import { prepareKeptAddresses } from '../kept-addresses.ts';
import { readAssetType } from '../nft-types/read-asset-type.ts';
import { encryptPerson, isPersonGiven } from '../recipients/rules.ts';
import { Refusal } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { type NewPeople, readNewPeople, type TokenOfPeople } from './read-new-people.ts';
import { addressOf, findTokenProblem, type Outcome, problem, toDesign, toImportedToken } from './rules.ts';

/** The parts of the service that an import uses. */
export type ImportContext = Pick<
  Context,
  'database' | 'transaction' | 'encryption' | 'keptAddresses' | 'log'
> & { settings: Pick<Settings, 'storageQuotaBytes' | 'publicUrl'> };

export interface ImportOptions {
  communityId: string;
  /** Who imports: the creator of the tokens. */
  importer: Address;
  /** Who is named in the audit log. Null: an operation, which is in the log already, imports. */
  actor: Actor | null;
  /** Whether nothing is written. */
  isDryRun: boolean;
  /**
   * Called for each line, in their order: what has happened to it or, in a dry run, what would. `detail` has
   * no personal data.
   */
  onLine?: (line: { place: Place } & Outcome) => void;
  signal?: AbortSignal;
}

export interface ImportResult {
  lines: number;
  imported: number;
  skipped: number;
  problems: number;
}

const CHUNK_LINES = 500;

/**
 * Imports badges of other services into a community, with those who have them or can claim them. A line is
 * imported whole or not at all, and what is there already is skipped. So an import that was interrupted is
 * continued by the same import. Throws `ArrivalError` if the source cannot be read any further.
 */
export async function importArrivals(
  context: ImportContext,
  arrivals: AsyncIterable<Arrival>,
  options: ImportOptions,
): Promise<ImportResult> {
  const run = createRun(context, options);
  let chunk: ChunkLine[] = [];
  const flush = async () => {
    await run.importChunk(chunk);
    chunk = [];
  };
  for await (const arrival of arrivals) {
    options.signal?.throwIfAborted();
    if (arrival.kind === 'token') {
      await flush();
      await run.importToken(arrival);
    } else if (chunk.push(arrival) >= CHUNK_LINES) await flush();
  }
  await flush();
  return run.result;
}

/** A token of the source. If it was not imported: what happens to its people. */
type KnownToken = TokenOfPeople | Outcome;
type ChunkLine = ArrivingPerson | ArrivingLink | ArrivalProblem | ArrivalSkip;

const IS_MISSING = problem('its badge is not before it in the source');
const IS_NOT_IMPORTED = problem('its badge was not imported');

function createRun(context: ImportContext, options: ImportOptions) {
  const { communityId, importer, actor, isDryRun, onLine } = options;
  const { database } = context;
  const result: ImportResult = { lines: 0, imported: 0, skipped: 0, problems: 0 };
  const known = new Map<string, KnownToken>();
  const nameOf = ({ service, id }: Pick<Source, 'service' | 'id'>) => JSON.stringify([service, id]);
  // In a dry run: what would be stored.
  const plannedDesigns = new Set<string>();
  let plannedBytes = 0;
  let isRecorded = actor === null;

  function report(place: Place, outcome: Outcome): void {
    result.lines += 1;
    result[outcome.outcome === 'problem' ? 'problems' : outcome.outcome] += 1;
    onLine?.({ place, ...outcome });
  }

  /** Writes in a transaction. The first one records the import. */
  async function write<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    const written = await context.transaction(async (tx) => {
      if (!isRecorded && actor !== null) await recordImport(tx, actor, communityId);
      return await work(tx);
    });
    isRecorded = true;
    return written;
  }

  async function importToken(token: ArrivingToken): Promise<void> {
    const name = nameOf(token.source);
    if (known.has(name))
      return report(token.place, {
        outcome: 'skipped',
        detail: 'is in this source already',
        isPresent: true,
      });
    const decided = await decideToken(token);
    known.set(name, decided.token);
    report(token.place, decided.outcome);
  }

  async function decideToken(token: ArrivingToken): Promise<DecidedToken> {
    const refuse = (detail: string) => ({ outcome: problem(detail), token: IS_NOT_IMPORTED });
    const detail = findTokenProblem(token, importer);
    if (detail !== null) return refuse(detail);
    // So that the picture of a badge that is there is not read.
    const found = await findImportedToken(database, { communityId, ...token.source });
    if (found !== undefined) return isThere(found);
    const { service } = token.source;
    // The archive of a community can come back to it. Its badges are not imported beside themselves.
    const isOwn = service === toServiceName(context.settings.publicUrl);
    const ownId = isOwn ? await findOwnToken(database, communityId, token) : null;
    if (ownId !== null) {
      const detail = `is token ${ownId} of this community`;
      const outcome: Outcome = { outcome: 'skipped', detail, isPresent: true };
      return { outcome, token: { ...outcome, detail: `its badge ${detail}` } };
    }
    const replacedBy =
      token.replacedBy == null
        ? undefined
        : await findImportedToken(database, { communityId, service, id: token.replacedBy });
    const planned = known.get(nameOf({ service, id: token.replacedBy ?? '' }));
    const isPlanned = isDryRun && planned !== undefined && 'seen' in planned;
    if (token.replacedBy != null && replacedBy === undefined && !isPlanned)
      return refuse('the badge that has replaced it was not imported');
    try {
      const picture = token.picture === null ? null : await readPicture(await token.picture());
      return await addToken(token, { picture, replacedBy });
    } catch (error) {
      if (error instanceof ArrivalError || error instanceof Refusal)
        return refuse(`its picture cannot be used: ${error.message}`);
      throw error;
    }
  }

  async function addToken(
    token: ArrivingToken,
    { picture, replacedBy }: { picture: Picture | null; replacedBy: FoundToken | undefined },
  ): Promise<DecidedToken> {
    const row = toImportedToken(token, { communityId, importer });
    const design = picture && { ...picture, ...toDesign(token.headline, picture.hash), communityId };
    if (design !== null) {
      row.nftTypeId = design.nftTypeId;
      row.assetContentType = design.contentType;
    }
    if (isDryRun) {
      if (design !== null && (await isNewAndFits(database, design))) {
        plannedBytes += design.bytes.length;
        plannedDesigns.add(design.nftTypeId);
      }
      return isNew({ ...row, tokenId: null }, token.headline);
    }
    return await write(async (tx) => {
      // Another import waits here until this one has inserted the badge.
      await lockCommunity(tx, communityId);
      const found = await findImportedToken(tx, row);
      if (found !== undefined) return isThere(found);
      if (design !== null && (await isNewAndFits(tx, design))) await insertImportedPicture(tx, design);
      const tokenId = await insertImportedToken(tx, row);
      if (replacedBy !== undefined)
        await recordImportedReplacement(tx, { tokenId, replacedById: replacedBy.tokenId });
      return isNew({ ...row, tokenId }, token.headline);
    });
  }

  /** Whether a picture must be stored. Throws if it does not fit into the quota of the community. */
  async function isNewAndFits(
    db: Context['database'],
    { nftTypeId, bytes }: { nftTypeId: string; bytes: Buffer },
  ): Promise<boolean> {
    if (plannedDesigns.has(nftTypeId) || (await findNftType(db, communityId, nftTypeId)) !== undefined)
      return false;
    const quotaBytes = context.settings.storageQuotaBytes;
    const storedBytes = (await readStoredBytes(db, communityId)) + plannedBytes;
    if (storedBytes + bytes.length <= quotaBytes) return true;
    const detail = `the files and claim links of a community may have ${quotaBytes} bytes in all, and it does not fit`;
    throw new Refusal('StorageQuotaReached', detail);
  }

  async function importChunk(chunk: ChunkLine[]): Promise<void> {
    const outcomes = new Map<ChunkLine, Outcome>();
    const byToken = new Map<TokenOfPeople, (ArrivingPerson | ArrivingLink)[]>();
    for (const line of chunk) {
      if (line.kind === 'problem') {
        outcomes.set(line, problem(line.detail));
        continue;
      }
      if (line.kind === 'skip') {
        outcomes.set(line, { outcome: 'skipped', detail: line.detail });
        continue;
      }
      const token = known.get(nameOf(line.token));
      if (token === undefined || !('seen' in token)) outcomes.set(line, token ?? IS_MISSING);
      else if (!byToken.get(token)?.push(line)) byToken.set(token, [line]);
    }
    /** Without a transaction, writes nothing. */
    const importPeopleOf = async (token: TokenOfPeople, tx: DatabaseTransaction | null) => {
      const items = byToken.get(token) ?? [];
      const added = await readNewPeople(context, tx ?? database, { communityId, token, items });
      if (tx !== null && token.tokenId !== null) {
        const locked = { ...token, communityId, tokenId: token.tokenId };
        await writePeople(context, tx, locked, added.people);
        const refusal = await writeLinks(context, tx, locked, added.links);
        if (refusal !== null)
          for (const { item } of added.links) added.outcomes[item] = problem(refusal.message);
      }
      for (const [index, line] of items.entries()) outcomes.set(line, added.outcomes[index] ?? IS_MISSING);
    };
    // In the order of the ids, as everywhere, so that two transactions cannot deadlock.
    const tokens = [...byToken.keys()].sort((a, b) => (a.tokenId ?? 0) - (b.tokenId ?? 0));
    if (isDryRun) {
      for (const token of tokens) await importPeopleOf(token, null);
    } else if (tokens.length > 0) {
      await write(async (tx) => {
        for (const token of tokens) {
          if (token.tokenId !== null) token.tokenId = await lockCurrentToken(tx, token.tokenId);
        }
        for (const token of tokens) {
          await importPeopleOf(token, tx);
          // From the commit on, the database has them.
          token.seen.clear();
        }
      });
    }
    for (const line of chunk) report(line.place, outcomes.get(line) ?? IS_MISSING);
  }

  return { importToken, importChunk, result };
}

interface DecidedToken {
  outcome: Outcome;
  token: KnownToken;
}

function isThere({ tokenId, isAllowlistRequired }: FoundToken): DecidedToken {
  return {
    outcome: { outcome: 'skipped', detail: `is there already as token ${tokenId}`, isPresent: true },
    token: { tokenId, isAllowlistRequired, seen: new Set() },
  };
}

/** `tokenId` is null in a dry run. */
function isNew(
  { tokenId, isAllowlistRequired }: Omit<TokenOfPeople, 'seen'>,
  headline: string,
): DecidedToken {
  const name = tokenId === null ? 'a new token' : `token ${tokenId}`;
  return {
    outcome: { outcome: 'imported', detail: `${name}: ${headline}` },
    token: { tokenId, isAllowlistRequired, seen: new Set() },
  };
}

type LockedToken = TokenOfPeople & { tokenId: number; communityId: string };

async function writePeople(
  context: ImportContext,
  tx: DatabaseTransaction,
  token: LockedToken,
  people: NewPeople['people'],
): Promise<void> {
  if (people.length === 0) return;
  const { communityId, tokenId, isAllowlistRequired } = token;
  const added = people.filter((one) => !one.isPresent);
  const owners = added.filter((one) => one.kind === 'owner');
  const kept = owners.flatMap(({ emailHash }) => (emailHash === null ? [] : { communityId, emailHash }));
  await prepareKeptAddresses(context, tx, kept);
  // Who has a badge that only those on its list get is on its list.
  const entries = added.flatMap((one) => {
    if (one.kind === 'entry') return one.entry;
    return isAllowlistRequired ? { key: one.key } : [];
  });
  await insertImportedEntries(tx, tokenId, entries);
  await insertImportedOwners(
    tx,
    token,
    owners.map(({ owner }) => owner),
  );
  // Whose badge was moved has another row, with the address that has it now.
  const present = people.filter((one) => one.kind === 'entry' || one.owner.ending !== 'moved');
  await writeRecipients(
    tx,
    tokenId,
    present.map((one) => ({
      contributorKey: one.key,
      way: 'import',
      address: one.kind === 'owner' ? one.owner.address : addressOf(one.entry),
      identifier: one.kind === 'owner' ? undefined : one.entry.identifier,
      claimLinkId: null,
      invitationId: null,
      addedAt: one.addedAt,
      ...encryptGiven(context, one.key, one.person),
    })),
  );
}

/** Returns why the links do not fit; null if they were written. */
async function writeLinks(
  context: ImportContext,
  tx: DatabaseTransaction,
  { communityId, tokenId }: LockedToken,
  links: NewPeople['links'],
): Promise<Refusal | null> {
  if (links.length === 0) return null;
  try {
    const token = { token_id: tokenId, community_id: communityId };
    await checkClaimLinkUsage(context, tx, { token, added: links.length });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  for (const { added } of links) {
    const { link, entry, person } = added;
    const given = encryptGiven(context, entry.key, person ?? {});
    await insertImportedLink(tx, { tokenId, link, entry, person: given });
  }
  return null;
}

function encryptGiven(context: ImportContext, key: Buffer, person: Person): PersonalFields {
  return isPersonGiven(person)
    ? encryptPerson(requireEncryption(context), key, person)
    : { name: null, email: null, emailHash: null, note: null };
}

interface Picture extends ArrivingPicture {
  hash: Buffer;
}

/** Checks a picture as an upload is checked. Its content says its type. */
async function readPicture({ bytes }: ArrivingPicture): Promise<Picture> {
  if (bytes.length === 0) throw new ArrivalError('it is empty');
  if (bytes.length > LIMITS.assetBytes) throw new ArrivalError('it is larger than 20 MiB');
  const hash = createHash('sha256').update(bytes).digest();
  const contentType = await readAssetType({
    sizeBytes: bytes.length,
    hash,
    read: async (position, length) => bytes.subarray(position, position + length),
  });
  return { contentType, bytes, hash };
}
