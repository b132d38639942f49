import { LIMITS, type RequestError } from '@badge/protocol';
import { type Address, parseAddress } from '../../signatures/address.ts';
import { findChecksumErrors } from '../address-errors.ts';

/**
 * Returns the errors of a community's body that its schema cannot express. The body may violate the schema,
 * because the errors of the schema and these are reported together.
 */
export function findCommunityErrors(body: unknown): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  const { logoUrl, adminAddresses } = body as { logoUrl?: unknown; adminAddresses?: unknown };
  return [...findLogoErrors(logoUrl), ...findAddressErrors(adminAddresses)];
}

/** The same for a body that changes the community with this id. */
export function findCommunityChangeErrors(body: unknown, communityId: string): RequestError[] {
  const { uniqId = communityId } = (body ?? {}) as { uniqId?: unknown };
  return [
    ...(uniqId === communityId ? [] : [{ pointer: '/uniqId', detail: 'cannot be changed' }]),
    ...findCommunityErrors(body),
  ];
}

function findLogoErrors(logoUrl: unknown): RequestError[] {
  if (typeof logoUrl !== 'string') return [];
  const isUrl = /^https?:\/\/[\x21-\x7e]+$/i.test(logoUrl) && URL.canParse(logoUrl);
  return isUrl ? [] : [{ pointer: '/logoUrl', detail: 'must be an http or https URL' }];
}

function findAddressErrors(addresses: unknown): RequestError[] {
  if (!Array.isArray(addresses)) return [];
  return addresses
    .slice(0, LIMITS.adminAddresses)
    .flatMap((address: unknown, index) => findChecksumErrors(`/adminAddresses/${index}`, address));
}

/** Parses addresses in their order, and drops duplicates. */
export function parseAddresses(texts: string[]): Address[] {
  return [...new Set(texts.map((text) => text.toLowerCase()))].map(parseAddress);
}
