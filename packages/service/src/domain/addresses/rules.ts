import { hasRightChecksum, parseAddress } from '../../signatures/address.ts';

/** The detail of an error in an address whose typing error would lose a badge. */
export const MISTYPED_ADDRESS = 'has a wrong EIP-55 checksum: it is probably mistyped';

/** Whether a value is an address in mixed case whose checksum is wrong. */
export function isMistypedAddress(value: unknown): boolean {
  return typeof value === 'string' && parseAddress(value) !== null && !hasRightChecksum(value);
}

/** The bytes of an address whose shape has been checked. */
export function toAddress(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
