import { LIMITS } from '@badge/protocol';

/** Runs the queries of one response, within the limits of the client's address. */
export interface Reader {
  /**
   * Waits until the address may hold `maxBytes` more and use another database connection, then runs the
   * query. The query's result must have at most `maxBytes`. Each call gives back the bytes of the previous
   * call, so call it only after the previous result has been sent or dropped. These two rules do not apply to
   * a list of ids or sizes, because it is small. Throws a Refusal if the wait is too long, or if too many
   * requests of the address are waiting.
   */
  read<Result>(maxBytes: number, query: () => Promise<Result>): Promise<Result>;
}

/** How long a read may wait for something to happen, and the signal that ends the wait early. */
export interface Wait {
  maxMs: number;
  signal: AbortSignal;
}

/**
 * A part of a page that is read and sent at once. Its consumer takes the items out of the array, because a
 * suspended generator keeps the array in memory until it yields the next piece.
 */
export interface Piece<Item> {
  items: Item[];
  isLast: boolean;
}

/** A page of up to this many items, such as one with the default limit, is read by one query. */
const SHORT_PAGE_ITEMS = 100;

/**
 * The limit of a piece of a longer page if only the maximum sizes of its items are known. The sum of these
 * sizes is at most this. Most pieces are much smaller.
 */
const MAX_UNMEASURED_PIECE_BYTES = 2 * 1024 * 1024;

/** The limit of a piece if the sizes of its items are known. A larger item is a piece of its own. */
export const MAX_MEASURED_PIECE_BYTES = 256 * 1024;

// More than an id of 64 characters needs.
const ID_BYTES = 128;

/**
 * Reads a page in pieces. A short page is read by one query, `listItems`. For a longer page, `listIds` first
 * reads the ids of all its items, and `findItems` then reads each piece. So a change between two pieces
 * neither repeats nor skips an item. `maxItemBytes` is the maximum size of any item, `maxBytesOf` that of
 * one item.
 */
export async function* readInPieces<Id, Item>(
  reader: Reader,
  page: {
    limit: number;
    maxItemBytes: number;
    maxBytesOf?: (id: Id) => number;
    listIds: () => Promise<Id[]>;
    listItems: () => Promise<Item[]>;
    findItems: (ids: Id[]) => Promise<Item[]>;
  },
): AsyncGenerator<Piece<Item>> {
  const { limit, maxItemBytes, maxBytesOf = () => maxItemBytes, listIds, listItems, findItems } = page;
  if (limit <= SHORT_PAGE_ITEMS) {
    yield { items: await reader.read(limit * maxItemBytes, listItems), isLast: true };
    return;
  }
  const ids = await reader.read(limit * ID_BYTES, listIds);
  let start = 0;
  do {
    const { pieceIds, bytes } = takePiece(ids.slice(start), maxBytesOf);
    start += pieceIds.length;
    const items = await reader.read(bytes, () => findItems(pieceIds));
    yield { items, isLast: start >= ids.length };
  } while (start < ids.length);
}

function takePiece<Id>(ids: Id[], maxBytesOf: (id: Id) => number): { pieceIds: Id[]; bytes: number } {
  let bytes = 0;
  let end = 0;
  for (const id of ids) {
    const maxBytes = maxBytesOf(id);
    if (end > 0 && bytes + maxBytes > MAX_UNMEASURED_PIECE_BYTES) break;
    bytes += maxBytes;
    end += 1;
  }
  return { pieceIds: ids.slice(0, end), bytes };
}

/** A piece of a whole list has up to this many items: the longest page. */
const WHOLE_LIST_PIECE_ITEMS = LIMITS.pageItems;

/**
 * Reads a whole list in pieces. `listAfter` reads the items after the last item of the previous piece, or the
 * first ones. Items that are added or removed meanwhile are read or not. No other item is repeated or
 * skipped.
 */
export async function* readWholeList<Item>(
  reader: Reader,
  maxItemBytes: number,
  listAfter: (last: Item | undefined, limit: number) => Promise<Item[]>,
): AsyncGenerator<Piece<Item>> {
  let last: Item | undefined;
  let isLast = false;
  while (!isLast) {
    const after = last;
    const items = await reader.read(WHOLE_LIST_PIECE_ITEMS * maxItemBytes, () =>
      listAfter(after, WHOLE_LIST_PIECE_ITEMS),
    );
    last = items.at(-1);
    isLast = items.length < WHOLE_LIST_PIECE_ITEMS;
    yield { items, isLast };
  }
}

/** Converts every item of a page. */
export async function* mapPieces<Row, Item>(
  pieces: AsyncIterable<Piece<Row>>,
  toItem: (row: Row) => Item,
): AsyncGenerator<Piece<Item>> {
  for await (const { items, isLast } of pieces) yield { items: items.splice(0).map(toItem), isLast };
}
