import { type EmailProblem, parseEmailAddress } from '@badge/protocol/email-address';
import type { Invitation } from '@badge/sdk';
import { type AddressProblem, readTypedAddress } from '../../wallet/address.ts';
import { cleanCell } from './clean-cell.ts';
import type { PersonLine } from './person-line.ts';

/** What the service knows about a badge before it is given. */
export interface KnownPeople {
  /** The addresses that have the badge, in lower case. */
  holders: ReadonlySet<string>;
  /** Those on the list, by `toKey`, and whether they have claimed. */
  contributors: ReadonlyMap<string, { hasClaimed: boolean }>;
  /** The e-mails with a link that can still be used, by `toKey`. */
  linked: ReadonlySet<string>;
  /**
   * What has become of the invitations, by `toKey` of the e-mail, without those that do not hold any more.
   */
  invitations: ReadonlyMap<string, Invitation['status']>;
  /** The addresses on the list that a mail has told, or will tell, in lower case. */
  told: ReadonlySet<string>;
  /** The people with a link of whom only a name is known, by `toNameKey`, and whether they have claimed. */
  names: ReadonlyMap<string, { hasClaimed: boolean }>;
}

/**
 * Whether a mail of the service tells somebody whose address is on the list:
 * - `mail`: yes
 * - `wallet`: no, because the line has no e-mail
 * - `before`: no, because a mail has told this address before
 * - `unsubscribed`: no, because the person wants no mails
 * - `taken`: no, because somebody else has this e-mail: an earlier line, or an invitation
 */
export type Told = 'mail' | 'wallet' | 'before' | 'unsubscribed' | 'taken';

/**
 * What is wrong with a line: as with a typed address, or with an e-mail. `badEmail`: it has no form of an
 * e-mail. `noAt`: it may be an e-mail without its @.
 */
export type LineProblem = AddressProblem | Exclude<EmailProblem, 'form'> | 'badEmail' | 'noAt';

/**
 * What will happen with a line:
 * - `airdrop`: the address gets the badge
 * - `list`: the address is put on the list, and can claim the badge
 * - `tell`: the address is on the list already, and a mail tells it
 * - `link`: the e-mail gets a link, in a mail of the service or of the organiser. `isListed` says whether it
 *   is on the list already
 * - `nameLink`: somebody of whom only the name is known gets a link from the organiser
 * - `has`, `listed`, `linked`, `invited`: nothing, because it has been done before
 * - `failed`: nothing, because its mail has failed before. The list of invitations sends it again
 * - `unsubscribed`: nothing, because the person wants no mails
 * - `repeated`: nothing, because an earlier line has the same recipient
 * - `wrong`: nothing, because something is wrong with the line
 */
export type LinePlan =
  | {
      kind: 'airdrop' | 'has' | 'linked' | 'invited' | 'failed' | 'unsubscribed';
      recipient: string;
    }
  /** `told` is absent if the service sends no mails. */
  | { kind: 'list' | 'listed' | 'tell'; recipient: string; told?: Told }
  | { kind: 'link'; recipient: string; isListed: boolean }
  | { kind: 'nameLink'; recipient: '' }
  | { kind: 'repeated'; recipient: string; firstLine: number }
  | { kind: 'wrong'; problem: LineProblem };

/** Returns a text that is equal for recipients that the service treats as equal. */
export function toKey(recipient: string): string {
  const email = recipient.includes('@') ? parseEmailAddress(recipient) : 'form';
  // The domain of an e-mail has several forms.
  if (typeof email !== 'string') return email.comparedText;
  return recipient.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** Returns a text that is equal for names that are taken for the same one. */
export function toNameKey(name: string): string {
  return shortenName(name).trim().normalize('NFC').toLowerCase();
}

/** The service accepts no longer names. */
const MAX_NAME_CHARACTERS = 100;

export function shortenName(name: string): string {
  return [...name].slice(0, MAX_NAME_CHARACTERS).join('');
}

type Read = { recipient: string; isEmail: boolean } | { problem: LineProblem };

// Most lines stay as they are when one of them is corrected.
const readBefore = new WeakMap<PersonLine, Read>();

/**
 * Says what will happen with each line, in their order. `isInviting`: whether the service sends the links.
 */
export function planLines(
  lines: readonly PersonLine[],
  isAllowlisted: boolean,
  known: KnownPeople,
  isInviting = false,
): LinePlan[] {
  const firstLines = new Map<string, number>();
  return lines.map((line) => {
    if (line.hasOnlyName && line.recipient === '') {
      // Two people of one list can have the same name. In another list, it is the same person.
      const named = known.names.get(toNameKey(line.name));
      const kind = named === undefined ? 'nameLink' : named.hasClaimed ? 'has' : 'linked';
      return { kind, recipient: '' };
    }
    const read = readBefore.get(line) ?? readRecipient(line.recipient);
    readBefore.set(line, read);
    if ('problem' in read) return { kind: 'wrong', problem: read.problem };
    const { recipient, isEmail } = read;
    const key = toKey(recipient);
    const firstLine = firstLines.get(key);
    if (firstLine !== undefined) return { kind: 'repeated', recipient, firstLine };
    firstLines.set(key, line.line);
    const kind = decide(key, { isEmail, isAllowlisted, isInviting }, known);
    if (kind === 'link') return { kind, recipient, isListed: known.contributors.has(key) };
    if ((kind !== 'list' && kind !== 'listed') || !isInviting) return { kind, recipient };
    const told = decideTold(key, line, known, firstLines);
    // Whoever is told at this e-mail gets no link there too, so nobody claims twice.
    if (told === 'mail') firstLines.set(toKey(line.email), line.line);
    return { kind: kind === 'listed' && told === 'mail' ? 'tell' : kind, recipient, told };
  });
}

function decide(
  key: string,
  { isEmail, isAllowlisted, isInviting }: { isEmail: boolean; isAllowlisted: boolean; isInviting: boolean },
  known: KnownPeople,
) {
  const contributor = known.contributors.get(key);
  if (known.holders.has(key) || contributor?.hasClaimed) return 'has';
  if (isEmail) {
    const invitation = known.invitations.get(key);
    if (invitation === 'claimed') return 'has';
    if (invitation === 'scheduled' || invitation === 'queued' || invitation === 'sent') return 'invited';
    // Whoever did not get the mail can still get a link from the organiser.
    if (isInviting && (invitation === 'failed' || invitation === 'unsubscribed')) return invitation;
    return known.linked.has(key) && invitation !== 'failed' ? 'linked' : 'link';
  }
  if (!isAllowlisted) return 'airdrop';
  return contributor === undefined ? 'list' : 'listed';
}

/** Says whether a mail tells somebody on the list. `firstLines` has the e-mails of earlier lines. */
function decideTold(
  key: string,
  { email }: PersonLine,
  known: KnownPeople,
  firstLines: ReadonlyMap<string, number>,
): Told {
  if (known.told.has(key)) return 'before';
  if (!isGoodEmail(email)) return 'wallet';
  const emailKey = toKey(email);
  const invitation = known.invitations.get(emailKey);
  if (invitation === 'unsubscribed') return 'unsubscribed';
  return firstLines.has(emailKey) || invitation !== undefined ? 'taken' : 'mail';
}

function readRecipient(text: string): Read {
  const typed = cleanCell(text);
  if (typed.includes('@') && !/^ethereum:/i.test(typed)) {
    // What people mistype: two at signs, or a space.
    if (/@.*@|[\s,;<>]/.test(typed)) return { problem: 'badEmail' };
    const email = parseEmailAddress(typed);
    if (typeof email !== 'string') return { recipient: typed, isEmail: true };
    return { problem: email === 'form' ? 'badEmail' : email };
  }
  const read = readTypedAddress(typed);
  if ('address' in read) return { recipient: read.address, isEmail: false };
  // Only names that end with .eth are surely names.
  return read.problem === 'name' && !/\.eth$/i.test(typed) ? { problem: 'noAt' } : read;
}

/** Whether this is an e-mail that can get a link. */
export function isGoodEmail(text: string): boolean {
  const read = readRecipient(text);
  return 'isEmail' in read && read.isEmail;
}

/** Whether a mail of the service goes to the e-mail beside a wallet. */
export function isToldByMail(plan: LinePlan): boolean {
  return 'told' in plan && plan.told === 'mail';
}
