import type { RequestError } from '@badge/protocol';
import { type Address, hasRightChecksum, isAddress, parseAddress } from '../signatures/address.ts';
import { invalidRequest } from './refusal.ts';

/**
 * Returns an error if a value is an address with a wrong EIP-55 checksum. Such an address is probably
 * mistyped, and a badge sent to a mistyped address is lost. Other values give no error here.
 */
export function findChecksumErrors(pointer: string, value: unknown): RequestError[] {
  return typeof value === 'string' && isAddress(value) && !hasRightChecksum(value)
    ? [{ pointer, detail: 'has a wrong EIP-55 checksum: it is probably mistyped' }]
    : [];
}

/** Returns the checksum errors of the given fields of a body. */
export function findAddressFieldErrors(body: unknown, fields: string[]): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([field, value]) =>
    fields.includes(field) ? findChecksumErrors(`/${field}`, value) : [],
  );
}

/** Returns the address in a path. Throws if it is not one. */
export function parseAddressParameter(address: string): Address {
  if (!isAddress(address)) {
    throw invalidRequest([{ parameter: 'address', detail: 'must be 0x and 40 hex digits' }]);
  }
  return parseAddress(address);
}
