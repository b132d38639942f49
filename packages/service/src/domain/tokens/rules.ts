import { createHash } from 'node:crypto';
import {
  type CreateTokenBody,
  type CustomAttribute,
  type ErrorName,
  foldCase,
  isText,
  LIMITS,
  RESERVED_ATTRIBUTE_NAMES,
  type RequestError,
} from '@badge/protocol';
import type { Address } from '../../signatures/address.ts';
import type { ReplacementState, TokenReplacement } from '../../storage/token-replacements.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { findContributorErrors } from '../contributors/rules.ts';
import { describeSeconds } from '../describe-seconds.ts';

const FOLDED_RESERVED_NAMES = new Set(RESERVED_ATTRIBUTE_NAMES.map(foldCase));

/**
 * Returns the errors of a createToken body that its schema cannot express, such as those of fields that
 * depend on each other. The body may violate the schema, because the errors of the schema and these are
 * reported together.
 */
export function findCreationErrors(body: unknown): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  const fields = body as Fields;
  return [
    ...findDateErrors(fields),
    ...findClaimabilityErrors(fields),
    ...findAttributeErrors(fields.customAttributes),
    ...findSizeErrors(fields),
    ...findValidityErrors(fields),
  ];
}

type Fields = Partial<Record<keyof CreateTokenBody, unknown>>;

// Absent, null and 0 mean that there is no date.
export function findDateErrors({ startDateTimestamp: start, endDateTimestamp: end }: Fields): RequestError[] {
  const isGiven = (value: unknown): value is number => typeof value === 'number' && value !== 0;
  return isGiven(start) && isGiven(end) && start > end
    ? [{ pointer: '/startDateTimestamp', detail: 'must not be after endDateTimestamp' }]
    : [];
}

/** Returns the errors of the fields that say when a badge ends, in the body of a creation or a change. */
export function findValidityErrors(body: unknown): RequestError[] {
  const { validUntilTimestamp: until, validityDays: days } = (body ?? {}) as Fields;
  return (until ?? null) !== null && until !== 0 && (days ?? null) !== null
    ? [{ pointer: '/validityDays', detail: 'must not be sent with validUntilTimestamp' }]
    : [];
}

/**
 * Returns what is probably not meant so in the times of a token, although it is accepted. The body is valid.
 */
export function findTimeWarnings(
  {
    startDateTimestamp,
    endDateTimestamp,
    expirationTimestamp,
    claimableFromTimestamp,
    validUntilTimestamp,
    customAttributes,
  }: CreateTokenBody,
  nowTimestamp: number,
): RequestError[] {
  const times = Object.entries({
    startDateTimestamp,
    endDateTimestamp,
    expirationTimestamp,
    claimableFromTimestamp,
    validUntilTimestamp,
  });
  const dates = (customAttributes ?? []).flatMap(({ type, value }, index) =>
    type === 'date' ? [[`customAttributes/${index}/value`, value] as const] : [],
  );
  return [...times, ...dates].flatMap(([place, value]) => {
    if (typeof value !== 'number') return [];
    const isPast = value !== 0 && value <= nowTimestamp;
    const details = [
      ...describeSeconds(value),
      ...(isPast && place === 'expirationTimestamp'
        ? ['is in the past, so nobody can ever claim this token']
        : []),
      ...(isPast && place === 'validUntilTimestamp'
        ? ['is in the past, so this token has ended for whoever claims it']
        : []),
      ...(place === 'claimableFromTimestamp' && value >= (expirationTimestamp || Number.POSITIVE_INFINITY)
        ? ['is not before expirationTimestamp, so nobody can ever claim this token']
        : []),
    ];
    return details.length === 0 ? [] : [{ pointer: `/${place}`, detail: `${details.join('; it ')}.` }];
  });
}

function findClaimabilityErrors({
  isAllowlistRequired,
  totalClaimCount,
  contributors,
}: Fields): RequestError[] {
  if (isAllowlistRequired === true) {
    const errors = findContributorErrors(contributors, { areNamed: true });
    if (totalClaimCount !== undefined && totalClaimCount !== null) {
      errors.push({
        pointer: '/totalClaimCount',
        detail: 'must be null or absent when isAllowlistRequired is true',
      });
    }
    return errors;
  }
  if (isAllowlistRequired === false && (totalClaimCount === undefined || totalClaimCount === null)) {
    return [{ pointer: '/totalClaimCount', detail: 'is required when isAllowlistRequired is false' }];
  }
  return isAllowlistRequired === false && totalClaimCount === 0
    ? [{ pointer: '/totalClaimCount', detail: 'must be at least 1' }]
    : [];
}

function findAttributeErrors(customAttributes: unknown): RequestError[] {
  if (!Array.isArray(customAttributes)) return [];
  const names = new Set<unknown>();
  return customAttributes.slice(0, LIMITS.customAttributes).flatMap((attribute: unknown, index) => {
    if (typeof attribute !== 'object' || attribute === null) return [];
    const { fieldName, type, value } = attribute as Partial<Record<keyof CustomAttribute, unknown>>;
    const errors: RequestError[] = [];
    const pointer = `/customAttributes/${index}`;
    if (typeof fieldName === 'string') {
      // The schema reports a name that is too long, so its repetition is not reported.
      const isRepeated = names.has(fieldName) && [...fieldName].length <= LIMITS.attributeNameCharacters;
      if (FOLDED_RESERVED_NAMES.has(foldCase(fieldName.trim()))) {
        errors.push({ pointer: `${pointer}/fieldName`, detail: `"${fieldName.trim()}" is reserved` });
      } else if (isRepeated) {
        errors.push({ pointer: `${pointer}/fieldName`, detail: `"${fieldName}" is given twice` });
      }
      names.add(fieldName);
    }
    const detail = describeValueError(type, value);
    if (detail !== null) errors.push({ pointer: `${pointer}/value`, detail });
    return errors;
  });
}

export function findSizeErrors({ headline, description, links, customAttributes }: Fields): RequestError[] {
  const attributes = Array.isArray(customAttributes) ? customAttributes : [];
  const stored = {
    headline,
    description: description ?? '',
    links: links ?? [],
    customAttributes: attributes.map((attribute) => {
      const { fieldName, type, value } = (attribute ?? {}) as Partial<CustomAttribute>;
      return { fieldName, type, value };
    }),
  };
  const sizeBytes = Buffer.byteLength(JSON.stringify(stored));
  if (sizeBytes <= LIMITS.tokenBytes) return [];
  const names = Object.keys(stored).join(', ');
  return [
    {
      pointer: '',
      detail: `must have at most ${LIMITS.tokenBytes} bytes of ${names} together, as JSON; it has ${sizeBytes}`,
    },
  ];
}

function describeValueError(type: unknown, value: unknown): string | null {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return null;
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string, as its type says';
      if (!isText(value)) return 'must not contain NUL or a lone surrogate';
      return [...value].length > LIMITS.attributeTextCharacters
        ? `must NOT have more than ${LIMITS.attributeTextCharacters} characters`
        : null;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? null
        : 'must be a finite number, as its type says';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be a boolean, as its type says';
    case 'date':
      return isDate(value)
        ? null
        : 'must be milliseconds since 1970 or an ISO 8601 date or date-time, as its type says';
    default:
      return null;
  }
}

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$/;

function isDate(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && Math.abs(value) <= LIMITS.timestamp;
  const match = typeof value === 'string' ? ISO_DATE.exec(value) : null;
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * Returns the identity of a createToken request. It depends on the community, the creator, the signed message
 * and the unsigned fields in their normal form, but not on the signature's bytes or the order of
 * contributors. `people` are keyed hashes of what the request says about the contributors.
 */
export function identifyCreateTokenRequest(
  request: {
    communityId: string;
    creator: Address;
    digest: Uint8Array;
    nftTypeId: string;
    customAttributes: CustomAttribute[];
    contributors: AllowlistContributor[];
    criteria: string | null;
    /** The unsigned times and days by name. Those that are null do not count. */
    times: Record<string, number | null>;
  },
  people: Buffer[] = [],
): Buffer {
  const unsignedFields = JSON.stringify([
    request.nftTypeId,
    request.customAttributes.map(({ fieldName, type, value }) => [fieldName, type, value]),
    request.contributors.map(({ key }) => key.toString('hex')).sort(),
    request.criteria,
    ...Object.entries(request.times).filter(([, value]) => value !== null),
    ...people.map((hash) => hash.toString('hex')),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([request.communityId, request.creator.toString('hex')]))
    .update(request.digest)
    .update(createHash('sha256').update(unsignedFields).digest())
    .digest();
}

/** Returns why a token cannot be replaced by the other one; null if it can. */
export function findReplacementRefusal(
  { tokenId, replacementTokenId }: TokenReplacement,
  state: ReplacementState | undefined,
): { name: ErrorName; detail: string } | null {
  if (state === undefined) throw new Error(`token ${tokenId} or ${replacementTokenId} is missing`);
  if (state.replaced_by_token_id !== null) {
    const detail = `The token was replaced by token ${state.replaced_by_token_id}.`;
    return { name: 'TokenReplaced', detail };
  }
  const mismatch = describeMismatch(tokenId === replacementTokenId, state);
  if (mismatch !== null) return { name: 'ReplacementMismatch', detail: mismatch };
  if (state.people <= LIMITS.replacedPeople) return null;
  const max = LIMITS.replacedPeople.toLocaleString('en');
  const detail = `The token has more than ${max} owners and waiting people, so it cannot be replaced.`;
  return { name: 'ReplacementTooLarge', detail };
}

function describeMismatch(isSame: boolean, state: ReplacementState): string | null {
  const { replacement_replaced_by: replacedBy, replacement_claims_left: left, claims_made: made } = state;
  if (isSame) return 'A token cannot replace itself.';
  if (!state.is_same_community) return 'The replacement belongs to another community.';
  if (!state.is_same_creator) return 'The replacement has another creator.';
  if (!state.is_same_allowlist_kind) return 'Only one of the two tokens has an allowlist.';
  if (!state.is_same_signature_rule) return "Only one of the two tokens requires the claimer's signature.";
  if (replacedBy !== null) return `The replacement was itself replaced, by token ${replacedBy}.`;
  if (state.has_replaced) return 'The replacement has already replaced another token.';
  if (state.is_replacement_claimed) return 'Somebody has claimed the replacement.';
  if (state.has_contributors) return 'The replacement has contributors besides its creator.';
  if (left !== null && made !== null && left < made) {
    return `The replacement can be claimed ${left} times, but the token was claimed ${made} times.`;
  }
  return null;
}
