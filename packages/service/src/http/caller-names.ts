import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../domain/caller.ts';
import { optionalCallerOf } from './auth.ts';

/** Returns the caller name of the client's address. All addresses of an IPv6 /64 have the same name. */
export function nameAddress({ ip }: FastifyRequest): string {
  return toAddressGroup(ip);
}

/**
 * Returns the caller name of an API key, or of who has signed in with a session. On another chain, the
 * address of a contract wallet can be that of somebody else.
 */
export function nameKey(caller: Caller): string {
  if (caller.kind === 'session') {
    const { address, walletChainId } = caller;
    return `0x${address.toString('hex')}${walletChainId === null ? '' : `@${walletChainId}`}`;
  }
  if (caller.kind === 'emailSession') return `email ${caller.emailHash.toString('hex')}`;
  return caller.kind === 'community' ? caller.apiKeyId : 'operator';
}

/**
 * Whether a caller counts for its client's address: with a session by e-mail, or of a wallet that is not a
 * member of any community. Everybody can sign in with any number of them.
 */
export function isForAddress(caller: Caller): boolean {
  return caller.kind === 'emailSession' || (caller.kind === 'session' && !caller.isMember);
}

/**
 * Returns the caller name of a request: that of its API key or, if no key was checked, that of its address.
 */
export function nameKeyOrAddress(request: FastifyRequest): string {
  const caller = optionalCallerOf(request);
  return caller === null || isForAddress(caller) ? nameAddress(request) : nameKey(caller);
}

/**
 * Returns the group of addresses that share limits: the /64 of an IPv6 address, otherwise the address itself.
 * An IPv4-mapped IPv6 address counts as IPv4.
 */
export function toAddressGroup(address: string): string {
  // A link-local address can end with the name of a network interface, as in `fe80::1%eth0`.
  const [ip = ''] = address.split('%');
  if (!isIPv6(ip)) return ip;
  const groups = toGroups(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? toIPv4(groups.slice(6)) : groups.slice(0, 4).join(':');
}

/** Returns the eight groups of an IPv6 address, as hexadecimal numbers without leading zeros. */
function toGroups(ip: string): string[] {
  // The URL parser normalises an IPv6 address. `::` stands for the groups that are 0.
  const [start = '', end = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const first = start === '' ? [] : start.split(':');
  const last = end === '' ? [] : end.split(':');
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
}

/** Returns the IPv4 address in the last two groups of an IPv4-mapped address. */
function toIPv4(lastGroups: string[]): string {
  return lastGroups
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}
