import {
  type CreateInvitationsBody,
  EMAIL_PROBLEMS,
  type EmailAddress,
  type InvitationRecipient,
  LIMITS,
  type MailLanguage,
  parseEmailAddress,
  type RequestError,
} from '@badge/protocol';
import type { Encryption } from '../../encryption.ts';
import { type Address, isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findChecksumErrors } from '../address-errors.ts';
import { describeSeconds } from '../describe-seconds.ts';
import { MAX_ERRORS, Refusal } from '../refusal.ts';

/** Who gets an invitation. `email` and `address` are parsed. */
export interface Recipient {
  email: EmailAddress;
  /** The wallet on the allowlist that the mail is for; null if the mail has a claim link. */
  address: Address | null;
  name: string | null;
  language: MailLanguage;
  /** The first place of the address in the request. */
  index: number;
}

/** The errors of a createInvitations body that its schema cannot express. */
export function findInvitationErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const { recipients, expiresAtTimestamp, sendAtTimestamp } = (body ?? {}) as Record<string, unknown>;
  const errors: RequestError[] = findSendAtErrors(body, nowTimestamp);
  if (typeof expiresAtTimestamp === 'number') {
    const isTooLate = typeof sendAtTimestamp === 'number' && sendAtTimestamp >= expiresAtTimestamp;
    if (expiresAtTimestamp <= nowTimestamp)
      errors.push({ pointer: '/expiresAtTimestamp', detail: 'is in the past' });
    else if (isTooLate)
      errors.push({ pointer: '/sendAtTimestamp', detail: 'must be before expiresAtTimestamp' });
  }
  if (!Array.isArray(recipients)) return errors;
  const findPairErrors = createPairCheck();
  for (const [index, recipient] of recipients.slice(0, LIMITS.invitationRecipients).entries()) {
    const pointer = `/recipients/${index}`;
    errors.push(...findRecipientErrors(pointer, recipient), ...findPairErrors(pointer, recipient));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

const MAX_AHEAD_MS = 90 * 86_400_000;

/**
 * The errors of the time at which mails are to be sent. A time that is over is none, because the clock of
 * this process does not decide when they are sent.
 */
export function findSendAtErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const { sendAtTimestamp: sendAt } = (body ?? {}) as Record<string, unknown>;
  if (typeof sendAt !== 'number') return [];
  const details =
    sendAt > nowTimestamp + MAX_AHEAD_MS ? ['is more than 90 days ahead'] : describeSeconds(sendAt);
  return details.map((detail) => ({ pointer: '/sendAtTimestamp', detail }));
}

export const toSendAt = (timestamp: number | null | undefined) => (timestamp ? new Date(timestamp) : null);

/** The errors of a previewInvitation body that its schema cannot express. */
export function findPreviewErrors(body: unknown): RequestError[] {
  const { name, address } = (body ?? {}) as Record<string, unknown>;
  return [...findNameErrors('/name', name), ...findChecksumErrors('/address', address)];
}

/** The errors of a cancelMails body that its schema cannot express. */
export function findCancelErrors(body: unknown): RequestError[] {
  const { tokenId = null, email = null, createdByAddress = null } = (body ?? {}) as Record<string, unknown>;
  if (tokenId === null && email === null && createdByAddress === null) {
    return [{ pointer: '', detail: 'must have tokenId, email or createdByAddress' }];
  }
  return [
    ...(typeof email === 'string' ? findEmailErrors('/email', email) : []),
    ...findChecksumErrors('/createdByAddress', createdByAddress),
  ];
}

function findRecipientErrors(pointer: string, recipient: unknown): RequestError[] {
  if (typeof recipient !== 'object' || recipient === null) return [];
  const { email, name, address } = recipient as Record<string, unknown>;
  return [
    ...(typeof email === 'string' ? findEmailErrors(`${pointer}/email`, email) : []),
    ...findNameErrors(`${pointer}/name`, name),
    ...findChecksumErrors(`${pointer}/address`, address),
  ];
}

/**
 * Returns a function that finds the errors of recipients whose e-mail or address an earlier one has with
 * another.
 */
function createPairCheck(): (pointer: string, recipient: unknown) => RequestError[] {
  const addressOf = new Map<string, string | null>();
  const emailOf = new Map<string, string>();
  return (pointer, recipient) => {
    const { email: text, address } = (recipient ?? {}) as Record<string, unknown>;
    const email = typeof text === 'string' ? parseEmailAddress(text) : 'form';
    if (typeof email === 'string') return [];
    const { comparedText } = email;
    const key = typeof address === 'string' && isAddress(address) ? address.toLowerCase() : null;
    const errors: RequestError[] = [];
    const isOther = addressOf.has(comparedText) && addressOf.get(comparedText) !== key;
    if (key !== null && isOther) {
      errors.push({
        pointer: `${pointer}/email`,
        detail: 'is also that of a recipient without this address',
      });
    }
    if (key !== null && (emailOf.get(key) ?? comparedText) !== comparedText) {
      errors.push({
        pointer: `${pointer}/address`,
        detail: 'is also that of a recipient with another e-mail',
      });
    }
    if (!addressOf.has(comparedText)) addressOf.set(comparedText, key);
    if (key !== null && !emailOf.has(key)) emailOf.set(key, comparedText);
    return errors;
  };
}

/** The error of an address, if it has one. */
export function findEmailErrors(pointer: string, email: string): RequestError[] {
  const parsed = parseEmailAddress(email);
  return typeof parsed === 'string' ? [{ pointer, detail: EMAIL_PROBLEMS[parsed] }] : [];
}

/** The errors of a body with an `email` that its schema cannot express. */
export function findEmailBodyErrors(body: unknown): RequestError[] {
  const { email } = (body ?? {}) as Record<string, unknown>;
  return typeof email === 'string' ? findEmailErrors('/email', email) : [];
}

/** Whether a text has neither line ends nor other control characters. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}

/** The error of a name, if it has one. */
export function findNameErrors(pointer: string, name: unknown): RequestError[] {
  return typeof name === 'string' && !isOneLine(name)
    ? [{ pointer, detail: 'must be one line, without control characters' }]
    : [];
}

/** Parses the recipients of a valid body. Those with the same address are merged into the first. */
export function listRecipients(recipients: CreateInvitationsBody['recipients']): Recipient[] {
  const byText = new Map<string, Recipient>();
  for (const [index, recipient] of recipients.entries()) {
    const email = parseEmailAddress(recipient.email);
    if (typeof email === 'string') throw new Error('the recipient was not checked');
    if (!byText.has(email.comparedText)) byText.set(email.comparedText, toRecipient(recipient, email, index));
  }
  return [...byText.values()];
}

function toRecipient(
  { name, language, address }: InvitationRecipient,
  email: EmailAddress,
  index: number,
): Recipient {
  return {
    email,
    address: address ? parseAddress(address) : null,
    name: name?.trim() || null,
    language: language ?? 'en',
    index,
  };
}

/** Shortens an address as the pages do, for example to `0x530E…0044`. */
export function shortenAddress(address: Address): string {
  const text = toChecksumAddress(address);
  return `${text.slice(0, 6)}…${text.slice(-4)}`;
}

/** The keyed hash by which an address is found. */
export function hashEmail(encryption: Encryption, { comparedText }: EmailAddress): Buffer {
  return encryption.hash('emailAddress', comparedText);
}

/** The keyed hash by which the mails to a mailbox are counted, and by which it is unsubscribed. */
export function hashMailbox(encryption: Encryption, { mailbox }: EmailAddress): Buffer {
  return encryption.hash('emailAddress', mailbox);
}

// In bytes. A forged one is found with a probability of 2^-128.
const MAC_BYTES = 16;
const HASH_BYTES = 32;
const EXPIRY_BYTES = 6;

/** Makes the text in an unsubscribe link that names a person and proves that the service has written it. */
export function makeUnsubscribeToken(
  encryption: Encryption,
  { communityId, emailHash }: { communityId: string; emailHash: Buffer },
): string {
  return Buffer.concat([emailHash, macOf(encryption, communityId, emailHash)]).toString('base64url');
}

/** Returns the hashed address in such a text; null if the service has not written it for this community. */
export function readUnsubscribeToken(
  encryption: Encryption,
  { communityId, token }: { communityId: string; token: string },
): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== HASH_BYTES + MAC_BYTES) return null;
  const emailHash = bytes.subarray(0, HASH_BYTES);
  return macOf(encryption, communityId, emailHash).equals(bytes.subarray(HASH_BYTES)) ? emailHash : null;
}

function macOf(encryption: Encryption, about: string, content: Buffer): Buffer {
  return encryption.hash('unsubscribeLink', `${about} ${content.toString('hex')}`).subarray(0, MAC_BYTES);
}

/** Makes the code with which the owner of an address, named by its hashes, undoes an unsubscription. */
export function makeResubscribeCode(
  encryption: Encryption,
  code: { communityId: string; hashes: Buffer[]; expiresAtTimestamp: number },
): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUIntBE(code.expiresAtTimestamp, 0, EXPIRY_BYTES);
  const content = Buffer.concat([...code.hashes, expiry]);
  return Buffer.concat([content, macOf(encryption, `resubscribe ${code.communityId}`, content)]).toString(
    'base64url',
  );
}

/**
 * Returns the hashes in such a code; null if the service has not made it for this community, or its time is
 * over.
 */
export function readResubscribeCode(
  encryption: Encryption,
  { communityId, code, nowTimestamp }: { communityId: string; code: string; nowTimestamp: number },
): Buffer[] | null {
  const bytes = Buffer.from(code, 'base64url');
  if (bytes.length !== 2 * HASH_BYTES + EXPIRY_BYTES + MAC_BYTES) return null;
  const content = bytes.subarray(0, -MAC_BYTES);
  const isOurs = macOf(encryption, `resubscribe ${communityId}`, content).equals(bytes.subarray(-MAC_BYTES));
  if (!isOurs || content.readUIntBE(2 * HASH_BYTES, EXPIRY_BYTES) < nowTimestamp) return null;
  return [content.subarray(0, HASH_BYTES), content.subarray(HASH_BYTES, 2 * HASH_BYTES)];
}

export function invitationNotFound(): Refusal {
  return new Refusal('InvitationNotFound', 'The token has no invitation with this id.');
}
