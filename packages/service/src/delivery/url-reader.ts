import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { createAddressGuard, RefusedAddress } from './address-guard.ts';
import { createGuardedLookup, type Resolve, resolveName } from './guarded-lookup.ts';
import { sendRequest } from './send-request.ts';

const MAX_REQUEST_MS = 10_000;

/**
 * Reads the body of an `http` or `https` URL, of at most `maxBytes` bytes. Rejects with a sentence without a
 * full stop.
 */
export type ReadUrl = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Reads URLs that strangers choose, but not from our own network: an address is checked as for webhooks.
 * `allowedRanges` opens ranges of addresses. No proxy is used. At most `maxRedirects` redirects are followed,
 * and each is checked in the same way.
 */
export function createUrlReader({
  allowedRanges,
  resolve = resolveName,
  maxRequestMs = MAX_REQUEST_MS,
  maxRedirects = 0,
  accept = 'application/vc+json, application/json',
}: {
  allowedRanges: string[];
  resolve?: Resolve;
  maxRequestMs?: number;
  maxRedirects?: number;
  accept?: string;
}): ReadUrl {
  const guard = createAddressGuard(allowedRanges);
  const check = (address: string) => {
    if (!guard.isAllowed(address)) throw new RefusedAddress('it leads to an address that is not open to it');
  };
  const read = async (
    text: string,
    signal: AbortSignal,
  ): Promise<{ url: URL; response: IncomingMessage }> => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('it is not an http or https URL');
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(hostname) !== 0) check(hostname);
    const response = await sendRequest(url, {
      headers: { Accept: accept },
      agent: false,
      lookup: createGuardedLookup({ resolve, check, signal }),
      signal,
    });
    return { url, response };
  };
  return async (text, maxBytes) => {
    const signal = AbortSignal.timeout(maxRequestMs);
    try {
      let { url, response } = await read(text, signal);
      for (let count = 0; count < maxRedirects && isRedirect(response); count += 1) {
        response.destroy();
        const target = URL.parse(response.headers.location ?? '', url.href)?.href ?? '';
        ({ url, response } = await read(target, signal));
      }
      return await readBody(response, maxBytes);
    } catch (error) {
      throw signal.aborted ? new Error(`it took more than ${maxRequestMs / 1_000} seconds`) : error;
    }
  };
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  try {
    if (response.statusCode !== 200) throw new Error(`the status is ${response.statusCode}`);
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } finally {
    response.destroy();
  }
}
