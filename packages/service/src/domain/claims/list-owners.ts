import type { Owner } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, toChecksumAddress } from '../../signatures/address.ts';
import { findOwnersByText, listOwners as listOwnerRows, listOwnersAfter } from '../../storage/claims.ts';
import { mapPieces, type Piece, type Reader, readWholeList } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';

// More than an owner needs in JSON.
const OWNER_BYTES = 128;

/** Lists the addresses that hold a token, in the order of their claims. */
export async function listOwners(
  context: Context,
  reader: Reader,
  tokenId: string,
  page: { limit: number; offset: number },
): Promise<Owner[]> {
  const token = await readTokenRow(context, tokenId);
  const rows = await reader.read(page.limit * OWNER_BYTES, () =>
    listOwnerRows(context.database, token.token_id, page).catch(refuseSlowRead('Use a smaller offset')),
  );
  return rows.map(toOwner);
}

/** Lists the addresses that hold a token and contain a text, in the order of their claims. */
export async function searchOwners(
  context: Context,
  reader: Reader,
  { tokenId, search, limit, offset }: { tokenId: string; search: string; limit: number; offset: number },
): Promise<Owner[]> {
  const token = await readTokenRow(context, tokenId);
  const page = { search: search.trim().toLowerCase(), limit, offset };
  const rows = await reader.read(limit * OWNER_BYTES, () =>
    findOwnersByText(context.database, token.token_id, page).catch(refuseSlowRead('Use a longer text')),
  );
  return rows.map(toOwner);
}

/** Reads all addresses that hold a token, in the order of their claims. */
export async function* readAllOwners(
  context: Context,
  reader: Reader,
  tokenId: string,
): AsyncGenerator<Piece<Owner>> {
  const { token_id: id } = await readTokenRow(context, tokenId);
  const pieces = readWholeList<{ address: Address; claimed_at: Date }>(reader, OWNER_BYTES, (last, limit) =>
    listOwnersAfter(context.database, id, last, limit),
  );
  yield* mapPieces(pieces, toOwner);
}

function toOwner(row: { address: Address; claimed_at: Date }): Owner {
  return { address: toChecksumAddress(row.address), claimedAtTimestamp: row.claimed_at.getTime() };
}
