import { decodePunycode } from './decode-punycode.ts';
import { foldCase } from './fold-case.ts';
import { LIMITS } from './limits.ts';

/** An e-mail address to which a mail can be sent. */
export interface EmailAddress {
  /** The address to send to: the local part as it was given, and the domain in ASCII. */
  address: string;
  /** Equal for addresses that differ only in case, or in how the domain is written. */
  comparedText: string;
  /**
   * The mailbox, for limits. Equal also for addresses that differ only in a tag (`+tag`) or, at Gmail, in
   * dots.
   */
  mailbox: string;
  /** How an allowlist may contain the address: as it was given, or in one of its other forms. */
  spellings: string[];
}

/** What can be wrong with an e-mail address, as the service says it. */
export const EMAIL_PROBLEMS = {
  tooLong: `must have at most ${LIMITS.emailCharacters} characters`,
  form: 'must be an e-mail address, such as ada@example.org',
  localPart: 'must have 1 to 64 ASCII letters, digits and usual signs before the @, without quotes',
  domain: 'must have a domain after the @, such as example.org',
  ipAddress: 'must have a domain after the @, not an IP address',
  invalidDomain: 'must have a valid domain after the @',
  imitation:
    'has a domain whose letters imitate those of another script, or mix scripts; the domain may be forged',
} as const;

export type EmailProblem = keyof typeof EMAIL_PROBLEMS;

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const MAX_LOCAL_CHARACTERS = 64;
const MAX_DOMAIN_CHARACTERS = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses an e-mail address. Returns what is wrong if it is none. The service and the console both apply this
 * rule.
 */
export function parseEmailAddress(text: string): EmailAddress | EmailProblem {
  // The parser of URLs drops some of them, and so would accept what is no address.
  if (/\p{Cc}/u.test(text)) return 'form';
  const given = text.trim().normalize('NFC');
  if ([...given].length > LIMITS.emailCharacters) return 'tooLong';
  const at = given.lastIndexOf('@');
  const local = given.slice(0, Math.max(at, 0));
  const givenDomain = given.slice(at + 1);
  if (at < 1 || givenDomain === '' || /[\s@]/.test(givenDomain)) return 'form';
  if (!LOCAL_PART.test(local) || local.length > MAX_LOCAL_CHARACTERS) return 'localPart';
  const domain = toAsciiDomain(givenDomain);
  const labels = domain.split('.');
  if (domain.length > MAX_DOMAIN_CHARACTERS || labels.length < 2 || !labels.every((one) => LABEL.test(one))) {
    return 'domain';
  }
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'ipAddress';
  const unicodeDomain = labels.map(toUnicodeLabel).join('.');
  if (toAsciiDomain(unicodeDomain) !== domain || /(^|\.)xn--/.test(unicodeDomain)) return 'invalidDomain';
  const isForged = unicodeDomain.split('.').some((label) => isImitation(label, labels.at(-1) ?? ''));
  if (isForged) return 'imitation';
  const address = `${local}@${domain}`;
  return {
    address,
    comparedText: foldCase(address),
    mailbox: foldMailbox(foldCase(local), domain),
    spellings: [...new Set([given, address, `${local}@${unicodeDomain}`])],
  };
}

/**
 * The spellings of an address that somebody has typed, for the comparison with a hash of it: a hash is of one
 * spelling, and its maker has chosen which. The first is the one that the service hashes in credentials. A
 * text that is no address has itself as its only spelling.
 */
export function spellEmailAddress(text: string): string[] {
  const given = text.trim().normalize('NFC');
  const parsed = parseEmailAddress(given);
  if (typeof parsed === 'string') return [given];
  return [...new Set([parsed.comparedText, ...parsed.spellings])];
}

/** Returns the ASCII form of a domain; an empty text for what is none. */
function toAsciiDomain(domain: string): string {
  // These would end the domain in a URL, or be decoded.
  if (/[/?#\\:%[\]]/.test(domain)) return '';
  const url = `ws://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** A label that stands for nothing stays as it is. */
function toUnicodeLabel(label: string): string {
  return label.startsWith('xn--') ? (decodePunycode(label.slice(4)) ?? label) : label;
}

const GMAIL = ['gmail.com', 'googlemail.com'];

// Mail servers deliver what has a tag to the mailbox without it. Gmail also ignores dots, and has two
// domains.
function foldMailbox(local: string, domain: string): string {
  const tag = local.indexOf('+', 1);
  const name = tag === -1 ? local : local.slice(0, tag);
  return GMAIL.includes(domain) ? `${name.replaceAll('.', '')}@${GMAIL[0]}` : `${name}@${domain}`;
}

// The sets of scripts that may occur together in a label, as in the profile "highly restrictive" of Unicode's
// UTS 39.
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Thai',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Lao',
  'Myanmar',
  'Georgian',
  'Armenian',
  'Ethiopic',
  'Tibetan',
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));
const COMBINATIONS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;
// Cyrillic and Greek letters that look like Latin ones.
const LOOKALIKES = /^[\d\-асԁеһіјӏорԛѕԝхуъЬҽпгѵѡαγικνορτυω]+$/u;

// Whether a label mixes scripts, has an unusual script, or only has letters that look like Latin ones.
function isImitation(label: string, topLevelDomain: string): boolean {
  const scripts = new Set<string>();
  for (const character of label) {
    if (SHARED.test(character)) continue;
    const script = SCRIPTS.find(({ pattern }) => pattern.test(character));
    if (script === undefined) return true;
    scripts.add(script.name);
  }
  const isUsual =
    scripts.size <= 1 ||
    COMBINATIONS.some((combination) => [...scripts].every((name) => combination.includes(name)));
  if (!isUsual) return true;
  const isTopLevelLatin = !topLevelDomain.startsWith('xn--');
  return isTopLevelLatin && (scripts.has('Cyrillic') || scripts.has('Greek')) && LOOKALIKES.test(label);
}
