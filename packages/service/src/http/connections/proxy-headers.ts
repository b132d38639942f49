import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '../../domain/refusal.ts';

// More proxies than any request passes through. Without this limit, parsing a header of 16 KiB takes a
// millisecond.
const MAX_ADDRESSES = 20;

/** Returns whether an address is the address of a trusted proxy. */
export type ProxyCheck = (address?: string) => boolean;

export function createProxyCheck(trustProxy: string[]): ProxyCheck {
  const isInTrustedRange = proxyAddr.compile(trustProxy);
  return (address = '') => {
    // A link-local address can end with the name of a network interface, such as in `fe80::1%eth0`.
    const [ip = ''] = address.split('%');
    return isIP(ip) !== 0 && isInTrustedRange(ip, 0);
  };
}

/**
 * Prepares `X-Forwarded-For` before `request.ip` is read from it. Removes the header if the peer is no
 * trusted proxy. Removes ports: some proxies add the client's port, and then each connection would get a rate
 * limit of its own.
 */
export function prepareForwardedFor({ headers, socket }: IncomingMessage, isTrustedProxy: ProxyCheck): void {
  const { 'x-forwarded-for': forwarded } = headers;
  if (forwarded === undefined) return;
  if (isTrustedProxy(socket.remoteAddress)) {
    headers['x-forwarded-for'] = normaliseForwardedFor(String(forwarded));
  } else delete headers['x-forwarded-for'];
}

/**
 * Removes the ports. Drops an entry that is not an address, and all entries before it: a client could have
 * forged them. Keeps only the last 20 addresses.
 */
export function normaliseForwardedFor(header: string): string {
  const addresses: string[] = [];
  for (const entry of header.split(',').slice(-MAX_ADDRESSES).reverse()) {
    const text = entry.trim();
    if (text === '') continue;
    const address = stripPort(text);
    if (isIP(address) === 0) break;
    addresses.unshift(address);
  }
  return addresses.join(', ');
}

function stripPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/**
 * Rejects a request that a proxy might read differently than Node does (request smuggling). It is async,
 * because Node reports some of these requests only after their headers. A response that was sent before
 * would be followed by another one.
 */
export async function checkFraming(request: FastifyRequest): Promise<void> {
  const { raw } = request;
  const hosts = countHeader(request, 'host');
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    throw invalidRequest([{ parameter: 'Host', detail: 'must be sent once' }]);
  }
  const { 'transfer-encoding': coding } = raw.headers;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidRequest([{ parameter: 'Transfer-Encoding', detail: 'must be chunked' }]);
  }
}

/** Counts how often a header was sent. Node drops or joins repeated headers. */
export function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase())
    .length;
}
