import { createHash } from 'node:crypto';
import { readJws } from './baked-badge.ts';
import { isObject, type JsonObject, toText } from './read-documents.ts';

const MAX_DEPTH = 24;
// Moodle names the page of one who has the badge as the criteria of the badge.
const PERSONAL_PAGE = /\/badges\/badge\.php\?hash=/i;

/** What is the same for all who have a badge: a `BadgeClass` or an `Achievement`. */
export interface BadgeClass {
  /** How the source names it: its URL, or a hash of what it says. */
  id: string;
  /** Other names of it, such as the id that an API has for it. */
  otherIds: string[];
  name: string;
  description: string;
  criteria: string | null;
  links: string[];
  tags: string[];
  /** A URL or a data URL. */
  image: string | null;
  issuer: string | null;
  createdAt: unknown;
}

/** That somebody has a badge. */
export interface Award {
  /** The badge, or how it is named. */
  badge: { badgeClass: BadgeClass } | { id: string } | null;
  recipient: Recipient[];
  issuedOn: unknown;
  expires: unknown;
  isRevoked: boolean;
  name: string | null;
  note: string | null;
}

export interface Recipient {
  identity: string;
  type: string;
  salt: string;
}

export type Found = {
  /** Where it is in the lists of the value, counted from 1. Empty: it is in none. */
  path?: number[];
} & (
  | { kind: 'class'; badgeClass: BadgeClass }
  | { kind: 'award'; award: Award }
  /** Something else of Open Badges, such as an issuer. */
  | { kind: 'other' }
  /** Of Open Badge Factory: when a badge was given to several people, who are listed elsewhere. */
  | { kind: 'event'; id: string; badgeId: string; issuedOn: unknown; expires: unknown }
);

/**
 * Finds the badges and awards in a JSON value, however deep: a file, a page of an API, a presentation. Of
 * Open Badges 0.5, 1.x, 2.x and 3.0, of the API of Badgr, and of that of Open Badge Factory.
 */
export function* findBadges(value: unknown, depth = 0): Generator<Found> {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    const payload = readJws(value);
    if (payload !== undefined) yield* findBadges(payload, depth + 1);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const found of findBadges(item, depth + 1))
        yield { ...found, path: [index + 1, ...(found.path ?? [])] };
    return;
  }
  if (!isObject(value)) return;
  const found = readObject(value);
  if (found !== null) {
    yield* found;
    return;
  }
  for (const member of Object.values(value)) yield* findBadges(member, depth + 1);
}

function readObject(value: JsonObject): Found[] | null {
  const types = toTexts(value.type ?? value['@type'] ?? value.entityType);
  const has = (...names: string[]) => types.some((type) => names.includes(type.replace(/^.*[#/:]/, '')));
  if (has('OpenBadgeCredential', 'AchievementCredential')) return readCredential(value);
  if (has('EndorsementCredential', 'Endorsement', 'Issuer', 'Profile', 'RevocationList'))
    return [{ kind: 'other' }];
  if (has('Assertion') || ('recipient' in value && ('badge' in value || 'badgeclass' in value)))
    return 'badge_id' in value ? readFactoryEvent(value) : [{ kind: 'award', award: readAssertion(value) }];
  if (has('BadgeClass') || isUntypedClass(value)) {
    const badgeClass = readBadgeClass(value);
    // Exports can have the awards of a badge in it.
    const awards = [...findBadges(value.assertions ?? [])].map((item) =>
      item.kind === 'award' && item.award.badge === null
        ? { ...item, award: { ...item.award, badge: { badgeClass } } }
        : item,
    );
    return [{ kind: 'class', badgeClass }, ...awards];
  }
  if ('badge_id' in value && 'id' in value) return readFactoryEvent(value);
  if ('event_id' in value && 'email' in value) return readFactoryRecipient(value);
  return null;
}

// Open Badges 1.0 and Open Badge Factory have no types.
function isUntypedClass(value: JsonObject): boolean {
  return (
    typeof value.name === 'string' &&
    'image' in value &&
    ['criteria', 'criteriaUrl', 'criteria_url', 'criteria_html'].some((name) => name in value)
  );
}

function readBadgeClass(value: JsonObject): BadgeClass {
  const criteria = isObject(value.criteria) ? value.criteria : {};
  const criteriaText = typeof value.criteria === 'string' ? value.criteria : '';
  const isCriteriaUrl = /^https?:\/\/\S+$/i.test(criteriaText);
  const narrative =
    toText(criteria.narrative) ||
    toText(value.criteriaNarrative) ||
    (isCriteriaUrl ? '' : criteriaText) ||
    stripTags(toText(value.criteria_html));
  const ids = [value.id, value['@id'], value.openBadgeId, value.entityId, value.hostedUrl, value.sourceUrl]
    .map(toText)
    .filter((id) => id !== '')
    .map(normaliseId);
  const name = toText(value.name);
  const description = toText(value.description);
  // The URL of the criteria is no part: in Moodle it is another one for each who has the badge.
  const [id = hash([name, description, narrative])] = [value.openBadgeId, ...ids]
    .map(toText)
    .filter((one) => one !== '')
    .map(normaliseId);
  return {
    id,
    otherIds: ids,
    name,
    description,
    criteria: narrative === '' ? null : narrative,
    links: [
      isCriteriaUrl ? criteriaText : '',
      toText(criteria.id),
      toText(value.criteriaUrl),
      toText(value.criteria_url),
    ].filter((link) => /^https?:/i.test(link) && !PERSONAL_PAGE.test(link)),
    tags: toTexts(value.tags ?? value.tag),
    image: readImage(value.image),
    issuer: readIssuer(value.issuer ?? value.creator),
    createdAt: value.createdAt ?? value.ctime,
  };
}

function readImage(image: unknown): string | null {
  const one = Array.isArray(image) ? (image[0] as unknown) : image;
  const text = isObject(one) ? toText(one.id) || toText(one['@id']) : toText(one);
  if (text === '') return null;
  // Open Badge Factory has PNGs in base64, without the start of a data URL.
  return /^[a-z]+:/i.test(text) || !/^[\w+/=\s]{64,}$/.test(text) ? text : `data:image/png;base64,${text}`;
}

function readIssuer(issuer: unknown): string | null {
  if (!isObject(issuer)) return null;
  return toText(issuer.name) || null;
}

function readAssertion(value: JsonObject): Award {
  const badge = value.badge ?? value.badgeclassOpenBadgeId ?? value.badgeclass;
  return {
    badge: isObject(badge) ? readNamedClass(badge) : toReference(badge),
    recipient: readRecipient(value.recipient, value.salt),
    issuedOn: value.issuedOn ?? value.issued_on,
    expires: value.expires,
    isRevoked: value.revoked === true || /^(true|yes)$/i.test(toText(value.revoked)),
    name: findProfileName(value),
    note: readNote(value),
  };
}

// A badge can be only its id in an object, as JSON-LD may write it.
function readNamedClass(badge: JsonObject): Award['badge'] {
  return 'name' in badge ? { badgeClass: readBadgeClass(badge) } : toReference(badge.id ?? badge['@id']);
}

function toReference(id: unknown): Award['badge'] {
  const text = toText(id);
  return text === '' ? null : { id: normaliseId(text) };
}

function readRecipient(recipient: unknown, salt: unknown): Recipient[] {
  // In Open Badges 0.5, the recipient is a text, and the salt is beside it.
  if (typeof recipient === 'string')
    return [{ identity: recipient.trim(), type: 'email', salt: toText(salt) }];
  if (!isObject(recipient)) return [];
  const plain = toText(recipient.plaintextIdentity);
  return [
    {
      identity: plain === '' ? toText(recipient.identity) : plain,
      type: toTexts(recipient.type ?? recipient['@type'])[0] ?? 'email',
      salt: typeof recipient.salt === 'string' ? recipient.salt : toText(recipient.salt),
    },
  ];
}

function findProfileName(value: JsonObject): string | null {
  const profile = value['extensions:recipientProfile'] ?? value.recipientProfile;
  return isObject(profile) ? toText(profile.name) || null : null;
}

function readNote(value: JsonObject): string | null {
  const evidence = (Array.isArray(value.evidence) ? value.evidence : [value.evidence]).flatMap(
    (item: unknown) => (isObject(item) ? [toText(item.narrative), toText(item.id)] : [toText(item)]),
  );
  const texts = [toText(value.narrative), ...evidence].filter((text) => text !== '');
  return texts.length === 0 ? null : texts.join('\n');
}

function readCredential(value: JsonObject): Found[] {
  const subjects = Array.isArray(value.credentialSubject)
    ? value.credentialSubject
    : [value.credentialSubject];
  return subjects.filter(isObject).map((subject) => {
    const { achievement } = subject;
    const one = Array.isArray(achievement) ? (achievement[0] as unknown) : achievement;
    const badgeClass = isObject(one) ? readBadgeClass({ issuer: value.issuer, ...one }) : null;
    // The picture of a credential is that of its achievement, with the credential baked into it.
    if (badgeClass !== null) badgeClass.image ??= readImage(value.image);
    const identifiers = (Array.isArray(subject.identifier) ? subject.identifier : [subject.identifier])
      .filter(isObject)
      .map((identity) => ({
        identity: toText(identity.identityHash),
        type: toText(identity.identityType),
        salt: identity.hashed === false ? '' : toText(identity.salt),
      }));
    const name = identifiers.find(({ type }) => type === 'name')?.identity ?? null;
    return {
      kind: 'award',
      award: {
        badge: badgeClass === null ? toReference(one) : { badgeClass },
        // The id can be that of a wallet. Other ids say nobody who could sign in here.
        recipient: [
          ...identifiers.filter(({ type }) => type !== 'name'),
          ...(toText(subject.id) === '' ? [] : [{ identity: toText(subject.id), type: 'id', salt: '' }]),
        ],
        issuedOn: subject.awardedDate ?? value.awardedDate ?? value.validFrom ?? value.issuanceDate,
        expires: value.validUntil ?? value.expirationDate,
        isRevoked: false,
        name: name !== null && !/^\w+\$/.test(name) ? name : null,
        note: readNote({ narrative: subject.narrative, evidence: value.evidence }),
      },
    } satisfies Found;
  });
}

function readFactoryEvent(value: JsonObject): Found[] {
  const id = toText(value.id);
  const badgeId = normaliseId(toText(value.badge_id));
  const issuedOn = value.issued_on ?? value.ctime;
  const expires = value.expires_on ?? value.expires;
  const revoked = isObject(value.revoked) ? value.revoked : {};
  const awards = toTexts(value.recipient).map((email, index) => ({
    kind: 'award' as const,
    path: [index + 1],
    award: {
      // The listing of recipients has their names, by the id of the event.
      badge: { id: id === '' ? badgeId : `event:${id}` },
      recipient: [{ identity: email, type: 'email', salt: '' }],
      issuedOn,
      expires: isNever(expires) ? null : expires,
      isRevoked: Object.hasOwn(revoked, email),
      name: null,
      note: null,
    },
  }));
  return [{ kind: 'event', id, badgeId, issuedOn, expires: isNever(expires) ? null : expires }, ...awards];
}

function readFactoryRecipient(value: JsonObject): Found[] {
  return [
    {
      kind: 'award',
      award: {
        badge: { id: `event:${toText(value.event_id)}` },
        recipient: [{ identity: toText(value.email), type: 'email', salt: '' }],
        issuedOn: value.issued_on ?? value.ctime,
        expires: isNever(value.expires_on) ? null : value.expires_on,
        isRevoked: Boolean(value.revoked),
        name: toText(value.name) || null,
        note: null,
      },
    },
  ];
}

const isNever = (value: unknown): boolean => value === 0 || value === '0' || value === '';

function toTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(toText).filter((text) => text !== '');
}

/** Badgr serves a badge under several addresses, which differ in the version of the specification. */
export function normaliseId(id: string): string {
  return id.replace(/[?&]v=\d_\d$/, '');
}

function hash(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function stripTags(html: string): string {
  return html
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
