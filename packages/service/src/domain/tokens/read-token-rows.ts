import type { Context } from '../../context.ts';
import {
  findLimitedTokens,
  findTokens,
  LIMITED_TOKEN_BYTES,
  type LimitedTokenRow,
  measureTokens,
  type TokenColumn,
  type TokenRow,
  type TokenSize,
} from '../../storage/tokens.ts';
import { MAX_MEASURED_PIECE_BYTES, type Piece, type Reader, readInPieces } from '../reader.ts';

interface TokenList<Column extends TokenColumn> {
  limit: number;
  /** The columns to read. */
  columns: readonly (Column | 'token_id')[];
  listSizes: () => Promise<TokenSize[]>;
  listItems: () => Promise<LimitedTokenRow<Column | 'token_id'>[]>;
}

/**
 * Reads a list of tokens in pieces. The first query of a piece returns null instead of large `links` and
 * `custom_attributes`. If there is such a null, all tokens of the piece are read again, in smaller pieces.
 */
export async function* readTokenRows<Column extends TokenColumn>(
  context: Context,
  reader: Reader,
  list: TokenList<Column>,
): AsyncGenerator<Piece<Pick<TokenRow, Column | 'token_id'>>> {
  const { columns } = list;
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
        columns,
      ),
  });
  for await (const { items, isLast } of pieces) {
    if (items.every(isWhole)) yield { items, isLast };
    else {
      const tokenIds = items.splice(0).map((row) => row.token_id);
      yield* readBySize(context, reader, { tokenIds, columns, isLast });
    }
  }
}

function isWhole<Column extends TokenColumn>(row: LimitedTokenRow<Column>): row is Pick<TokenRow, Column> {
  const { links, custom_attributes: attributes }: Partial<LimitedTokenRow<TokenColumn>> = row;
  return links !== null && attributes !== null;
}

// Reads all tokens of the piece again, even the small ones, so that no rows stay in memory while the reader
// waits.
async function* readBySize<Column extends TokenColumn>(
  { database }: Context,
  reader: Reader,
  { tokenIds, columns, isLast }: { tokenIds: number[]; columns: readonly Column[]; isLast: boolean },
): AsyncGenerator<Piece<Pick<TokenRow, Column>>> {
  const sizes = await reader.read(0, () => measureTokens(database, tokenIds, columns));
  const groups: { ids: number[]; bytes: number }[] = [];
  for (const { token_id, bytes } of sizes) {
    const group = groups.at(-1);
    if (group === undefined || group.bytes + bytes > MAX_MEASURED_PIECE_BYTES)
      groups.push({ ids: [token_id], bytes });
    else {
      group.ids.push(token_id);
      group.bytes += bytes;
    }
  }
  for (const [index, { ids, bytes }] of groups.entries()) {
    const items = await reader.read(bytes, () => findTokens(database, ids, columns));
    yield { items, isLast: isLast && index === groups.length - 1 };
  }
}
