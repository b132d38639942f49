import { domainToASCII, domainToUnicode } from 'node:url';
import { foldCase, LIMITS } from '@badge/protocol';

/** An e-mail address to which a mail can be sent. */
export interface EmailAddress {
  /** The address to send to: the local part as it was given, and the domain in ASCII. */
  address: string;
  /** Equal for addresses that differ only in case, or in how the domain is written. */
  comparedText: string;
  /** The mailbox, for limits. Equal also for addresses that differ only in a tag (`+tag`) or, at Gmail, in dots. */
  mailbox: string;
  /** How an allowlist may contain the address: as it was given, or in one of its other forms. */
  spellings: string[];
}

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const MAX_LOCAL_CHARACTERS = 64;
const MAX_DOMAIN_CHARACTERS = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses an e-mail address. Returns a text if it is none, which says why. */
export function parseEmailAddress(text: string): EmailAddress | string {
  const given = text.trim().normalize('NFC');
  if ([...given].length > LIMITS.emailCharacters)
    return `must have at most ${LIMITS.emailCharacters} characters`;
  const at = given.lastIndexOf('@');
  const local = given.slice(0, Math.max(at, 0));
  const givenDomain = given.slice(at + 1);
  if (at < 1 || givenDomain === '' || /[\s@]/.test(givenDomain))
    return 'must be an e-mail address, such as ada@example.org';
  if (!LOCAL_PART.test(local) || local.length > MAX_LOCAL_CHARACTERS) {
    return 'must have 1 to 64 ASCII letters, digits and usual signs before the @, without quotes';
  }
  // Returns an empty text for what is not a domain.
  const domain = domainToASCII(givenDomain);
  const labels = domain.split('.');
  if (domain.length > MAX_DOMAIN_CHARACTERS || labels.length < 2 || !labels.every((one) => LABEL.test(one))) {
    return 'must have a domain after the @, such as example.org';
  }
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must have a domain after the @, not an IP address';
  const unicodeDomain = domainToUnicode(domain);
  // A label stays as it is if it is not the ASCII form of anything.
  if (/(^|\.)xn--/.test(unicodeDomain)) return 'must have a valid domain after the @';
  const imitated = unicodeDomain.split('.').find((label) => isImitation(label, labels.at(-1) ?? ''));
  if (imitated !== undefined) {
    return 'has a domain whose letters imitate those of another script, or mix scripts; the domain may be forged';
  }
  const address = `${local}@${domain}`;
  return {
    address,
    comparedText: foldCase(address),
    mailbox: foldMailbox(foldCase(local), domain),
    spellings: [...new Set([given, address, `${local}@${unicodeDomain}`])],
  };
}

const GMAIL = ['gmail.com', 'googlemail.com'];

// Mail servers deliver what has a tag to the mailbox without it. Gmail also ignores dots, and has two domains.
function foldMailbox(local: string, domain: string): string {
  const tag = local.indexOf('+', 1);
  const name = tag === -1 ? local : local.slice(0, tag);
  return GMAIL.includes(domain) ? `${name.replaceAll('.', '')}@${GMAIL[0]}` : `${name}@${domain}`;
}

// The sets of scripts that may occur together in a label, as in the profile "highly restrictive" of Unicode's UTS 39.
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
