import type { Page, PageOptions } from './types.ts';

/**
 * A list of the service. `await` reads one page. `for await` reads all items, page by page, from `offset` on.
 * A list requests nothing until it is awaited or iterated. Pages are read by their offset: if an item is
 * added or removed between two pages, an item can come twice or be left out.
 *
 * @example
 * for await (const token of badge.listTokens()) console.log(token.headline);
 *
 * @example
 * const { data } = await badge.listTokens({ limit: 10, order: 'desc' });
 */
export interface List<Item, ItemPage extends Page<Item> = Page<Item>>
  extends PromiseLike<ItemPage>,
    AsyncIterable<Item> {
  /**
   * Reads all pages, from `offset` on.
   *
   * @example
   * for await (const page of badge.listTokens({ limit: 1_000 }).pages()) console.log(page.data.length);
   */
  pages(): AsyncIterable<ItemPage>;
}

/** Returns a list. `readPage` requests one page of it. */
export function createList<Item, ItemPage extends Page<Item>>(
  options: PageOptions,
  readPage: (options: PageOptions) => Promise<ItemPage>,
): List<Item, ItemPage> {
  async function* pages(): AsyncGenerator<ItemPage> {
    let { offset } = options;
    for (;;) {
      const page = await readPage({ ...options, offset });
      yield page;
      if (page.data.length < page.limit || page.data.length === 0) return;
      offset = page.offset + page.data.length;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data;
    },
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited to read one page.
    then(onFulfilled, onRejected) {
      return readPage(options).then(onFulfilled, onRejected);
    },
  };
}
