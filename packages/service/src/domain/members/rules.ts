import { type Address, hasRightChecksum, isAddress, parseAddress } from '../../signatures/address.ts';
import { invalidRequest, Refusal } from '../refusal.ts';

/**
 * Reads the address of a member in a path. A wrong checksum is rejected: the address is probably mistyped.
 */
export function parseMemberAddress(text: string): Address {
  if (isAddress(text) && hasRightChecksum(text)) return parseAddress(text);
  const detail = isAddress(text)
    ? 'has a wrong EIP-55 checksum: it is probably mistyped'
    : 'must be 0x and 40 hex digits';
  throw invalidRequest([{ parameter: 'address', detail }]);
}

export function lastOwner(): Refusal {
  return new Refusal(
    'LastOwner',
    'This is the only owner of the community. Make another member an owner first, or ask the operator.',
  );
}
