import { keccak256 } from './keccak.ts';

const ADDRESS_SHAPE = /^0x[0-9a-fA-F]{40}$/;
const ONE_CASE_SHAPE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/** The 20 bytes of an address written as `0x` and 40 hex digits in any case, or null. */
export function parseAddress(text: string): Uint8Array | null {
  return ADDRESS_SHAPE.test(text) ? new Uint8Array(Buffer.from(text.slice(2), 'hex')) : null;
}

/** The EIP-55 form of a 20-byte address. */
export function toChecksumAddress(address: Uint8Array): string {
  const digits = Buffer.from(address).toString('hex');
  const hashDigits = Buffer.from(keccak256(Buffer.from(digits, 'latin1'))).toString('hex');
  let text = '0x';
  for (let position = 0; position < digits.length; position += 1) {
    const digit = digits.charAt(position);
    text += hashDigits.charAt(position) >= '8' ? digit.toUpperCase() : digit;
  }
  return text;
}

/** Whether an address fits its EIP-55 checksum; one written in a single case carries none and counts as right. */
export function hasRightChecksum(text: string): boolean {
  if (ONE_CASE_SHAPE.test(text)) return true;
  const address = parseAddress(text);
  return address !== null && toChecksumAddress(address) === text;
}
