import { createHash } from 'node:crypto';
import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import {
  CreateTokenBody,
  EMAIL_PROBLEMS,
  isText,
  LIMITS,
  Person,
  parseEmailAddress,
  type RequestError,
} from '@badge/protocol';
import { Ajv, type ValidateFunction } from 'ajv';
import type { ArrivingLink, ArrivingPerson, ArrivingToken, Subject } from '../../arrivals/arrival.ts';
import { type Address, isAddress, toAddress, toChecksumAddress } from '../../signatures/address.ts';
import type { ImportedLink, ImportedToken } from '../../storage/imports.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { findContributorErrors, normaliseContributor } from '../contributors/rules.ts';
import { describeSchemaError } from '../describe-schema-error.ts';
import { isBuiltIn } from '../nft-types/rules.ts';
import { findPersonErrors, isPersonGiven } from '../recipients/rules.ts';
import { findCreationErrors } from '../tokens/rules.ts';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
ajv.addFormat('text', isText);
const validateToken = ajv.compile(CreateTokenBody);
const validatePerson = ajv.compile(Person);

const MAX_SOURCE_CHARACTERS = 256;
const HASH_DIGITS = { sha256: 64, md5: 32 };

const isShort = (text: string) =>
  isText(text) && text.length > 0 && [...text].length <= MAX_SOURCE_CHARACTERS;
const isTime = (timestamp: number) =>
  Number.isSafeInteger(timestamp) && timestamp >= 0 && timestamp <= LIMITS.timestamp;
const toDate = (timestamp: number | null) => (timestamp === null ? null : new Date(timestamp));

/** What has happened to a line. Skipped: it is there already, or there is nothing to import. */
export interface Outcome {
  outcome: 'imported' | 'skipped' | 'problem';
  detail: string;
  /** Whether it was skipped because it is there. */
  isPresent?: true;
}

export const problem = (detail: string): Outcome => ({ outcome: 'problem', detail });

/** Returns why a token cannot be imported, by the rules for a token that is created here; null if it can. */
export function findTokenProblem(token: ArrivingToken, importer: Address): string | null {
  const { service, id, url } = token.source;
  if (!isShort(service) || !isShort(id))
    return `the name of its service, or its id there, does not have 1 to ${MAX_SOURCE_CHARACTERS} characters`;
  if (url !== null && !isWebPage(url)) return 'its page is not an HTTP URL';
  if (token.createdAtTimestamp !== null && !isTime(token.createdAtTimestamp))
    return 'createdAtTimestamp is not a time';
  const isAllowlistRequired = token.totalClaimCount === null;
  const creator = toChecksumAddress(importer);
  const body = {
    ...token,
    creator,
    communityId: 'any',
    nftTypeId: 'any',
    isAllowlistRequired,
    // Whoever arrives with the token is checked later.
    contributors: [creator],
    signature: '0x',
  };
  return findProblem(validateToken, body) ?? describe(findCreationErrors(body));
}

function isWebPage(url: string): boolean {
  return [...url].length <= LIMITS.linkCharacters && isText(url) && /^https?:/.test(url) && URL.canParse(url);
}

function findProblem(validate: ValidateFunction, value: unknown): string | null {
  if (validate(value)) return null;
  const [error] = validate.errors ?? [];
  return error === undefined
    ? 'it is malformed'
    : `${nameOf(error.instancePath)} ${describeSchemaError(error)}`;
}

function describe([error]: RequestError[]): string | null {
  return error === undefined ? null : `${nameOf('pointer' in error ? error.pointer : '')} ${error.detail}`;
}

const nameOf = (pointer: string) => pointer.slice(1) || 'it';

/** The row of a token that has no problem. */
export function toImportedToken(
  token: ArrivingToken,
  { communityId, importer }: { communityId: string; importer: Address },
): ImportedToken {
  const { nftTypeId } = token;
  const isNamed = nftTypeId !== null && isBuiltIn(nftTypeId);
  return {
    ...token.source,
    communityId,
    creator: importer,
    headline: token.headline,
    description: token.description,
    startTimestamp: token.startDateTimestamp || null,
    endTimestamp: token.endDateTimestamp || null,
    links: token.links,
    nftTypeId: isNamed ? nftTypeId : DEFAULT_DESIGN,
    assetContentType: null,
    isSignatureRequired: token.isSignatureRequired,
    isAllowlistRequired: token.totalClaimCount === null,
    totalClaimCount: token.totalClaimCount,
    expirationTimestamp: token.expirationTimestamp || null,
    customAttributes: token.customAttributes,
    criteria: token.criteria,
    claimableFromTimestamp: token.claimableFromTimestamp || null,
    validUntilTimestamp: token.validUntilTimestamp || null,
    validityDays: token.validityDays,
    isHidden: token.isHidden,
    createdAt: toDate(token.createdAtTimestamp),
  };
}

const DEFAULT_DESIGN = BUILT_IN_DESIGNS[0]?.id ?? '';

/** The design of a picture. Equal pictures have one design. */
export function toDesign(headline: string, hash: Buffer): { nftTypeId: string; name: string } {
  return {
    nftTypeId: `imported-${hash.toString('hex').slice(0, 48)}`,
    name: [...headline].slice(0, LIMITS.nftTypeNameCharacters).join(''),
  };
}

/** Returns why a person cannot be imported; null if the person can. It has nothing of the person. */
export function findPersonProblem(
  person: ArrivingPerson,
  { nowTimestamp, hasEncryption }: { nowTimestamp: number; hasEncryption: boolean },
): string | null {
  const { claimedAtTimestamp, ended, renewedUntilTimestamp, movedFrom } = person;
  const detail = findSubjectProblem(person.subject) ?? findNameProblem(person, hasEncryption);
  if (detail !== null) return detail;
  const past = [claimedAtTimestamp, ended?.atTimestamp ?? null].filter((time) => time !== null);
  if (past.some((time) => !isTime(time) || time > nowTimestamp)) return 'a time is not in the past';
  if (renewedUntilTimestamp !== null && !isTime(renewedUntilTimestamp)) return 'the end is not a time';
  if (movedFrom != null && !isAddress(movedFrom)) return 'movedFrom is not an address';
  return null;
}

// What is said about somebody, by the rules for a request that says it.
function findNameProblem(
  { name, email, note }: Pick<ArrivingPerson, 'name' | 'email' | 'note'>,
  hasEncryption: boolean,
): string | null {
  const said = { name, email, note };
  if (!hasEncryption && isPersonGiven(said))
    return 'the service has no encryption key, so it cannot keep the name, the e-mail or the note';
  return findProblem(validatePerson, said) ?? describe(findPersonErrors('', said));
}

function findSubjectProblem(subject: Subject): string | null {
  if ('emailHash' in subject) {
    const { algorithm, emailHash, salt } = subject;
    const isHash = emailHash.length === HASH_DIGITS[algorithm] && /^[0-9a-f]+$/i.test(emailHash);
    if (!isHash) return `the hash of the e-mail is not ${HASH_DIGITS[algorithm]} hex digits`;
    return salt === '' || isShort(salt)
      ? null
      : 'the salt of the hash is too long, or has a character of no text';
  }
  if ('email' in subject) {
    const parsed = parseEmailAddress(subject.email);
    return typeof parsed === 'string' ? `the e-mail ${EMAIL_PROBLEMS[parsed]}` : null;
  }
  if ('address' in subject && !isAddress(subject.address))
    return 'the address is not one: it must be 0x and 40 hex digits';
  const [error] = findContributorErrors(['address' in subject ? subject.address : subject.identifier]);
  return error === undefined ? null : `the ${Object.keys(subject).join()} ${error.detail}`;
}

/** The entry of an allowlist with which a person can claim. The person has no problem. */
export function toEntry(subject: Subject): AllowlistContributor {
  if ('emailHash' in subject) {
    const { algorithm, emailHash, salt } = subject;
    const identifier = `${algorithm}$${emailHash.toLowerCase()}$${salt}`;
    return { key: createHash('sha256').update(identifier).digest(), identifier };
  }
  if ('email' in subject) return normaliseContributor(subject.email);
  return normaliseContributor('address' in subject ? subject.address : subject.identifier);
}

/** The address of an entry; null if it is an identifier. */
export function addressOf({ key, identifier }: AllowlistContributor): Address | null {
  return identifier === undefined ? toAddress(key) : null;
}

/** Returns why a link cannot be imported; null if it can. It has nothing of the person. */
export function findLinkProblem(
  link: ArrivingLink,
  { hasEncryption }: { hasEncryption: boolean },
): string | null {
  const { codeHash, createdAtTimestamp, startsAtTimestamp, expiresAtTimestamp, room, person } = link;
  const detail = person && findNameProblem(person, hasEncryption);
  if (detail !== null) return detail;
  if (!/^0x[0-9a-f]{64}$/i.test(codeHash)) return 'codeHash is not 0x and 64 hex digits';
  const pausedAt = link.pausedAtTimestamp ?? null;
  const times = [createdAtTimestamp, startsAtTimestamp, expiresAtTimestamp, pausedAt].filter(
    (time) => time !== null,
  );
  if (!times.every(isTime)) return 'a time of the link is not a time';
  if (room === null) return null;
  if (expiresAtTimestamp === null) return 'a code for a room has no end';
  const { maxClaims, claimCount, maxClaimsPerClient } = room;
  const isCount = (count: number, max: number) => Number.isSafeInteger(count) && count >= 0 && count <= max;
  const areCounts =
    maxClaims > 0 &&
    isCount(maxClaims, LIMITS.roomLinkClaims) &&
    isCount(claimCount, maxClaims) &&
    (maxClaimsPerClient === null ||
      (maxClaimsPerClient > 0 && isCount(maxClaimsPerClient, LIMITS.roomLinkClaims)));
  return areCounts ? null : 'the counts of the code for a room are not possible';
}

/** The row of a link that has no problem. */
export function toImportedLink(link: ArrivingLink): ImportedLink {
  const { room } = link;
  return {
    codeHash: Buffer.from(link.codeHash.slice(2), 'hex'),
    createdAt: new Date(link.createdAtTimestamp),
    expiresAt: toDate(link.expiresAtTimestamp),
    startsAt: toDate(link.startsAtTimestamp),
    pausedAt: toDate(link.pausedAtTimestamp ?? null),
    isSignatureRequired: link.isSignatureRequired,
    room: room && {
      maxClaims: room.maxClaims,
      claimCount: room.claimCount,
      maxClaimsPerClient: room.maxClaimsPerClient ?? LIMITS.defaultClaimsPerClient,
      startsAt: toDate(link.startsAtTimestamp),
      isSignatureRequired: link.isSignatureRequired,
    },
  };
}
