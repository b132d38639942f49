import { BadgeApiError, type CustomAttribute, type NewToken } from '@badge/sdk';
import { isWebLink } from '../../urls.ts';
import type { Fields, TypedAttribute } from './draft.ts';
import { toEnd, toStart, toTimestamp } from './typed-times.ts';

const MAX_TEXT = 1_000;
const MAX_LINK = 2_048;
const MAX_NAME = 64;
const MAX_DAYS = 36_500;

/** Names a field: `headline`, `links.2`, `attributes.0.value`, … */
export type FieldName = string;

/**
 * What is wrong with a field: the name of a message, and what it mentions. Or a text of the service, in
 * English.
 */
export type FieldProblem =
  | {
      name:
        | 'missing'
        | 'tooLong'
        | 'link'
        | 'number'
        | 'count'
        | 'date'
        | 'startAfterEnd'
        | 'past'
        | 'days'
        | 'twoEnds'
        | 'reserved'
        | 'repeated'
        | 'design';
      max?: number;
    }
  | { name: 'service'; detail: string };

export type FieldProblems = ReadonlyMap<FieldName, FieldProblem>;

/** The parts of a new token that the fields contain. The rest depends on who signs. */
export type TokenFields = Omit<NewToken, 'contributors' | 'totalClaimCount' | 'isAllowlistRequired'>;

export interface ReadFields {
  token: TokenFields;
  count: number;
  problems: FieldProblems;
  /** The fields by the JSON pointer of what they become. Empty lines of a form become nothing. */
  fieldOf: ReadonlyMap<string, FieldName>;
}

export interface FieldRules {
  communityId: string;
  nftTypeIds: readonly string[];
  /** The names that an attribute cannot have. */
  reservedNames: readonly string[];
}

/** Reads what a person has typed, and finds what is wrong with it. */
export function readFields(fields: Fields, rules: FieldRules, now = Date.now()): ReadFields {
  const problems = new Map<FieldName, FieldProblem>();
  const fieldOf = new Map<string, FieldName>();
  const { headline, description, criteria, nftTypeId, who } = fields;
  if (headline.trim() === '') problems.set('headline', { name: 'missing' });
  checkLength('headline', headline, MAX_TEXT);
  checkLength('description', description, MAX_TEXT);
  checkLength('criteria', criteria, MAX_TEXT);
  if (!rules.nftTypeIds.includes(nftTypeId)) problems.set('nftTypeId', { name: 'design' });

  const count = Number(fields.count);
  if (who === 'everyone' && (!/^\d+$/.test(fields.count.trim()) || count < 1 || !Number.isSafeInteger(count)))
    problems.set('count', { name: 'count' });

  const startDateTimestamp = toTimestamp(fields.start);
  const endDateTimestamp = toTimestamp(fields.end);
  const claimableFromTimestamp = toStart(fields.claimFrom);
  const expirationTimestamp = toEnd(fields.claimUntil);
  if (startDateTimestamp !== null && endDateTimestamp !== null && startDateTimestamp > endDateTimestamp)
    problems.set('end', { name: 'startAfterEnd' });
  if (expirationTimestamp !== null && expirationTimestamp <= now)
    problems.set('claimUntil', { name: 'past' });
  else if (claimableFromTimestamp !== null && (expirationTimestamp ?? Infinity) <= claimableFromTimestamp)
    problems.set('claimUntil', { name: 'startAfterEnd' });
  const validUntilTimestamp = toEnd(fields.validUntil);
  const typedDays = fields.validityDays.trim();
  const validityDays = typedDays === '' ? null : Number(typedDays);
  if (validityDays !== null && (!/^\d+$/.test(typedDays) || validityDays < 1 || validityDays > MAX_DAYS))
    problems.set('validityDays', { name: 'days', max: MAX_DAYS });
  else if (validityDays !== null && validUntilTimestamp !== null)
    problems.set('validityDays', { name: 'twoEnds' });
  for (const name of ['start', 'end', 'claimFrom', 'claimUntil', 'validUntil'] as const) {
    const { day, time } = fields[name];
    if (day === '' && time !== '') problems.set(name, { name: 'date' });
  }

  const links: string[] = [];
  for (const [index, typed] of fields.links.entries()) {
    const link = typed.trim();
    if (link === '') continue;
    fieldOf.set(`/links/${links.length}`, `links.${index}`);
    links.push(link);
    checkLength(`links.${index}`, link, MAX_LINK);
    if (!isWebLink(link)) problems.set(`links.${index}`, { name: 'link' });
  }

  const customAttributes: CustomAttribute[] = [];
  for (const [index, attribute] of fields.attributes.entries()) {
    if (attribute.name.trim() === '' && attribute.value.trim() === '') continue;
    const place = `/customAttributes/${customAttributes.length}`;
    fieldOf.set(`${place}/fieldName`, `attributes.${index}.name`);
    fieldOf.set(`${place}/value`, `attributes.${index}.value`);
    const read = readAttribute(attribute, index);
    if (customAttributes.some(({ fieldName }) => fieldName === read.fieldName))
      problems.set(`attributes.${index}.name`, { name: 'repeated' });
    customAttributes.push(read);
  }

  return {
    token: {
      communityId: rules.communityId,
      headline,
      description,
      ...(criteria.trim() === '' ? {} : { criteria }),
      ...(claimableFromTimestamp === null ? {} : { claimableFromTimestamp }),
      nftTypeId,
      links,
      startDateTimestamp,
      endDateTimestamp,
      expirationTimestamp,
      ...(validUntilTimestamp === null ? {} : { validUntilTimestamp }),
      ...(validityDays === null ? {} : { validityDays }),
      customAttributes,
      isSignatureRequired: false,
    },
    count,
    problems,
    fieldOf,
  };

  function checkLength(field: FieldName, text: string, max: number): void {
    // As the service counts: by code points.
    if ([...text].length > max) problems.set(field, { name: 'tooLong', max });
  }

  function readAttribute({ name, type, value }: TypedAttribute, index: number): CustomAttribute {
    const fieldName = name.trim();
    const nameField = `attributes.${index}.name`;
    const valueField = `attributes.${index}.value`;
    if (fieldName === '') problems.set(nameField, { name: 'missing' });
    const folded = fieldName.toLowerCase();
    if (rules.reservedNames.some((reserved) => reserved.toLowerCase() === folded))
      problems.set(nameField, { name: 'reserved' });
    checkLength(nameField, fieldName, MAX_NAME);
    checkLength(valueField, value, MAX_LINK);
    const text = value.trim();
    if (text === '') problems.set(valueField, { name: 'missing' });
    if (type === 'boolean') return { fieldName, type, value: value === 'true' };
    if (type === 'date') return { fieldName, type, value: text };
    if (type === 'string') return { fieldName, type, value };
    if (text !== '' && !Number.isFinite(Number(text))) problems.set(valueField, { name: 'number' });
    return { fieldName, type, value: Number(text) };
  }
}

const FIELDS_BY_POINTER: Record<string, FieldName> = {
  '/headline': 'headline',
  '/description': 'description',
  '/criteria': 'criteria',
  '/nftTypeId': 'nftTypeId',
  '/totalClaimCount': 'count',
  '/startDateTimestamp': 'start',
  '/endDateTimestamp': 'end',
  '/claimableFromTimestamp': 'claimFrom',
  '/expirationTimestamp': 'claimUntil',
  '/validUntilTimestamp': 'validUntil',
  '/validityDays': 'validityDays',
  '/links': 'links.0',
  '/customAttributes': 'attributes.0.name',
};

/**
 * Returns the errors of the service at the fields that they are about. Those without a field are left out.
 */
export function findServiceProblems(error: unknown, fieldOf: ReadonlyMap<string, FieldName>): FieldProblems {
  const problems = new Map<FieldName, FieldProblem>();
  if (!(error instanceof BadgeApiError)) return problems;
  if (error.name === 'NftTypeNotFound') problems.set('nftTypeId', { name: 'design' });
  for (const place of error.errors) {
    if (!('pointer' in place)) continue;
    // The managed creator names the fields of the signed message.
    const pointer = place.pointer.replace(/^\/message(?=\/)/, '');
    const exact = fieldOf.get(pointer) ?? FIELDS_BY_POINTER[pointer];
    const field = exact ?? FIELDS_BY_POINTER[pointer.replace(/(?<=^\/\w+)\/.*/, '')];
    if (field !== undefined && !problems.has(field))
      problems.set(field, { name: 'service', detail: place.detail });
  }
  return problems;
}
