import { ArrivalError, type FetchUrl } from '../../arrivals/arrival.ts';
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
      throw new ArrivalError((error as Error).message);
    }
  };
}
