import type { Context } from '../../context.ts';
import {
  findLimitedTokens,
  findTokens,
  LIMITED_TOKEN_BYTES,
  type LimitedTokenRow,
  measureTokens,
  type TokenRow,
  type TokenSize,
} from '../../storage/tokens.ts';
import { PIECE_BYTES, type Piece, type Reader, readInPieces } from '../reader.ts';

interface TokenList {
  limit: number;
  listSizes: () => Promise<TokenSize[]>;
  listItems: () => Promise<LimitedTokenRow[]>;
}

/**
 * Reads a list of tokens in pieces. If a piece contains a large token, its tokens are read again, in smaller pieces.
 */
export async function* readTokenRows(
  context: Context,
  reader: Reader,
  list: TokenList,
): AsyncGenerator<Piece<TokenRow>> {
  const pieces = readInPieces(reader, {
    limit: list.limit,
    maxItemBytes: LIMITED_TOKEN_BYTES,
    maxBytesOf: ({ max_bytes }) => max_bytes,
    listIds: list.listSizes,
    listItems: list.listItems,
    findItems: (sizes) =>
      findLimitedTokens(
        context.database,
        sizes.map(({ token_id }) => token_id),
      ),
  });
  for await (const { items, isLast } of pieces) {
    if (items.every(isWhole)) yield { items, isLast };
    else yield* readBySize(context, reader, { tokenIds: items.map((row) => row.token_id), isLast });
  }
}

function isWhole(row: LimitedTokenRow): row is TokenRow {
  return row.links !== null && row.custom_attributes !== null;
}

// Reads all tokens of the piece again, even the small ones, so that no rows stay in memory while the reader waits.
async function* readBySize(
  { database }: Context,
  reader: Reader,
  { tokenIds, isLast }: { tokenIds: number[]; isLast: boolean },
): AsyncGenerator<Piece<TokenRow>> {
  const sizes = await reader.read(0, () => measureTokens(database, tokenIds));
  const groups: { ids: number[]; bytes: number }[] = [];
  for (const { token_id, bytes } of sizes) {
    const group = groups.at(-1);
    if (group === undefined || group.bytes + bytes > PIECE_BYTES) groups.push({ ids: [token_id], bytes });
    else {
      group.ids.push(token_id);
      group.bytes += bytes;
    }
  }
  for (const [index, { ids, bytes }] of groups.entries()) {
    const items = await reader.read(bytes, () => findTokens(database, ids));
    yield { items, isLast: isLast && index === groups.length - 1 };
  }
}
