import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Removes ports from `X-Forwarded-For`, before `request.ip` is read from it. Some proxies add the client's port. It
 * differs for each connection, so each connection would get a rate limit of its own.
 */
export function addForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const { 'x-forwarded-for': forwarded } = headers;
    if (forwarded !== undefined) headers['x-forwarded-for'] = normaliseForwardedFor(String(forwarded));
  });
}

/**
 * Removes the ports. Drops an entry that is not an address, and all entries before it: a client could have forged them.
 */
export function normaliseForwardedFor(header: string): string {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
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
