import { base58, base64urlnopad } from '@scure/base';

// The time of base58 grows with the square of the length. The longest value that is needed, a signature, has
// 88 characters.
const MAX_BASE58_CHARACTERS = 128;

/** Multibase: `z` and base58, as in signatures and keys. */
export function encodeBase58(bytes: Uint8Array): string {
  return `z${base58.encode(bytes)}`;
}

/** Multibase: `u` and base64url without padding, as in status lists. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return `u${base64urlnopad.encode(bytes)}`;
}

/** Decodes one of both forms. Undefined if the text has neither. */
export function decodeMultibase(text: string): Uint8Array | undefined {
  try {
    if (text.startsWith('z') && text.length <= MAX_BASE58_CHARACTERS) return base58.decode(text.slice(1));
    if (text.startsWith('u')) return base64urlnopad.decode(text.slice(1));
  } catch {
    // Another character, or a length that no bytes have.
  }
  return undefined;
}
