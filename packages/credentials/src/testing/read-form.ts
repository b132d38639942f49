import { isObject, type Json, type JsonObject, toArray } from '../parse-json.ts';
import type {
  CredentialContent,
  CredentialIdentity,
  CredentialPicture,
  CredentialResult,
  CredentialWallet,
} from '../verification.ts';

/**
 * Reads a credential in the form of its file, as a verifier must not: it takes the first object, and the
 * first text, where JSON-LD has many forms of the same statement. The checks must find that.
 */
export function readForm(credential: JsonObject): CredentialContent {
  const subject = findObject(credential.credentialSubject);
  const achievement = findObject(subject.achievement);
  const criteria = findObject(achievement.criteria);
  const issuer = findObject(credential.issuer);
  const did = findId(credential.issuer) ?? '';
  const subjectId = findId(credential.credentialSubject) ?? '';
  return {
    id: findText(credential.id),
    achievementId: findText(achievement.id),
    name: findText(achievement.name) ?? findText(credential.name) ?? '',
    description: findText(achievement.description) ?? findText(credential.description) ?? '',
    narrative: findText(criteria.narrative) ?? '',
    criteriaUrl: findWebUrl(findId(achievement.criteria)),
    picture: findPicture(achievement, credential),
    results: findResults(subject, achievement),
    issuer: {
      did,
      name: findText(issuer.name) ?? '',
      url: findWebUrl(findText(issuer.url)),
      pictureUrl: findPictureUrl(findId(issuer.image)),
      trusted: null,
    },
    wallet: findWallet(subjectId),
    subjectId,
    identities: findIdentities(subject),
    awardedTimestamp: findTimestamp(credential.awardedDate) ?? findTimestamp(credential.validFrom),
    validUntilTimestamp: findTimestamp(credential.validUntil),
  };
}

/** The time of a member, in milliseconds since 1970. Null if it is absent or not a time. */
function findTimestamp(value: JsonObject[string] | undefined): number | null {
  const text = findText(value);
  // Other forms that `Date` accepts are not those of XML Schema.
  if (text === null || !/^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.test(text))
    return null;
  const timestamp = Date.parse(text);
  return Number.isNaN(timestamp) ? null : timestamp;
}

function findPicture(achievement: JsonObject, credential: JsonObject): CredentialPicture | null {
  const id = findId(achievement.image);
  const url = findPictureUrl(id);
  if (url === null) return null;
  const resource = toArray(credential.relatedResource).find((item) => isObject(item) && item.id === id);
  return {
    url,
    sha256: isObject(resource) ? findSha256(resource) : null,
    caption: findText(findObject(achievement.image).caption),
  };
}

function findSha256(resource: JsonObject): string | null {
  const digest = findText(resource.digestSRI)?.match(/^sha256-([A-Za-z0-9+/]{43}=)$/)?.[1];
  if (digest === undefined) return null;
  return [...atob(digest)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

function findResults(subject: JsonObject, achievement: JsonObject): CredentialResult[] {
  const names = new Map(
    toArray(achievement.resultDescription)
      .filter(isObject)
      .map(({ id, name }) => [findText(id), findText(name)]),
  );
  return toArray(subject.result)
    .filter(isObject)
    .flatMap((result) => {
      const value = findText(result.value) ?? findText(result.achievedLevel) ?? findText(result.status);
      const name = names.get(findText(result.resultDescription)) ?? '';
      return value === null ? [] : [{ name, value }];
    });
}

function findIdentities(subject: JsonObject): CredentialIdentity[] {
  return toArray(subject.identifier)
    .filter(isObject)
    .map(({ identityType, identityHash, hashed, salt }) => {
      const [type, text] = [findText(identityType) ?? '', findText(identityHash) ?? ''];
      if (hashed !== true) return { type, text, hash: null };
      const hex = text.slice('sha256$'.length);
      return { type, text: null, hash: { algorithm: 'sha256', hex, salt: findText(salt) ?? '' } };
    });
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

function findText(value: Json | undefined): string | null {
  const text = toArray(value).find((item) => typeof item === 'string');
  return typeof text === 'string' ? text : null;
}

function findObject(value: Json | undefined): JsonObject {
  return toArray(value).find(isObject) ?? {};
}

function findId(value: Json | undefined): string | null {
  const [first] = toArray(value);
  if (typeof first === 'string') return first;
  return isObject(first) && typeof first.id === 'string' ? first.id : null;
}
