import {
  EMAIL_PROBLEMS,
  type EmailAddress,
  foldCase,
  type Person,
  parseEmailAddress,
  type RequestError,
} from '@badge/protocol';
import type { Encryption, EncryptionPurpose } from '../../encryption.ts';
import type { PersonalChanges } from '../../storage/named-recipients.ts';
import type { Claimer, PersonalFields } from '../../storage/recipients.ts';
import { findNameErrors, hashEmail } from '../invitations/rules.ts';
import { Refusal } from '../refusal.ts';

/** What is said about a person. Null: nothing is known. */
export interface KnownPerson {
  name: string | null;
  email: string | null;
  note: string | null;
}

const PURPOSES = {
  name: 'personName',
  email: 'emailAddress',
  note: 'personNote',
} as const satisfies Record<keyof KnownPerson, EncryptionPurpose>;

const FIELDS = ['name', 'email', 'note'] as const;

/** Whether anything is said about a person. */
export function isPersonGiven(person: Person | undefined): person is Person {
  return person !== undefined && FIELDS.some((field) => (person[field] ?? null) !== null);
}

/** The errors of what is said about a person that its schema cannot express. */
export function findPersonErrors(pointer: string, person: unknown): RequestError[] {
  if (typeof person !== 'object' || person === null) return [];
  const { name, email } = person as Record<string, unknown>;
  const parsed = typeof email === 'string' ? parseEmailAddress(email) : null;
  return [
    ...findNameErrors(`${pointer}/name`, name),
    ...(typeof parsed === 'string' ? [{ pointer: `${pointer}/email`, detail: EMAIL_PROBLEMS[parsed] }] : []),
  ];
}

/**
 * Encrypts what is said about the person of a contributor key. What is absent stays undefined; an empty text
 * is null.
 */
export function encryptChanges(
  encryption: Encryption,
  contributorKey: Buffer,
  person: Person,
): PersonalChanges {
  const rowId = contributorKey.toString('hex');
  const encrypt = (field: keyof KnownPerson) => {
    const text = person[field];
    if (text === undefined) return undefined;
    const stored = toStoredText(field, text);
    return stored === null ? null : encryption.encrypt(PURPOSES[field], rowId, stored);
  };
  const email = person.email === undefined ? undefined : toStoredText('email', person.email);
  return {
    name: encrypt('name'),
    email: encrypt('email'),
    emailHash: typeof email === 'string' ? hashEmail(encryption, parseChecked(email)) : email,
    note: encrypt('note'),
  };
}

/** The same for somebody new: what is absent is null. */
export function encryptPerson(
  encryption: Encryption,
  contributorKey: Buffer,
  person: Person,
): PersonalFields {
  const changes = encryptChanges(encryption, contributorKey, person);
  const { name = null, email = null, emailHash = null, note = null } = changes;
  return { name, email, emailHash, note };
}

/** Encrypts the e-mail of somebody who claims with it, for each contributor key that the claim can use. */
export function encryptClaimer(
  encryption: Encryption,
  { email, emailHash }: { email: string; emailHash: Buffer },
  contributorKeys: Buffer[],
): Claimer {
  const rowIds = contributorKeys.map((key) => key.toString('hex'));
  const emails = rowIds.map((rowId) => [rowId, encryption.encrypt(PURPOSES.email, rowId, email)] as const);
  return { emailHash, emails: Object.fromEntries(emails) };
}

function toStoredText(field: keyof KnownPerson, text: string | null): string | null {
  const trimmed = text?.trim() || null;
  if (field !== 'email' || trimmed === null) return trimmed;
  return parseChecked(trimmed).address;
}

function parseChecked(text: string): EmailAddress {
  const email = parseEmailAddress(text);
  if (typeof email === 'string') throw new Error('the address was not checked');
  return email;
}

/** Decrypts what is said about a person. Without a key, or if the person is not known any more, nothing. */
export function decryptPerson(
  encryption: Encryption | null,
  contributorKey: Buffer | null,
  person: Omit<PersonalFields, 'emailHash'>,
): KnownPerson {
  const decrypt = (field: keyof KnownPerson) => {
    const encrypted = person[field];
    return encryption === null || contributorKey === null || encrypted === null
      ? null
      : encryption.decrypt(PURPOSES[field], contributorKey.toString('hex'), encrypted);
  };
  return { name: decrypt('name'), email: decrypt('email'), note: decrypt('note') };
}

/**
 * A keyed hash of what a request says about people, with which its repetitions are found. Without people,
 * nothing.
 */
export function identifyPeople(
  encryption: Encryption | null,
  people: { contributorKey: Buffer; person: Person }[],
): Buffer[] {
  if (encryption === null || people.length === 0) return [];
  const said = people
    .map(({ contributorKey, person }) => [
      contributorKey.toString('hex'),
      ...FIELDS.map((field) => person[field] ?? null),
    ])
    .sort(([one = ''], [other = '']) => ((one ?? '') < (other ?? '') ? -1 : 1));
  return [encryption.hash('personName', JSON.stringify(said))];
}

export function recipientNotFound(): Refusal {
  return new Refusal('RecipientNotFound', 'The token has no recipient with this id.');
}

// Letters that Unicode does not decompose, with what people type instead.
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};
const FOLDED_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
const NOT_ASCII = /[\u0080-\uffff]/;

/** Returns a form that is equal for texts that differ only in case or accents: "Müller" becomes "muller". */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(/\p{Mn}/gu, '');
  if (!NOT_ASCII.test(plain)) return plain.toLowerCase();
  return foldCase(plain).replace(FOLDED_LETTERS, (letter) => LETTERS[letter] ?? letter);
}
