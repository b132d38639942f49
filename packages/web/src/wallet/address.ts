import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * What is wrong with an address that a person has typed:
 * - `empty`: nothing was typed
 * - `secret`: it may be a private key or a recovery phrase, which no page may show
 * - `several`: the text has more than one address
 * - `email`: it is an e-mail address
 * - `shortened`: it is an address as wallets shorten it, such as `0x530E…0044`
 * - `name`: it is a name, such as `alice.eth`
 * - `start`: it does not begin with `0x`
 * - `digits`: it has a character that is not a hexadecimal digit
 * - `length`: it has more or less than 40 digits
 * - `zero`: all its digits are 0, so it belongs to nobody
 * - `checksum`: a digit or its case is wrong
 */
export type AddressProblem =
  | 'empty'
  | 'secret'
  | 'several'
  | 'email'
  | 'shortened'
  | 'name'
  | 'start'
  | 'digits'
  | 'length'
  | 'zero'
  | 'checksum';

/** A private key has 64 digits. Up to four may be missing. */
const PRIVATE_KEY = /[0-9a-f]{60}/i;
/** At least twelve words, each of at least three letters. */
const RECOVERY_PHRASE = /^\s*(\p{L}{3,}\s+){11,}\p{L}{3,}\s*$/u;

/**
 * Reads an address that a person has typed or pasted. Returns the address with its EIP-55 checksum, or what
 * is wrong with it. A typed address may be in groups, with spaces or hyphens between them, and without `0x`.
 */
export function readTypedAddress(text: string): { address: string } | { problem: AddressProblem } {
  const typed = normalizeTypedAddress(text);
  if (typed === '') return { problem: 'empty' };
  // A key that was typed in groups is found in `typed`. A key next to an address is found in `text`.
  if (PRIVATE_KEY.test(typed) || PRIVATE_KEY.test(text) || RECOVERY_PHRASE.test(text))
    return { problem: 'secret' };
  if (findAddresses(text).length > 1) return { problem: 'several' };
  if (typed.includes('@')) return { problem: 'email' };
  if (/…|\.\./.test(typed)) return { problem: 'shortened' };
  if (typed.includes('.') && !/\s/.test(text.trim())) return { problem: 'name' };
  if (!typed.startsWith('0x')) return { problem: 'start' };
  const digits = typed.slice(2);
  if (!/^[0-9a-f]*$/i.test(digits)) return { problem: 'digits' };
  if (digits.length !== 40) return { problem: 'length' };
  if (/^0*$/.test(digits)) return { problem: 'zero' };
  const address = toChecksumAddress(typed);
  // An address with only lower-case letters, or only upper-case letters, has no checksum.
  const hasChecksum = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  return hasChecksum && address !== typed ? { problem: 'checksum' } : { address };
}

const ADDRESS_IN_TEXT = /(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/gi;

/** Returns the different addresses in a text, each as it is first written there. */
function findAddresses(text: string): string[] {
  const found = text.match(ADDRESS_IN_TEXT) ?? [];
  const lowerCase = found.map((address) => address.toLowerCase());
  return found.filter((_, index) => lowerCase.indexOf(lowerCase[index] ?? '') === index);
}

/**
 * Takes the address out of a text with one address, such as a message, a link or `ethereum:0x…@1`. Otherwise
 * removes the spaces and hyphens of a typed address, and adds `0x` if only `0x` is missing.
 */
export function normalizeTypedAddress(text: string): string {
  const [found = text, ...others] = findAddresses(text);
  return (others.length === 0 ? found : text)
    .replaceAll(/[\s-]/g, '')
    .replace(/^0X/, '0x')
    .replace(/^[0-9a-f]{40}$/i, '0x$&');
}

/** Writes an address with its EIP-55 checksum. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(digits));
  return `0x${Array.from(digits, (digit, position) => {
    const byte = hash[position >> 1] ?? 0;
    const hashDigit = position % 2 === 0 ? byte >> 4 : byte & 15;
    // By EIP-55, a letter is in upper case if the first bit of the hash digit at its position is 1.
    return hashDigit >= 8 ? digit.toUpperCase() : digit;
  }).join('')}`;
}
