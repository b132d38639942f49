import { CSV_FIELDS, type CsvField } from '@badge/protocol/csv-fields';
import { readTitles } from '../give/column-titles.ts';
import type { CsvColumn } from './read-csv-columns.ts';

/** The title of the column of each field, as the import gets it. */
export type CsvMapping = Partial<Record<CsvField, string>>;

export const FIELDS = Object.keys(CSV_FIELDS) as CsvField[];
const PERSON_FIELDS = [
  ...['person', 'address', 'email', 'name', 'note', 'status', 'claimedAt', 'revokedAt', 'expiresAt'],
] as readonly string[] as readonly CsvField[];
/** The fields of a badge, and those of a person who has it. */
export const FIELD_GROUPS = {
  badge: FIELDS.filter((field) => !PERSON_FIELDS.includes(field)),
  person: PERSON_FIELDS,
} as const;

const DATE_FIELDS = [
  ...['startDate', 'endDate', 'createdAt', 'claimableUntil', 'validUntil'],
  ...['claimedAt', 'revokedAt', 'expiresAt'],
] as readonly string[] as readonly CsvField[];
/** A date such as 1/2/2026, whose first part is the day or the month. */
const NUMBER_DATE = /^(\d{1,2})([/-])(\d{1,2})\2\d{4}\b/;

// English and Spanish, and what exports of other services call them. The names of people are in
// `column-titles.ts`.
const TITLES: Partial<Record<CsvField, string>> = {
  badgeId: 'badgeid eventid dropid tokenid badgeclassid',
  headline:
    'title badge badgename badgetitle event eventname course certificate award insignia titulo evento curso',
  description: 'badgedescription eventdescription descripcion',
  criteria: 'criterios requirements',
  picture: 'image imageurl img pictureurl artwork imagen foto',
  link: 'url website eventurl enlace web',
  startDate: 'start date eventdate from fecha inicio',
  endDate: 'end until to fin',
  createdAt: 'created creationdate',
  claimableUntil: 'claimuntil claimdeadline',
  validUntil: 'badgevaliduntil',
  note: 'notes comment comments nota notas comentario',
  status: 'state estado',
  claimedAt:
    'claimed claimedon claimdate claimeddate dateclaimed receivedon issued issuedat issuedon issuedate dateissued awarded awardedat awardedon minted mintedat mintdate ' +
    'emitida fechadeemision obtenida',
  revokedAt: 'revoked revocationdate',
  expiresAt: 'expires expiry expirydate expiration expirationdate caduca',
};
const PEOPLE = { recipient: 'person', address: 'address', email: 'email', name: 'name' } as const;

const KNOWN = new Map<string, CsvField>();
for (const field of FIELDS) {
  for (const title of [field, ...(TITLES[field]?.split(' ') ?? [])]) KNOWN.set(normalise(title), field);
}

/** Guesses which column is what by the titles. */
export function guessMapping(titles: readonly string[]): CsvMapping {
  const mapping: CsvMapping = {};
  const people = readTitles(titles);
  for (const [index, title] of titles.entries()) {
    const role = people[index]?.role;
    const field =
      KNOWN.get(normalise(title)) ?? (role !== undefined ? PEOPLE[role as keyof typeof PEOPLE] : undefined);
    if (field !== undefined) mapping[field] ??= title;
  }
  return mapping;
}

/** Puts a column into a field, or into none. Each field has one column at most. */
export function chooseField(mapping: CsvMapping, title: string, chosen: CsvField | 'none'): CsvMapping {
  const others = Object.entries(mapping).filter(([field, column]) => field !== chosen && column !== title);
  return { ...Object.fromEntries(others), ...(chosen === 'none' ? {} : { [chosen]: title }) };
}

/** Whether a column says which badge a line is about. Otherwise all lines are about one badge. */
export function namesBadge({ headline, badgeId }: CsvMapping): boolean {
  return headline !== undefined || badgeId !== undefined;
}

/** Whether a column says who has the badge. */
export function namesPeople({ person, address, email }: CsvMapping): boolean {
  return [person, address, email].some((column) => column !== undefined);
}

/** Whether a column says who of the people has the badge. */
export function saysWhoHasIt({ status, claimedAt, revokedAt }: CsvMapping): boolean {
  return [status, claimedAt, revokedAt].some((column) => column !== undefined);
}

/**
 * What comes first in dates such as 1/2/2026. `date` is one of which nobody can say it, if no other date says
 * it either.
 */
export function findDateOrder(
  mapping: CsvMapping,
  columns: readonly CsvColumn[],
): { order: 'dmy' | 'mdy' | null; date: string | null } {
  const titles = DATE_FIELDS.map((field) => mapping[field]);
  const texts = columns.filter(({ title }) => titles.includes(title)).flatMap((column) => column.texts);
  let date: string | null = null;
  for (const text of texts) {
    const [, first, , second] = NUMBER_DATE.exec(text) ?? [];
    if (first === undefined || Number(first) === Number(second)) continue;
    if (Number(first) > 12) return { order: 'dmy', date: null };
    if (Number(second) > 12) return { order: 'mdy', date: null };
    date ??= text;
  }
  return { order: null, date };
}

function normalise(title: string): string {
  return title
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
