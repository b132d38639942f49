import { createHash } from 'node:crypto';
import {
  foldCase,
  isText,
  LIMITS,
  type NamedContributor,
  type RequestError,
  spellEmailAddress,
} from '@badge/protocol';
import { isAddress, parseAddress } from '../../signatures/address.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { findChecksumErrors } from '../address-errors.ts';
import { findPersonErrors } from '../recipients/rules.ts';
import { MAX_ERRORS } from '../refusal.ts';

// Normalising a run of marks takes time that grows with the square of its length. Unicode's Stream-Safe Text
// Format allows runs of 30. The search begins only at the start of a run, so its time is linear.
const LONG_RUN_OF_MARKS = /(?<!\p{M})\p{M}{31}/u;

/**
 * Returns the errors of a body's list of contributors, which is in the given field. `areNamed`: an item can
 * be an object that says who the contributor is.
 */
export function findContributorErrors(
  contributors: unknown,
  {
    field = 'contributors',
    max = LIMITS.contributors,
    areNamed = false,
  }: { field?: string; max?: number; areNamed?: boolean } = {},
): RequestError[] {
  const pointer = `/${field}`;
  if (contributors === undefined || contributors === null) return [{ pointer, detail: 'is required' }];
  if (!Array.isArray(contributors)) return [{ pointer, detail: 'must be array' }];
  if (contributors.length < 1 || contributors.length > max) {
    return [{ pointer, detail: `must contain 1 to ${max} ${field}` }];
  }
  const errors: RequestError[] = [];
  for (const [index, contributor] of contributors.entries()) {
    const place = `${pointer}/${index}`;
    errors.push(...(areNamed ? findEntryErrors(place, contributor) : findErrors(place, contributor)));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

function findEntryErrors(pointer: string, entry: unknown): RequestError[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return findErrors(pointer, entry);
  // The schema reports a contributor that is missing or no text.
  const { contributor } = entry as Partial<NamedContributor>;
  return [
    ...(typeof contributor === 'string' ? findErrors(`${pointer}/contributor`, contributor) : []),
    ...findPersonErrors(pointer, entry),
  ];
}

function findErrors(pointer: string, contributor: unknown): RequestError[] {
  if (typeof contributor !== 'string') return [{ pointer, detail: 'must be string' }];
  if (!isText(contributor)) return [{ pointer, detail: 'must not contain NUL or a lone surrogate' }];
  const text = contributor.trim();
  if (text.length === 0 || [...contributor].length > LIMITS.contributorCharacters) {
    return [{ pointer, detail: `must have 1 to ${LIMITS.contributorCharacters} characters` }];
  }
  if (LONG_RUN_OF_MARKS.test(text)) {
    return [{ pointer, detail: 'must not have more than 30 combining marks in a row' }];
  }
  if (/^[0-9a-f]{40}$/i.test(text)) {
    return [{ pointer, detail: 'is an address without 0x: put 0x before it' }];
  }
  if (/^0x/i.test(text) && !isAddress(text)) {
    return [{ pointer, detail: 'begins with 0x but is not an address, which has 40 hex digits' }];
  }
  return findChecksumErrors(pointer, text);
}

/** Returns contributors in their normal form, without duplicates. */
export function normaliseContributors(contributors: string[]): AllowlistContributor[] {
  const byKey = new Map<string, AllowlistContributor>();
  for (const contributor of contributors) {
    const normal = normaliseContributor(contributor);
    const key = normal.key.toString('hex');
    if (!byKey.has(key)) byKey.set(key, normal);
  }
  return [...byKey.values()];
}

/**
 * Returns a contributor in its normal form. The case of letters matters, except in wallet addresses and
 * e-mail addresses.
 */
export function normaliseContributor(contributor: string): AllowlistContributor {
  const identifier = contributor.trim().normalize('NFC');
  if (isAddress(identifier)) return { key: parseAddress(identifier) };
  const comparedText = isEmail(identifier) ? foldCase(identifier) : identifier;
  return { key: createHash('sha256').update(comparedText).digest(), identifier };
}

/** Returns the spellings of an e-mail, and the contributor keys of the entries that are one of them. */
export function namesOfEmail(email: string): { spellings: string[]; identifierKeys: Buffer[] } {
  const spellings = spellEmailAddress(email);
  return { spellings, identifierKeys: spellings.map((spelling) => normaliseContributor(spelling).key) };
}

/**
 * Whether a contributor is probably meant as an ENS name. Only names that end in `.eth` are, because handles
 * can contain dots too.
 */
export function looksLikeEnsName(contributor: string): boolean {
  return /^[^\s@]+\.eth$/i.test(contributor.trim());
}

function isEmail(identifier: string): boolean {
  return /^[^@\s]+@[^@\s]+$/.test(identifier);
}
