import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Decrypter } from 'age-encryption';
import { checkFiles, readCommunityManifest } from '../archive/check-archive.ts';
import { COMMUNITY_NOUNS, PEOPLE } from '../archive/community-nouns.ts';
import { fileOf, pictureFileOf } from '../archive/lines.ts';
import type { CommunityManifest } from '../archive/manifest.ts';
import type { Noun } from '../archive/nouns.ts';
import { type Line, readLines } from '../archive/read-lines.ts';
import { ArchiveError, openTar, type TarReader } from '../archive/tar.ts';
import { createVerifier, type VerifyLine } from '../archive/verify-signatures.ts';
import {
  type Arrival,
  ArrivalError,
  type ArrivingLink,
  type ArrivingPerson,
  type ArrivingPicture,
  type ArrivingToken,
  PERSON_DEFAULTS,
  type ReadArrivals,
  type Source,
  toServiceName,
} from './arrival.ts';
import { toProblem } from './make-token.ts';

const SILENT = { report: () => undefined };
const WITHOUT_EMAIL = 'it is kept for an e-mail that the file does not have: export with people';
const ENCRYPTED_PEOPLE = `${fileOf(PEOPLE)}.age`;

/**
 * Reads the archive of a community of this service. The whole of it is checked before the first badge
 * arrives.
 */
export const readBadge: ReadArrivals = async function* ({ path, identityFile = null }) {
  try {
    const tar = await openTar(path);
    try {
      const archive = await openArchive(tar, identityFile);
      yield* readArchive(archive);
    } finally {
      await tar.close();
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw new ArrivalError(error.message);
    throw error;
  }
};

/** An archive whose files and lines are right. */
interface Archive {
  tar: TarReader;
  manifest: CommunityManifest;
  /** Reads the lines of a file. */
  read(name: FileName): AsyncGenerator<Line>;
  /** Whether the file of the people cannot be read. */
  hasSecretPeople: boolean;
}

const READ = [
  'tokens',
  'owners',
  'contributors',
  'claim-links',
  'pictures',
  'nft-types',
  'kept-addresses',
  'people',
] as const;

type FileName = (typeof READ)[number];

async function openArchive(tar: TarReader, identityFile: string | null): Promise<Archive> {
  const manifest = await readCommunityManifest(tar);
  await checkFiles(tar, manifest, { needed: COMMUNITY_NOUNS.map(fileOf), progress: SILENT });
  const identity = identityFile === null ? null : (await readFile(identityFile, 'utf8')).trim();
  const hasSecretPeople = manifest.people === 'encrypted' && identity === null;
  async function* read(name: FileName, verify?: VerifyLine): AsyncGenerator<Line> {
    const noun = findNoun(name);
    if (name !== 'people') yield* readLines(noun, tar.read(fileOf(noun)), verify);
    else if (manifest.people === 'plain') yield* readLines(noun, tar.read(fileOf(noun)));
    else if (manifest.people === 'encrypted' && identity !== null)
      yield* readLines(noun, decrypt(tar.read(ENCRYPTED_PEOPLE), identity));
  }
  for (const name of READ) {
    // Only that a line can be read, and that its signature is right.
    for await (const _ of read(name, createVerifier(name, manifest.deployment)));
  }
  return { tar, manifest, read, hasSecretPeople };
}

function findNoun(name: FileName): Noun {
  const noun = [...COMMUNITY_NOUNS, PEOPLE].find((one) => one.name === name);
  if (noun === undefined) throw new Error(`there is no file ${name}`);
  return noun;
}

async function* decrypt(content: AsyncIterable<Buffer>, identity: string): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter();
  // The file of age-keygen has comments.
  const lines = identity.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  try {
    if (lines.length === 0) throw new Error('there is no line');
    for (const line of lines) decrypter.addIdentity(line.trim());
  } catch {
    throw new ArchiveError('the file of --identity has no age identity, which begins with AGE-SECRET-KEY-1');
  }
  try {
    const stream = await decrypter.decrypt(
      Readable.toWeb(Readable.from(content)) as ReadableStream<Uint8Array>,
    );
    for await (const bytes of stream) yield Buffer.from(bytes);
  } catch {
    throw new ArchiveError(`${ENCRYPTED_PEOPLE} cannot be decrypted: the identity is that of another key`);
  }
}

async function* readArchive(archive: Archive): AsyncGenerator<Arrival> {
  const service = toServiceName(archive.manifest.publicUrl);
  if (archive.hasSecretPeople)
    yield toProblem(
      ENCRYPTED_PEOPLE,
      'it is encrypted, so nobody has a name: import with the command, and --identity FILE',
    );
  const reader = await createTokenReader(archive, service);
  const replaced: Line[] = [];
  for await (const line of archive.read('tokens')) {
    if (line.fields.replacedByTokenId !== null) {
      // Everybody of it has the one that has replaced it.
      await reader.skipPeople(line);
      replaced.push(line);
      continue;
    }
    yield reader.toToken(line);
    yield* reader.readPeople(line);
  }
  for (const line of replaced) yield reader.toToken(line);
  yield* readLinks(archive, service, reader.peopleOfLinks);
}

// The texts are as they are: they fit here as they fit there.
function makePerson(
  person: Pick<ArrivingPerson, 'place' | 'token' | 'subject' | 'isOwner'> & Partial<ArrivingPerson>,
): ArrivingPerson {
  return { ...PERSON_DEFAULTS, ...person, kind: 'person' };
}

type Fields = Record<string, unknown>;
/** What the community knows about somebody. */
type Known = Pick<ArrivingPerson, 'name' | 'email' | 'note'>;

async function createTokenReader({ tar, manifest, read }: Archive, service: string) {
  const designs = new Map<string, string>();
  for await (const { fields } of read('nft-types'))
    if (fields.assetId !== null) designs.set(String(fields.nftTypeId), String(fields.assetId));
  const contentTypes = new Map<string, string>();
  for await (const { fields } of read('pictures'))
    contentTypes.set(String(fields.assetId), String(fields.contentType));
  const kept = new Set<string>();
  for await (const { fields } of read('kept-addresses')) kept.add(String(fields.address));
  const owners = createCursor(read('owners'));
  const contributors = createCursor(read('contributors'));
  const people = createCursor(read('people'));
  const peopleOfLinks = new Map<string, NonNullable<ArrivingLink['person']>>();

  function findPicture({ nftTypeId, assetContentType }: Fields): (() => Promise<ArrivingPicture>) | null {
    if (assetContentType === null) return null;
    const assetId = designs.get(String(nftTypeId));
    const contentType = contentTypes.get(assetId ?? '');
    return async () => {
      if (assetId === undefined || contentType === undefined)
        throw new ArrivalError('the archive does not have its design');
      const pieces: Buffer[] = [];
      for await (const piece of tar.read(pictureFileOf({ assetId, contentType }))) pieces.push(piece);
      return { contentType, bytes: Buffer.concat(pieces) };
    };
  }

  function toToken({ fields, number }: Line): ArrivingToken {
    const id = String(fields.tokenId);
    const token = fields as unknown as Omit<ArrivingToken, 'kind' | 'place' | 'source' | 'picture'>;
    return {
      kind: 'token',
      place: `tokens.ndjson:${number}`,
      source: { service, id, url: `${manifest.publicUrl}/token/${id}` },
      headline: token.headline,
      description: token.description,
      startDateTimestamp: token.startDateTimestamp,
      endDateTimestamp: token.endDateTimestamp,
      links: token.links,
      customAttributes: token.customAttributes,
      criteria: token.criteria,
      claimableFromTimestamp: token.claimableFromTimestamp,
      validUntilTimestamp: token.validUntilTimestamp,
      validityDays: token.validityDays,
      createdAtTimestamp: token.createdAtTimestamp,
      isSignatureRequired: token.isSignatureRequired,
      totalClaimCount: token.totalClaimCount,
      expirationTimestamp: token.expirationTimestamp,
      isHidden: token.isHidden,
      nftTypeId: token.nftTypeId,
      replacedBy: fields.replacedByTokenId === null ? null : String(fields.replacedByTokenId),
      picture: findPicture(fields),
    };
  }

  /** Reads who has the token or can claim it. All three files have the same order. */
  async function* readPeople({ fields: { tokenId } }: Line): AsyncGenerator<Arrival> {
    const token = { service, id: String(tokenId) };
    for (;;) {
      const heads = [
        await owners.peek(tokenId),
        await contributors.peek(tokenId),
        await people.peek(tokenId),
      ];
      const addresses = heads.flatMap((head) => (typeof head?.address === 'string' ? [head.address] : []));
      const address = addresses.toSorted()[0];
      if (address === undefined) break;
      const owner = await owners.take(tokenId, address);
      const entry = await contributors.take(tokenId, address);
      const known = await takeKnown(tokenId, address);
      if (owner !== undefined) {
        const isKept = kept.has(address) && owner.fields.ending !== 'moved';
        yield isKept && known.email == null
          ? toProblem(`owners.ndjson:${owner.number}`, WITHOUT_EMAIL)
          : toOwner(owner, { token, known, isKept });
      }
      if (owner === undefined && entry !== undefined) {
        const place = `contributors.ndjson:${entry.number}`;
        yield makePerson({ place, token, subject: { address }, isOwner: false, ...known });
      }
    }
    // What an entry without an address is, only the people say.
    while ((await contributors.take(tokenId, null)) !== undefined);
    for (;;) {
      const person = await people.take(tokenId, null);
      if (person === undefined) return;
      yield* toListed(person, token);
    }
  }

  async function takeKnown(tokenId: unknown, address: string): Promise<Partial<Known>> {
    const known: Partial<Known> = {};
    for (;;) {
      const person = await people.take(tokenId, address);
      if (person === undefined) return known;
      const { name, email, note } = person.fields as unknown as Known;
      known.name ??= name;
      known.email ??= email;
      known.note ??= note;
    }
  }

  function* toListed({ fields, number }: Line, token: Pick<Source, 'service' | 'id'>): Generator<Arrival> {
    const { identifier, claimLinkId, name, email, note } = fields as unknown as Known & {
      identifier: string | null;
      claimLinkId: string | null;
    };
    const known = { name, email, note };
    // Who has a link claims with it, and not a second time.
    if (claimLinkId !== null) peopleOfLinks.set(claimLinkId, { identifier, ...known });
    if (claimLinkId !== null && identifier === null) return;
    const subject = identifier !== null ? { identifier } : email !== null ? { email } : null;
    if (subject === null) return;
    yield makePerson({ place: `people.ndjson:${number}`, token, subject, isOwner: false, ...known });
  }

  async function skipPeople({ fields: { tokenId } }: Line): Promise<void> {
    for (const cursor of [owners, contributors, people])
      while ((await cursor.peek(tokenId)) !== undefined) await cursor.next();
  }

  return { toToken, readPeople, skipPeople, peopleOfLinks };
}

function toOwner(
  { fields, number }: Line,
  { token, known, isKept }: { token: Pick<Source, 'service' | 'id'>; known: Partial<Known>; isKept: boolean },
): ArrivingPerson {
  const { address, burntAtTimestamp, ending, movedFrom, claimedAtTimestamp, renewedUntilTimestamp } =
    fields as unknown as {
      address: string;
      burntAtTimestamp: number | null;
      ending: 'revoked' | 'moved' | null;
      movedFrom: string | null;
      claimedAtTimestamp: number;
      renewedUntilTimestamp: number | null;
    };
  const { email = null } = known;
  return makePerson({
    place: `owners.ndjson:${number}`,
    token,
    // Its key is in the former installation, so a badge that is kept there is kept here for the e-mail.
    subject: isKept && email !== null ? { email } : { address },
    isOwner: true,
    claimedAtTimestamp,
    ended: burntAtTimestamp === null ? null : { atTimestamp: burntAtTimestamp, how: ending ?? 'burnt' },
    movedFrom,
    renewedUntilTimestamp,
    ...known,
  });
}

async function* readLinks(
  { read }: Archive,
  service: string,
  people: Map<string, NonNullable<ArrivingLink['person']>>,
): AsyncGenerator<Arrival> {
  for await (const { fields, number } of read('claim-links')) {
    const place = `claim-links.ndjson:${number}`;
    // Nobody can use them any more, here or there.
    if (fields.isUsed === true || fields.revokedAtTimestamp !== null) continue;
    const { maxClaims, claimCount, maxClaimsPerClient } = fields as unknown as {
      maxClaims: number | null;
      claimCount: number;
      maxClaimsPerClient: number | null;
    };
    yield {
      kind: 'link',
      place,
      token: { service, id: String(fields.tokenId) },
      codeHash: String(fields.codeHash),
      createdAtTimestamp: Number(fields.createdAtTimestamp),
      startsAtTimestamp: fields.startsAtTimestamp as number | null,
      expiresAtTimestamp: fields.expiresAtTimestamp as number | null,
      isSignatureRequired: fields.isSignatureRequired === true,
      pausedAtTimestamp: fields.pausedAtTimestamp as number | null,
      room: maxClaims === null ? null : { maxClaims, claimCount, maxClaimsPerClient },
      person: people.get(String(fields.claimLinkId)) ?? null,
    };
  }
}

/** The lines of a file that is sorted by `tokenId` and `address`. */
function createCursor(lines: AsyncGenerator<Line>) {
  let head: Line | null | undefined;
  const read = async () => {
    if (head === undefined) {
      const { value, done } = await lines.next();
      head = done ? null : value;
    }
    return head;
  };
  const next = async (): Promise<Line | undefined> => {
    const line = await read();
    if (line === null) return undefined;
    head = undefined;
    return line;
  };
  return {
    next,
    /** The next line, if it is of this token. */
    peek: async (tokenId: unknown): Promise<{ address: unknown } | undefined> => {
      const line = await read();
      return line !== null && line.fields.tokenId === tokenId ? { address: addressOf(line) } : undefined;
    },
    /** Takes the next line, if it is of this token and address. */
    take: async (tokenId: unknown, address: string | null): Promise<Line | undefined> => {
      const line = await read();
      const isWanted = line !== null && line.fields.tokenId === tokenId && addressOf(line) === address;
      return isWanted ? await next() : undefined;
    },
  };
}

/** The address of an owner or a person, and that of an entry. */
function addressOf({ fields }: Line): unknown {
  return fields.address === undefined ? fields.contributorKey : fields.address;
}
