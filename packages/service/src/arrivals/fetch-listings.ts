import { setTimeout as wait } from 'node:timers/promises';
import { ArrivalError, type FetchUrl } from './arrival.ts';
import { isObject, type JsonObject, parseJson } from './read-documents.ts';

const PAGE_ITEMS = 1_000;
const MAX_PAGE_BYTES = 32 * 2 ** 20;
const MAX_PAGES = 100_000;
// A service may refuse requests that come too fast, or be busy.
const IS_BUSY = /\bstatus is (429|502|503|504)\b/;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/** How the listings of a service are read. */
export interface Listings {
  /** Yields the items of all pages. Rejects with an `ArrivalError`. */
  list: (path: string) => AsyncGenerator<JsonObject>;
}

export function createListings(
  baseUrl: string,
  fetchUrl: FetchUrl,
  waitMs: (ms: number) => Promise<unknown> = wait,
): Listings {
  async function read(url: string): Promise<unknown> {
    for (const ms of [...WAITS_MS, null]) {
      try {
        const { bytes } = await fetchUrl(url, { maxBytes: MAX_PAGE_BYTES });
        return parseJson(bytes.toString('utf8'));
      } catch (error) {
        if (ms === null || !IS_BUSY.test((error as Error).message)) throw error;
        await waitMs(ms);
      }
    }
    return undefined;
  }

  return {
    list: async function* (path) {
      let offset = 0;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const url = `${baseUrl}${path}?limit=${PAGE_ITEMS}&offset=${offset}`;
        const value = await read(url).catch((error: unknown) => {
          throw new ArrivalError(`${url} cannot be read: ${(error as Error).message}`);
        });
        if (!isObject(value) || !Array.isArray(value.data)) throw new ArrivalError(`${url} is no listing`);
        const items = value.data.filter(isObject);
        // A service can return fewer items than were asked for. Only an empty page is the last one.
        if (items.length === 0) return;
        yield* items;
        offset += value.data.length;
      }
    },
  };
}
