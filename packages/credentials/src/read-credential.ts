import { type Graph, type Thing, UnreadableError } from './graph.ts';
import type {
  CredentialContent,
  CredentialIdentity,
  CredentialPicture,
  CredentialResult,
  CredentialWallet,
  IdentityHash,
} from './verification.ts';
import { AWARDED_DATE_TYPES, EARLIER_IRIS, IRIS, NOT_SHOWN } from './vocabulary.ts';

/** From and until when a document is valid, in milliseconds since 1970. Null: without a limit. */
export interface Validity {
  from: number | null;
  until: number | null;
}

/** An entry of a status list. Null: of a kind that cannot be read here. */
export type StatusEntry = { purpose: string; listUrl: string; index: number } | { purpose: string } | null;

/** What the statements of a credential say. */
export interface ReadCredential {
  content: CredentialContent;
  /** Null: its times cannot be read. */
  validity: Validity | null;
  statusEntries: StatusEntry[];
}

/**
 * Reads what a credential says. Throws an `UnreadableError` if it says anything that cannot be read without a
 * doubt, or that would be left out although it changes what the rest means.
 */
export function readCredential(graph: Graph): ReadCredential {
  const credential = graph.only(IRIS.VerifiableCredential);
  checkClasses(credential, [IRIS.VerifiableCredential, IRIS.OpenBadgeCredential]);
  const validity = readValidity(credential);
  const awardedTimestamp = readAwardedTimestamp(credential) ?? validity?.from ?? null;
  const subject = need(credential.thing(IRIS.credentialSubject), 'subject');
  if (subject.iri === null) throw new UnreadableError('its subject has no id');
  const achievement = need(subject.thing(IRIS.achievement, EARLIER_IRIS.achievement), 'achievement');
  const identifiers = subject.things(IRIS.identifier);
  const content: CredentialContent = {
    id: credential.iri,
    ...readAchievement(achievement),
    results: readResults(subject, achievement),
    issuer: readIssuer(need(credential.thing(IRIS.issuer), 'issuer')),
    wallet: findWallet(subject.iri),
    subjectId: subject.iri,
    identities: readIdentities(identifiers),
    awardedTimestamp,
    validUntilTimestamp: validity?.until ?? null,
  };
  const entries = credential.things(IRIS.credentialStatus);
  const statusEntries = entries.map(readStatusEntry);
  // What is left out of one of them would otherwise be left out of another one.
  const issuer = credential.thing(IRIS.issuer);
  const others = [...identifiers, ...entries];
  if (new Set([credential, issuer, subject, achievement, ...others]).size < 4 + others.length) {
    throw new UnreadableError('it says of one thing that it is two');
  }
  subject.leaveOut(NOT_SHOWN.subject);
  credential.leaveOut(NOT_SHOWN.credential);
  graph.checkAllRead();
  return { content, validity, statusEntries };
}

/** Reads from and until when a document is valid. Null if there is a time that is not one time. */
export function readValidity(document: Thing): Validity | null {
  try {
    const [from, until] = [IRIS.validFrom, IRIS.validUntil].map((property) => {
      const text = document.text(property, [IRIS.dateTime]);
      return text === null ? null : parseTimestamp(text);
    });
    return { from: from ?? null, until: until ?? null };
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  }
}

function readAwardedTimestamp(credential: Thing): number | null {
  const text = credential.text(IRIS.awardedDate, AWARDED_DATE_TYPES);
  return text === null ? null : parseTimestamp(text);
}

const TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

// Other forms that `Date` accepts are not those of XML Schema. Without a time zone, each machine would read
// another time.
function parseTimestamp(text: string): number {
  const day = TIME.exec(text)?.[1];
  const timestamp = day === undefined ? Number.NaN : Date.parse(text);
  // `Date` takes the 30th of February for the 2nd of March.
  const isDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day?.slice(-2));
  if (Number.isNaN(timestamp) || !isDay) throw new UnreadableError('a time in it cannot be read');
  return timestamp;
}

function readIssuer(issuer: Thing): CredentialContent['issuer'] {
  issuer.leaveOut(NOT_SHOWN.issuer);
  const image = issuer.thing(IRIS.image, EARLIER_IRIS.image);
  if (image !== null) readPicture(image);
  return {
    did: issuer.iri ?? '',
    name: issuer.text(IRIS.name) ?? '',
    url: findWebUrl(issuer.text(IRIS.url, [IRIS.anyURI])),
    pictureUrl: findPictureUrl(image?.iri ?? null),
    trusted: null,
  };
}

function readAchievement(achievement: Thing) {
  achievement.leaveOut(NOT_SHOWN.achievement);
  const criteria = achievement.thing(IRIS.criteria);
  const image = achievement.thing(IRIS.image, EARLIER_IRIS.image);
  return {
    achievementId: achievement.iri,
    name: need(achievement.text(IRIS.name), 'name'),
    description: achievement.text(IRIS.description) ?? '',
    narrative: criteria?.text(IRIS.narrative) ?? '',
    criteriaUrl: findWebUrl(criteria?.iri ?? null),
    picture: image === null ? null : readPicture(image),
  };
}

function readPicture(image: Thing): CredentialPicture | null {
  image.leaveOut(NOT_SHOWN.picture);
  const caption = image.text(IRIS.caption);
  const digest = image.text(IRIS.digestSRI, [IRIS.sriString]);
  const url = findPictureUrl(image.iri);
  if (url === null) return null;
  return { url, sha256: digest === null ? null : parseSha256(digest), caption };
}

function parseSha256(digest: string): string {
  const base64 = digest.match(/^sha256-([A-Za-z0-9+/]{43}=)$/)?.[1];
  if (base64 === undefined) throw new UnreadableError('the hash of its picture is not a SHA-256');
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** The names first. A signature does not cover the order of values. */
function readIdentities(identifiers: Thing[]): CredentialIdentity[] {
  const orderOf = ({ type, text, hash }: CredentialIdentity) =>
    [type === 'name' ? 0 : 1, type, text === null ? 1 : 0, text ?? hash?.hex, hash?.salt].join('\0');
  return identifiers.map(readIdentity).sort((a, b) => compareTexts(orderOf(a), orderOf(b)));
}

/**
 * Throws if it is not exactly what Open Badges 3.0 defines: what says who somebody is must not be read in two
 * ways.
 */
function readIdentity(identifier: Thing): CredentialIdentity {
  checkClasses(identifier, [IRIS.IdentityObject]);
  const type = need(identifier.text(IRIS.identityType), 'type of an identity');
  const text = need(identifier.text(IRIS.identityHash), 'text of an identity');
  const salt = identifier.text(IRIS.salt) ?? '';
  const hashed = identifier.text(IRIS.hashed, [IRIS.boolean]);
  if (hashed === 'false') return { type, text, hash: null };
  if (hashed !== 'true') throw new UnreadableError('it does not say whether an identity is hashed');
  return { type, text: null, hash: { ...parseIdentityHash(text), salt } };
}

function parseIdentityHash(text: string): Omit<IdentityHash, 'salt'> {
  const [, sha256, md5] = /^(?:sha256\$([0-9a-f]{64})|md5\$([0-9a-f]{32}))$/i.exec(text) ?? [];
  if (sha256 !== undefined) return { algorithm: 'sha256', hex: sha256.toLowerCase() };
  if (md5 !== undefined) return { algorithm: 'md5', hex: md5.toLowerCase() };
  return { algorithm: null, hex: text };
}

/**
 * The results in the order of the ids of their descriptions, because a signature does not cover the order of
 * values.
 */
function readResults(subject: Thing, achievement: Thing): CredentialResult[] {
  const names = new Map<string, string>();
  for (const description of achievement.things(IRIS.resultDescription)) {
    description.leaveOut(NOT_SHOWN.resultDescription);
    const name = need(description.text(IRIS.name), 'name of a result');
    if (description.iri !== null) names.set(description.iri, name);
  }
  return subject
    .things(IRIS.result)
    .map((result) => {
      result.leaveOut(NOT_SHOWN.result);
      const descriptionId = result.text(IRIS.resultDescription, [IRIS.anyURI]);
      const name = descriptionId === null ? '' : (names.get(descriptionId) ?? null);
      const values = [
        result.text(IRIS.value),
        result.text(IRIS.achievedLevel, [IRIS.anyURI]),
        result.text(IRIS.status),
      ].filter((value) => value !== null);
      return { id: descriptionId ?? '', name: need(name, 'name of a result'), value: values.join(', ') };
    })
    .sort((a, b) => compareIds(a.id, b.id) || compareTexts(a.value, b.value))
    .map(({ name, value }) => ({ name, value }));
}

// So `#attribute-2` is before `#attribute-10`.
function compareIds(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Purposes that take nothing away. */
const HARMLESS_PURPOSES = ['refresh', 'message'];

function readStatusEntry(entry: Thing): StatusEntry {
  try {
    const { classes } = entry;
    const purpose = entry.text(IRIS.statusPurpose);
    if (classes.length !== 1 || classes[0] !== IRIS.BitstringStatusListEntry || purpose === null) return null;
    if (HARMLESS_PURPOSES.includes(purpose)) return { purpose };
    if (purpose !== 'revocation' && purpose !== 'suspension') return null;
    const listUrl = entry.thing(IRIS.statusListCredential)?.iri ?? null;
    const index = entry.text(IRIS.statusListIndex);
    const size = entry.text(IRIS.statusSize, [IRIS.integer]) ?? '1';
    if (listUrl === null || index === null || !/^\d{1,9}$/.test(index) || size !== '1') return null;
    return { purpose, listUrl, index: Number(index) };
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  } finally {
    entry.leaveOut(NOT_SHOWN.statusEntry);
  }
}

function checkClasses(thing: Thing, expected: string[]): void {
  const { classes } = thing;
  if (classes.length !== expected.length || !expected.every((iri) => classes.includes(iri))) {
    throw new UnreadableError('it is of another kind');
  }
}

function need<T>(value: T | null, what: string): T {
  if (value === null) throw new UnreadableError(`it has no ${what}`);
  return value;
}

function findWallet(subjectId: string): CredentialWallet | null {
  const [, chainId, address] = /^did:pkh:eip155:(\d{1,15}):(0x[0-9a-fA-F]{40})$/.exec(subjectId) ?? [];
  return chainId === undefined || address === undefined ? null : { chainId: Number(chainId), address };
}

function findWebUrl(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

function findPictureUrl(text: string | null): string | null {
  return text !== null && /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(text)
    ? text
    : findWebUrl(text);
}
