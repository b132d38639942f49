import { parseEmailAddress } from '@badge/protocol';
import { isAddress } from '../signatures/address.ts';
import {
  type Arrival,
  ArrivalError,
  type ArrivalSource,
  type ArrivingPerson,
  type FetchUrl,
  type Place,
  type ReadArrivals,
  type Subject,
} from './arrival.ts';
import { readBadgeText, readBakedBadge } from './baked-badge.ts';
import { createPictures, type Pictures } from './create-pictures.ts';
import { type Award, type BadgeClass, type Found, findBadges, normaliseId } from './find-badges.ts';
import { findSubject } from './find-subject.ts';
import { makePerson, makeToken, toProblem, toSkip } from './make-token.ts';
import { openSourceFiles, readWhole, type SourceFile } from './open-source-files.ts';
import { parseTime } from './parse-time.ts';
import { type Document, parseJson, readDocuments } from './read-documents.ts';

const MAX_PICTURE_BYTES = 20 * 2 ** 20;
const MAX_FETCHED_BYTES = 2 ** 20;
// Badges that a source only names by their URL are read from there.
const MAX_FETCHES = 5_000;
// What was read from URLs stays in memory.
const MAX_TOTAL_BYTES = 128 * 2 ** 20;
const MAX_BADGES = 100_000;
const JSON_FILE = /\.(json|jsonld|ndjson|jsonl)$/i;
const TEXT_FILE = /\.(jwt|jws|txt)$/i;
const BAKED_FILE = /\.(png|svg)$/i;

/**
 * Reads Open Badges 0.5 to 3.0: assertions and badges as JSON, signed credentials, and baked PNGs and SVGs.
 * Signatures are not verified: the community takes the badges as its own.
 */
export const readOpenBadges: ReadArrivals = async function* (source) {
  await using files = await openSourceFiles(source.path);
  await using pictures = await createPictures(source, files.files);
  const reader = createReader(source, pictures, files.files);
  for (const { name, detail } of files.skipped) yield toProblem(name, `it ${detail}`);
  let count = 0;
  // First only the badges: an award can come before its badge.
  for (const file of files.files) {
    for await (const document of reader.readFile(file)) {
      for (const arrival of reader.learn(document)) {
        count += 1;
        yield arrival;
      }
    }
  }
  for (const file of files.files) {
    for await (const document of reader.readFile(file)) {
      for await (const arrival of reader.read(document)) {
        count += 1;
        yield arrival;
      }
    }
  }
  for (const arrival of reader.readRest()) {
    count += 1;
    yield arrival;
  }
  if (count === 0) throw new ArrivalError(`${source.name} has no badge`);
};

/** `isFinal`: nobody can mend it. */
type Unusable = { problem: string; isFinal?: boolean };

type Read = Document & { picture: Buffer | null };

function createReader({ fetchUrl }: ArrivalSource, pictures: Pictures, files: SourceFile[]) {
  /** By each of their ids: the badges of the source, without their pictures if these are data URLs. */
  const classes = new Map<string, BadgeClass>();
  const events = new Map<string, { badgeId: string; issuedOn: unknown; expires: unknown }>();
  /** Of Open Badge Factory: by event and e-mail. */
  const names = new Map<string, string>();
  const made = new Set<string>();
  /** Pictures without a badge in them. */
  const bare: Place[] = [];
  const fetchJson = createFetcher(fetchUrl);

  /** Yields what a file has. Of a baked picture, also the picture. */
  async function* readFile(file: SourceFile): AsyncGenerator<Read> {
    const isOnly = files.length === 1;
    if (JSON_FILE.test(file.name)) {
      for await (const document of readDocuments(file, isOnly)) yield { ...document, picture: null };
      return;
    }
    const isText = TEXT_FILE.test(file.name);
    if (!isText && !BAKED_FILE.test(file.name)) {
      // Other pictures belong to badges, which name them.
      if (!/\.(jpe?g|gif|webp)$/i.test(file.name))
        yield { place: file.name, problem: 'it is a file of a kind that is not read', picture: null };
      return;
    }
    yield { place: file.name, ...(await readBaked(file, isText)) };
  }

  async function readBaked(
    file: SourceFile,
    isText: boolean,
  ): Promise<({ value: unknown } | { problem: string }) & { picture: Buffer | null }> {
    try {
      const bytes = await readWhole(file, MAX_PICTURE_BYTES);
      const baked = isText ? readBadgeText(bytes.toString('utf8')) : readBakedBadge(bytes);
      const picture = isText ? null : bytes;
      if (baked === null) return { problem: 'it has no badge in it', picture };
      if ('value' in baked) return { value: baked.value, picture };
      return { value: await fetchJson(baked.url, 'its badge is only at a URL'), picture };
    } catch (error) {
      if (!(error instanceof ArrivalError)) throw error;
      return { problem: error.message, picture: null };
    }
  }

  /** Yields the badges that have a place of their own in the source. */
  function* learn(document: Read): Generator<Arrival> {
    if (!('value' in document)) return;
    for (const found of findBadges(document.value)) {
      if (found.kind === 'class') {
        learnClass(found.badgeClass);
        yield* makeOnce(found.badgeClass, placeOf(found, document.place), null);
      }
      if (found.kind === 'event') events.set(found.id, found);
      if (found.kind === 'award' && found.award.badge !== null && 'badgeClass' in found.award.badge)
        learnClass(found.award.badge.badgeClass);
      if (found.kind === 'award' && found.award.name !== null) {
        const key = nameKeyOf(found.award);
        if (key !== null) names.set(key, found.award.name);
      }
    }
  }

  function learnClass(badgeClass: BadgeClass): void {
    const isData = badgeClass.image !== null && /^data:/i.test(badgeClass.image);
    const kept = isData ? { ...badgeClass, image: null } : badgeClass;
    for (const id of [badgeClass.id, ...badgeClass.otherIds]) {
      if (!classes.has(id)) classes.set(id, kept);
      if (classes.size > MAX_BADGES)
        throw new ArrivalError(`it has more than ${MAX_BADGES} badges: divide it`);
    }
  }

  async function* read(document: Read): AsyncGenerator<Arrival> {
    const { place, picture } = document;
    if ('problem' in document) {
      // A picture without a badge in it can be that of a badge, which may come later.
      if (picture === null) yield toProblem(place, document.problem);
      else bare.push(place);
      return;
    }
    let count = 0;
    for (const found of findBadges(document.value)) {
      count += 1;
      yield* readFound(found, placeOf(found, place), picture);
    }
    if (count === 0) yield toProblem(place, 'it has no badge in it');
  }

  async function* readFound(found: Found, place: Place, picture: Buffer | null): AsyncGenerator<Arrival> {
    if (found.kind !== 'award') return;
    const { award } = found;
    award.name ??= names.get(nameKeyOf(award) ?? '') ?? null;
    const badgeClass = await findClass(award);
    if ('problem' in badgeClass) {
      yield (badgeClass.isFinal === true ? toSkip : toProblem)(place, badgeClass.problem);
      return;
    }
    yield* makeOnce(badgeClass, place, picture);
    yield* readAward(award, place, toSource(badgeClass));
  }

  async function findClass(award: Award): Promise<BadgeClass | Unusable> {
    const { badge } = award;
    // Most files do not say who had a revoked badge.
    if (badge === null && award.isRevoked)
      return { problem: 'it was revoked, and the file says neither its badge nor who had it', isFinal: true };
    if (badge === null) return { problem: 'it does not say which badge it is' };
    if ('badgeClass' in badge) return badge.badgeClass;
    const event = badge.id.startsWith('event:') ? events.get(badge.id.slice('event:'.length)) : undefined;
    if (event !== undefined) {
      award.issuedOn ??= event.issuedOn;
      award.expires ??= event.expires;
    }
    const id = event?.badgeId ?? badge.id;
    const known = classes.get(id);
    if (known !== undefined) return known;
    if (!/^https?:/i.test(id)) return { problem: 'its badge is not in the source' };
    try {
      const [found] = [...findBadges(await fetchJson(id, 'its badge is not in the source'))];
      if (found?.kind !== 'class') return { problem: 'the URL of its badge has none' };
      learnClass(found.badgeClass);
      classes.set(id, found.badgeClass);
      return found.badgeClass;
    } catch (error) {
      if (!(error instanceof ArrivalError)) throw error;
      return { problem: error.message };
    }
  }

  /** Yields a badge, unless it was made before. */
  function* makeOnce(badgeClass: BadgeClass, place: Place, baked: Buffer | null): Generator<Arrival> {
    const source = toSource(badgeClass);
    if (made.has(source.id)) return;
    made.add(source.id);
    const tags = badgeClass.tags.join(', ');
    const attributes = [
      ...(tags === '' ? [] : [{ fieldName: 'tags', type: 'string' as const, value: tags }]),
      ...(badgeClass.issuer === null
        ? []
        : [{ fieldName: 'issuer', type: 'string' as const, value: badgeClass.issuer }]),
    ];
    const createdAt = badgeClass.createdAt === undefined ? null : parseTime(badgeClass.createdAt);
    yield* makeToken({
      place,
      source,
      headline: badgeClass.name,
      description: badgeClass.description,
      criteria: badgeClass.criteria,
      links: badgeClass.links,
      customAttributes: attributes,
      createdAtTimestamp: createdAt !== null && 'timestamp' in createdAt ? createdAt.timestamp : null,
      picture: pictures.find({ id: source.id, reference: badgeClass.image, embedded: baked }),
    });
  }

  /** Yields what is known only at the end. */
  function* readRest(): Generator<Arrival> {
    for (const place of bare)
      if (!pictures.isFound(String(place)))
        yield toProblem(place, 'it has no badge in it, and is the picture of none');
  }

  return { readFile, learn, read, readRest };
}

/** Such as `assertions.json:3`: the third of the list in this file. */
function placeOf({ path = [] }: Found, place: Place): Place {
  return path.length === 0 ? place : `${place}:${path.join(':')}`;
}

/** How the events of Open Badge Factory and the listing of their recipients name the same person. */
function nameKeyOf({ badge, recipient: [person] }: Award): string | null {
  if (badge === null || !('id' in badge) || !badge.id.startsWith('event:')) return null;
  return person === undefined ? null : `${badge.id} ${person.identity.toLowerCase()}`;
}

/** Reads JSON from URLs, each once. */
function createFetcher(fetchUrl: FetchUrl | null) {
  const results = new Map<string, Promise<unknown>>();
  let totalBytes = 0;
  return async (url: string, reason: string): Promise<unknown> => {
    if (fetchUrl === null) throw new ArrivalError(`${reason}, and nothing is read from the network`);
    let result = results.get(url);
    if (result === undefined) {
      if (results.size >= MAX_FETCHES || totalBytes >= MAX_TOTAL_BYTES)
        throw new ArrivalError(`${reason}, and too many were read from there: save them as files`);
      result = fetchUrl(url, { maxBytes: MAX_FETCHED_BYTES }).then(({ bytes }) => {
        totalBytes += bytes.length;
        return parseJson(bytes.toString('utf8'));
      });
      results.set(url, result);
    }
    const value = await result.catch((error: unknown) => {
      throw new ArrivalError(`${reason}, and that cannot be read: ${(error as Error).message}`);
    });
    if (value === undefined) throw new ArrivalError(`${reason}, and that is not JSON`);
    return value;
  };
}

function toSource({ id }: BadgeClass): ArrivingPerson['token'] & { url: string | null } {
  const url = /^https?:/i.test(id) && URL.canParse(id) ? new URL(id) : null;
  return { service: url?.host ?? 'openbadges', id: normaliseId(id), url: url?.href ?? null };
}

function* readAward(award: Award, place: Place, token: ArrivingPerson['token']): Generator<Arrival> {
  const subject = findRecipient(award);
  const issuedOn = readTime(award.issuedOn);
  const expires = readTime(award.expires);
  if (award.isRevoked) {
    yield toSkip(place, 'it was revoked, so nobody has it');
    return;
  }
  if ('isNobody' in subject) {
    yield toSkip(place, subject.problem);
    return;
  }
  const problem =
    'problem' in subject
      ? subject.problem
      : issuedOn !== null && 'problem' in issuedOn
        ? `issuedOn ${issuedOn.problem}`
        : expires !== null && 'problem' in expires
          ? `expires ${expires.problem}`
          : null;
  if (problem !== null || 'problem' in subject) {
    yield toProblem(place, problem ?? 'it does not say who has it');
    return;
  }
  const until = expires !== null && 'timestamp' in expires ? expires.timestamp : null;
  // Who only can claim a badge has no end of it yet.
  const isHashed = 'emailHash' in subject;
  if (isHashed && until !== null && until <= Date.now()) {
    yield toSkip(place, 'it has expired, and names only the hash of who had it');
    return;
  }
  yield* makePerson({
    place,
    token: { service: token.service, id: token.id },
    subject,
    isOwner: true,
    claimedAtTimestamp: issuedOn !== null && 'timestamp' in issuedOn ? issuedOn.timestamp : null,
    renewedUntilTimestamp: until,
    name: award.name,
    email: 'address' in subject ? findEmail(award) : null,
    note: award.note,
  });
  if (isHashed && until !== null)
    yield toSkip(place, 'it can be claimed, but its end is not kept: it names only the hash of who has it');
}

function readTime(value: unknown) {
  return value === undefined || value === null || value === '' ? null : parseTime(value);
}

const HASH = /^(?<algorithm>sha256|md5)\$(?<hash>[0-9a-f]+)$/i;
const HASH_DIGITS: Record<string, number> = { sha256: 64, md5: 32 };

type NoSubject = { problem: string } | { problem: string; isNobody: true };

/** Who has an award. A wallet goes first, then an e-mail, then a hash of one, then any other name. */
function findRecipient({ recipient }: Award): Subject | NoSubject {
  if (recipient.length === 0) return { problem: 'it does not say who has it' };
  const found = recipient.map(readRecipient);
  const isKind = (kind: string) => (subject: Subject | NoSubject) => kind in subject;
  return (
    found.find(isKind('address')) ??
    found.find(isKind('email')) ??
    found.find(isKind('emailHash')) ??
    found.find(isKind('identifier')) ??
    found[0] ?? { problem: 'it does not say who has it' }
  );
}

function readRecipient({ identity, type, salt }: Award['recipient'][number]): Subject | NoSubject {
  if (identity === '') return { problem: 'it does not say who has it' };
  const hashed = HASH.exec(identity)?.groups;
  if (hashed !== undefined) {
    const algorithm = hashed.algorithm?.toLowerCase() === 'md5' ? 'md5' : 'sha256';
    const emailHash = hashed.hash?.toLowerCase() ?? '';
    if (!isEmailType(type)) return { problem: `it names only the hash of a ${nameType(type)}` };
    if (emailHash.length !== HASH_DIGITS[algorithm]) return { problem: 'its hash has the wrong length' };
    return { algorithm, emailHash, salt };
  }
  if (/^(sha|md)-?\d+\$/i.test(identity)) return { problem: 'its hash is neither SHA-256 nor MD5' };
  const subject = findSubject(identity);
  if ('problem' in subject)
    return { problem: `its recipient ${subject.problem}`, ...(subject.isNobody && { isNobody: true }) };
  if ('identifier' in subject && /tel|url/i.test(type))
    return { problem: `it names who has it only by a ${nameType(type)}, with which nobody can sign in here` };
  // Nobody can sign in with the key of a DID here.
  if ('identifier' in subject && /^(did|urn):/i.test(subject.identifier))
    return { problem: 'it names its holder only by an id with which nobody can sign in here' };
  return subject;
}

function isEmailType(type: string): boolean {
  return /(^|[:/#])email(Address)?$/i.test(type);
}

function nameType(type: string): string {
  return /tel/i.test(type) ? 'telephone number' : /url/i.test(type) ? 'URL' : 'name of another kind';
}

function findEmail({ recipient }: Award): string | null {
  const texts = recipient.map(({ identity }) => identity.replace(/^mailto:/i, ''));
  return texts.find((text) => !isAddress(text) && typeof parseEmailAddress(text) !== 'string') ?? null;
}
