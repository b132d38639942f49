import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import type { CustomAttribute } from '@badge/protocol';
import {
  type Arrival,
  ArrivalError,
  type ArrivalSource,
  type ArrivingPerson,
  type Place,
  type ReadArrivals,
} from './arrival.ts';
import { createPictures, type Pictures } from './create-pictures.ts';
import { createListings, type Listings } from './fetch-listings.ts';
import { type FoundSubject, findSubject } from './find-subject.ts';
import { makePerson, makeToken, refuseSubject, type TokenDraft, toProblem, toSkip } from './make-token.ts';
import { openSourceFiles, type SourceFile } from './open-source-files.ts';
import { parseTime } from './parse-time.ts';
import { isObject, type JsonObject, readDocuments, toItemPlace, toText } from './read-documents.ts';

const MAX_DEPTH = 6;
const COMMUNITY_URL = /^(?<base>https?:\/\/.+?)\/v1\/communities\/(?<communityId>[^/?#]+)(?:\/tokens)?\/?$/i;
// `badgeTokenId`, with whichever word the service is named after.
const TOKEN_ID_FIELD = /^[a-z]+TokenId$/i;
const ADDRESS_IN_NAME = /0x[0-9a-f]{40}/i;
// That of a token without a limit, whose listing has −1.
const UNLIMITED_CLAIMS = 1_000_000_000;

/**
 * Reads the badges of a service with this interface: from the URL of a community, or from files: saved
 * listings of tokens, of wallets and of owners, and what the published exporter writes.
 */
export const readListings: ReadArrivals = async function* (source) {
  const settings = readSettings(source);
  if (!/^https?:/i.test(source.path)) {
    yield* readFiles(source, settings);
    return;
  }
  const { base, communityId } = COMMUNITY_URL.exec(source.path)?.groups ?? {};
  if (base === undefined || communityId === undefined)
    throw new ArrivalError('the URL must be that of a community: https://HOST/v1/communities/ID');
  if (source.fetchUrl === null) throw new ArrivalError('nothing is read from the network');
  await using pictures = await createPictures(source, []);
  const context = { pictures, service: settings.service ?? new URL(base).host, base, communityId };
  yield* readService(createListings(base, source.fetchUrl), context);
};

interface Settings {
  /** The name of the service. Null: the host of its URL. */
  service: string | null;
  /** The community whose badges are read. Null: there is only one. */
  communityId: string | null;
}

function readSettings({ mapping }: ArrivalSource): Settings {
  const { service = null, communityId = null, ...rest } = mapping;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ArrivalError(
      `the mapping has ${JSON.stringify(unknown)}; here it can have "service" and "communityId"`,
    );
  const plain = (text: string | null) => text?.replace(/^=/, '') ?? null;
  return { service: plain(service), communityId: plain(communityId) };
}

interface TokenContext {
  pictures: Pictures;
  service: string;
  /** The URL of the service; null: the source is files. */
  base: string | null;
}

async function* readService(
  listings: Listings,
  context: TokenContext & { communityId: string },
): AsyncGenerator<Arrival> {
  let count = 0;
  let hasOwners = true;
  let isListMissing = false;
  for await (const token of listings.list('/v1/tokens')) {
    if (decodeURIComponent(context.communityId) !== toText(token.communityId)) continue;
    count += 1;
    const id = toText(token.tokenId);
    const place = `token ${id}`;
    yield* readToken(token, place, context);
    isListMissing ||= isAllowlisted(token);
    if (!hasOwners) continue;
    try {
      for await (const owner of listings.list(`/v1/tokens/${encodeURIComponent(id)}/owners`))
        yield* readOwner(owner, place, { service: context.service, id });
    } catch (error) {
      if (!(error instanceof ArrivalError)) throw error;
      hasOwners = /status is 40[1345]/.test(error.message) ? false : hasOwners;
      yield toProblem(place, `its owners cannot be read: ${error.message}`);
    }
  }
  if (count === 0)
    throw new ArrivalError(`the service lists no token of the community ${context.communityId}`);
  if (!hasOwners)
    yield toProblem('owners', 'the service does not list them: save the listings of wallets as files');
  if (isListMissing)
    yield toSkip(
      'allowlists',
      'the service does not list who can claim and has not: import them from a CSV file',
    );
}

type Report = JsonObject & { token: JsonObject };

async function* readFiles(source: ArrivalSource, settings: Settings): AsyncGenerator<Arrival> {
  await using files = await openSourceFiles(source.path);
  await using pictures = await createPictures(source, files.files);
  const context = { pictures, service: settings.service ?? 'listings', base: null };
  for (const { name, detail } of files.skipped) yield toProblem(name, `it ${detail}`);
  const isOnly = files.files.length === 1;
  const { communities, tokens } = await findCommunities(files.files, isOnly);
  const wanted = chooseCommunity(communities, settings.communityId);
  const isWanted = (token: JsonObject) => toText(token.communityId) === wanted;
  const made = new Set<string>();
  let count = 0;
  // First the tokens, since listings of wallets and owners only name them.
  for (const pass of ['tokens', 'people'] as const) {
    for (const file of files.files) {
      for await (const document of readDocuments(file, isOnly)) {
        const { place } = document;
        if ('problem' in document) {
          if (pass === 'people') yield toProblem(place, document.problem);
          continue;
        }
        let found = 0;
        for (const part of findParts(document.value)) {
          found += 1;
          count += 1;
          const itemPlace = toItemPlace(place, file, found);
          if (pass === 'tokens' && (part.kind === 'token' || part.kind === 'report')) {
            const { token } = part;
            if (!isWanted(token) || made.has(toText(token.tokenId))) continue;
            made.add(toText(token.tokenId));
            const report = part.kind === 'report' ? part.report : null;
            yield* readToken(
              report?.isHidden === true ? { ...token, isHidden: true } : token,
              itemPlace,
              context,
            );
            if (report !== null) yield* readReport(report, itemPlace, context);
          }
          if (pass === 'people' && part.kind === 'walletToken' && isWanted(part.item))
            yield* readWalletToken(part.item, { place: itemPlace, file, context, made, isKnown: tokens });
          if (pass === 'people' && part.kind === 'owner') {
            const id = findTokenId(file, made);
            if (id === null)
              yield toProblem(itemPlace, 'it does not say its token: put its id into the name of the file');
            else yield* readOwner(part.item, itemPlace, { service: context.service, id });
          }
        }
        if (pass === 'people' && found === 0 && !isEmptyListing(document.value))
          yield toProblem(place, 'it has neither tokens nor people');
      }
    }
  }
  if (count === 0) throw new ArrivalError(`${source.name} has no listing`);
}

/** Finds the communities and tokens that files name. */
async function findCommunities(
  files: SourceFile[],
  isOnly: boolean,
): Promise<{ communities: Set<string>; tokens: Set<string> }> {
  const communities = new Set<string>();
  const tokens = new Set<string>();
  for (const file of files) {
    for await (const document of readDocuments(file, isOnly)) {
      if (!('value' in document)) continue;
      for (const part of findParts(document.value)) {
        if (part.kind === 'owner') continue;
        const token = part.kind === 'walletToken' ? part.item : part.token;
        communities.add(toText(token.communityId));
        if (part.kind !== 'walletToken') tokens.add(toText(token.tokenId));
      }
    }
  }
  return { communities, tokens };
}

function chooseCommunity(communities: Set<string>, wanted: string | null): string {
  const names = [...communities].sort();
  const [only = ''] = names;
  if (wanted === null && names.length <= 1) return only;
  const shown = `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
  if (wanted === null)
    throw new ArrivalError(
      `it has badges of ${names.length} communities: name one as "communityId" in the mapping: ${shown}`,
    );
  if (!communities.has(wanted))
    throw new ArrivalError(`it has no badge of the community ${JSON.stringify(wanted)}; it has ${shown}`);
  return wanted;
}

type Part =
  | { kind: 'token'; token: JsonObject }
  /** Of the exporter: a token with the people who have it or can claim it. */
  | { kind: 'report'; token: JsonObject; report: Report }
  | { kind: 'walletToken'; item: JsonObject }
  | { kind: 'owner'; item: JsonObject };

function* findParts(value: unknown, depth = 0): Generator<Part> {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* findParts(item, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  if (isObject(value.token) && 'tokenId' in value.token) {
    yield { kind: 'report', token: value.token, report: value as Report };
  } else if ('tokenId' in value && 'headline' in value) yield { kind: 'token', token: value };
  else if ('claimStatus' in value && findWalletTokenId(value) !== '')
    yield { kind: 'walletToken', item: value };
  else if (typeof value.address === 'string' && 'claimedAtTimestamp' in value)
    yield { kind: 'owner', item: value };
  else for (const member of Object.values(value)) yield* findParts(member, depth + 1);
}

function findWalletTokenId(item: JsonObject): string {
  const [, id] = Object.entries(item).find(([name]) => TOKEN_ID_FIELD.test(name)) ?? [];
  return toText(id);
}

function isEmptyListing(value: unknown): boolean {
  if (!isObject(value)) return Array.isArray(value) && value.length === 0;
  const isEmpty = (list: unknown) => list === null || (Array.isArray(list) && list.length === 0);
  return ('data' in value && isEmpty(value.data)) || ('community' in value && isEmpty(value.tokens));
}

const isAllowlisted = ({ claimabilityAttributes: rules }: JsonObject): boolean =>
  isObject(rules) && rules.isAllowlistRequired === true;

function* readToken(token: JsonObject, place: Place, context: TokenContext): Generator<Arrival> {
  const { pictures, service, base } = context;
  const id = toText(token.tokenId);
  const rules = isObject(token.claimabilityAttributes) ? token.claimabilityAttributes : {};
  const design = BUILT_IN_DESIGNS.find((one) => one.id === token.nftTypeId)?.id ?? null;
  // Only a token of this service has a design, and a page whose address is known.
  const isOurs = base !== null && 'nftTypeId' in token;
  const reference = toText(token.imageUrl) || toText(token.assetUrl) || null;
  yield* makeToken({
    place,
    source: { service, id, url: isOurs ? `${base}/token/${encodeURIComponent(id)}` : null },
    headline: toText(token.headline),
    description: toText(token.description),
    criteria: toText(token.criteria) || null,
    ...readTimes(token),
    createdAtTimestamp: readTime(token.createdAtTimestamp),
    expirationTimestamp: readTime(rules.expirationTimestamp),
    validityDays: typeof token.validityDays === 'number' ? token.validityDays : null,
    links: Array.isArray(token.links) ? token.links.map(toText) : [],
    customAttributes: Array.isArray(token.customAttributes)
      ? token.customAttributes.filter(isObject).flatMap(readAttribute)
      : [],
    isSignatureRequired: rules.isSignatureRequired === true,
    totalClaimCount: readTotal(rules),
    isHidden: token.isHidden === true,
    nftTypeId: design,
    picture: pictures.find({ id, reference: design === null ? reference : null }),
  });
}

const TIMES = [
  'startDateTimestamp',
  'endDateTimestamp',
  'claimableFromTimestamp',
  'validUntilTimestamp',
] as const;

function readTimes(token: JsonObject): Partial<TokenDraft> {
  return Object.fromEntries(TIMES.map((name) => [name, readTime(token[name])]));
}

// 0 means none. In one listing, a time is a text.
function readTime(value: unknown): number | null {
  if (value === 0 || toText(value) === '') return null;
  const time = typeof value === 'number' ? { timestamp: value } : parseTime(value);
  return 'timestamp' in time ? time.timestamp : null;
}

/** How often an open token can be claimed; null for one with a list, whatever number the listing has. */
function readTotal(rules: JsonObject): number | null {
  const { isAllowlistRequired, totalClaimCount: total } = rules;
  if (isAllowlistRequired !== false) return null;
  if (total === -1) return UNLIMITED_CLAIMS;
  return typeof total === 'number' && total >= 1 ? Math.min(total, Number.MAX_SAFE_INTEGER) : null;
}

// The exporter has all values as texts.
function readAttribute({ fieldName, type, value }: JsonObject): CustomAttribute[] {
  const name = toText(fieldName);
  const text = typeof value === 'boolean' ? String(value) : toText(value);
  if (type === 'number' && text !== '' && Number.isFinite(Number(text)))
    return [{ fieldName: name, type, value: Number(text) }];
  if (type === 'boolean' && /^(true|false)$/.test(text))
    return [{ fieldName: name, type, value: text === 'true' }];
  if (type === 'date' && text !== '')
    return [{ fieldName: name, type, value: /^\d+$/.test(text) ? Number(text) : text }];
  return [{ fieldName: name, type: 'string', value: text }];
}

function* readReport(report: Report, place: Place, context: TokenContext): Generator<Arrival> {
  const token = { service: context.service, id: toText(report.token.tokenId) };
  for (const [name, isOwner] of [
    ['claimed', true],
    ['issued', false],
  ] as const) {
    const accounts = report[name];
    for (const account of Array.isArray(accounts) ? accounts.filter(isObject) : []) {
      const subject = findAccount(account);
      if ('problem' in subject) yield refuseSubject(place, `one of ${name}`, subject);
      else yield* makePerson({ place, token, subject, isOwner });
    }
  }
}

// An account has an id of the service, a name, and what it signs in with. Which of them is an address is not
// documented.
function findAccount({ id, username, accountUniqId }: JsonObject): FoundSubject {
  const texts = [accountUniqId, id, username].map(toText).filter((text) => text !== '');
  const subjects = texts.map(findSubject);
  return (
    subjects.find((subject) => 'address' in subject) ??
    subjects.find((subject) => 'email' in subject) ??
    subjects[0] ?? { problem: 'has no name' }
  );
}

function* readOwner(owner: JsonObject, place: Place, token: ArrivingPerson['token']): Generator<Arrival> {
  if (owner.isKept === true) {
    yield toProblem(
      place,
      'an owner has it with an e-mail, which no listing has: import an archive of the community',
    );
    return;
  }
  const subject = 'address' in owner ? findSubject(toText(owner.address)) : findAccount(owner);
  if ('problem' in subject) {
    yield refuseSubject(place, 'an owner', subject);
    return;
  }
  yield* makePerson({
    place,
    token,
    subject,
    isOwner: true,
    claimedAtTimestamp: readTime(owner.claimedAtTimestamp ?? owner.claimedAt ?? owner.createdAt),
  });
}

function* readWalletToken(
  item: JsonObject,
  {
    place,
    file,
    context,
    made,
    isKnown,
  }: { place: Place; file: SourceFile; context: TokenContext; made: Set<string>; isKnown: Set<string> },
): Generator<Arrival> {
  const id = findWalletTokenId(item);
  const address = ADDRESS_IN_NAME.exec(file.name)?.[0];
  if (address === undefined) {
    yield toProblem(place, 'it does not say whose wallet it is: put the address into the name of the file');
    return;
  }
  if (!made.has(id) && !isKnown.has(id)) {
    made.add(id);
    // What the listing of a wallet has of a token.
    yield* makeToken({
      place,
      source: { service: context.service, id, url: null },
      headline: toText(item.headline),
      picture: context.pictures.find({ id, reference: toText(item.assetUrl) || null }),
    });
  }
  const subject = findSubject(address);
  if ('problem' in subject) {
    yield refuseSubject(place, 'the wallet', subject);
    return;
  }
  const isOwner = item.claimStatus === 'claimed';
  const claimedAtTimestamp = readTime(item.createdAt);
  const token = { service: context.service, id };
  yield* makePerson({ place, token, subject, isOwner, claimedAtTimestamp });
}

/** The token of owners that do not say it: its id is in the name of their file. */
function findTokenId({ name }: SourceFile, made: Set<string>): string | null {
  const ids = (name.split('/').at(-1)?.match(/\d+/g) ?? []).filter((id) => made.has(id));
  return ids.length === 1 ? (ids[0] ?? null) : null;
}
