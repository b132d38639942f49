import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

// What is routed on the internet. Everything else is refused too, such as NAT64 with a prefix of its own
// (64:ff9b:1::/48) and site-local addresses.
const GLOBAL_IPV6: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');
// Azure's own services listen on this public address in each virtual machine. Other clouds use special
// ranges.
const AZURE_SERVICES = '168.63.129.16';

/** Names of ranges in BADGE_WEBHOOK_ALLOW. They are those of BADGE_TRUST_PROXY. */
export const NAMED_RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** An address that requests must not be sent to. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress';
}

export interface AddressGuard {
  /** Whether requests may be sent to the address: it is on the internet, or in an opened range. */
  isAllowed(address: string): boolean;
  /** Whether the address is in an opened range. */
  isOpened(address: string): boolean;
}

/** `openedRanges` are addresses, ranges such as `10.0.0.0/8`, or names of `NAMED_RANGES`. */
export function createAddressGuard(openedRanges: string[]): AddressGuard {
  const opened = openedRanges.flatMap((range) => NAMED_RANGES[range] ?? [range]).map(parseRange);

  function isOpened(address: string): boolean {
    if (isIP(address) === 0) return false;
    // An IPv4 address that is written as an IPv6 address is that IPv4 address.
    const parsed = ipaddr.process(address);
    return opened.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  }

  return {
    isOpened,
    isAllowed: (address) => isOpened(address) || isGlobal(address),
  };
}

function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range);
  const address = ipaddr.parse(range);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isGlobal(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return parsed.toString() !== AZURE_SERVICES;
  return parsed.match(GLOBAL_IPV6);
}
