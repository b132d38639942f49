import type { RequestError } from '@badge/protocol';
import { hasRightChecksum, isAddress } from '../signatures/address.ts';

/** The error of an address whose EIP-55 checksum is wrong: a typo would send the badge to somebody else. */
export function findChecksumErrors(pointer: string, value: unknown): RequestError[] {
  return typeof value === 'string' && isAddress(value) && !hasRightChecksum(value)
    ? [{ pointer, detail: 'has a wrong EIP-55 checksum: it is probably mistyped' }]
    : [];
}

/** The checksum errors of a body's address fields. */
export function findAddressFieldErrors(body: unknown, fields: string[]): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([field, value]) =>
    fields.includes(field) ? findChecksumErrors(`/${field}`, value) : [],
  );
}
