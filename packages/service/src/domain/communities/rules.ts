import { LIMITS, type RequestError } from '@badge/protocol';
import { isMistypedAddress, MISTYPED_ADDRESS } from '../addresses/rules.ts';

/**
 * The errors of a community's body that its schema cannot say. Takes any body, since its wrong types are
 * reported with these, all at once.
 */
export function findCommunityErrors(body: unknown): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  const { logoUrl, adminAddresses } = body as { logoUrl?: unknown; adminAddresses?: unknown };
  return [...findLogoErrors(logoUrl), ...findAddressErrors(adminAddresses)];
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
    .flatMap((address: unknown, index) =>
      isMistypedAddress(address) ? [{ pointer: `/adminAddresses/${index}`, detail: MISTYPED_ADDRESS }] : [],
    );
}

/** Addresses as bytes, each once, in the order given. */
export function mergeAddresses(addresses: string[]): Buffer[] {
  const digits = new Set(addresses.map((address) => address.slice(2).toLowerCase()));
  return [...digits].map((hex) => Buffer.from(hex, 'hex'));
}
