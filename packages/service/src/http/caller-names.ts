import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../domain/caller.ts';
import { optionalCallerOf } from './auth.ts';

/** Returns the name under which the client's address is limited. */
export function nameAddress({ ip }: FastifyRequest): string {
  return toAddressGroup(ip);
}

/** Returns the name under which an API key is limited. */
export function nameKey(caller: Caller): string {
  return caller.kind === 'community' ? caller.apiKeyId : 'operator';
}

/** Returns the name of the API key or, without one, of the address. */
export function nameKeyOrAddress(request: FastifyRequest): string {
  const caller = optionalCallerOf(request);
  return caller === null ? nameAddress(request) : nameKey(caller);
}

/**
 * Returns the group of addresses that share limits: the /64 of an IPv6 address, otherwise the address itself. An
 * IPv4-mapped IPv6 address counts as IPv4.
 */
export function toAddressGroup(address: string): string {
  const [ip = ''] = address.split('%');
  if (!isIPv6(ip)) return ip;
  // The URL parser normalises an IPv6 address.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return groups.slice(0, 4).join(':');
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}
