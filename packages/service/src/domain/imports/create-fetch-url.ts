import { ArrivalError, type FetchUrl } from '../../arrivals/arrival.ts';
import { RefusedAddress } from '../../delivery/address-guard.ts';
import { createUrlReader } from '../../delivery/url-reader.ts';

// A picture can have 20 MiB.
const MAX_REQUEST_MS = 30_000;
const MAX_REDIRECTS = 5;

/**
 * Reads the pictures and badges that a source names by their URLs, but not from our own network.
 * `allowedRanges` opens ranges of its addresses.
 */
export function createFetchUrl(allowedRanges: string[]): FetchUrl {
  const read = createUrlReader({
    allowedRanges,
    maxRequestMs: MAX_REQUEST_MS,
    maxRedirects: MAX_REDIRECTS,
    accept: 'application/json, image/*, video/*;q=0.8, */*;q=0.5',
  });
  return async (url, { maxBytes }) => {
    try {
      // What a picture is follows from its bytes.
      return { contentType: 'application/octet-stream', bytes: Buffer.from(await read(url, maxBytes)) };
    } catch (error) {
      throw new ArrivalError(describe(error as NodeJS.ErrnoException));
    }
  };
}

// The messages of Node name calls of the system.
function describe(error: NodeJS.ErrnoException): string {
  const { code = '', syscall = '', message } = error;
  // One text, as for webhooks: it does not tell which names of our own network exist.
  if (error instanceof RefusedAddress || syscall.startsWith('query') || code === 'ENOTFOUND')
    return 'its host was not found, or has no address that is open to this service';
  if (/CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `its TLS certificate is refused (${code})`;
  return code === '' ? message : `there was no connection, or it has ended (${code})`;
}
