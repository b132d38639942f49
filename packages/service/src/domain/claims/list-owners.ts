import type { Owner } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import {
  type ListedOwnerRow,
  listHolders,
  listHoldersAfter,
  listOwners as listOwnerRows,
  listOwnersAfter,
  type OwnerFilter,
} from '../../storage/ownership.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { mapPieces, type Piece, type Reader, readWholeList } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';

// More than an owner needs in JSON.
const OWNER_BYTES = 256;

/** Which owners are listed: those who hold the token, or others, which only members of the community see. */
export type OwnerSelection = { status: 'held' } | { status: OwnerFilter; caller: Caller };

/** `search`: a part of the address, in lower case. Empty: all addresses. */
interface OwnerFilters {
  selection: OwnerSelection;
  search: string;
}

/**
 * Lists the owners of a token, in the order of their claims. `hasEnds`: the list can change without a write,
 * because an owner's token can end.
 */
export async function listOwners(
  context: Context,
  reader: Reader,
  tokenId: string,
  { selection, search, ...page }: OwnerFilters & { limit: number; offset: number },
): Promise<{ owners: Owner[]; hasEnds: boolean }> {
  const { token_id: id, has_ends: hasEnds } = await readListedToken(context, tokenId, selection);
  const { status } = selection;
  const rows = await reader.read(page.limit * OWNER_BYTES, () =>
    (status === 'held' && search === ''
      ? listHolders(context.database, id, page)
      : listOwnerRows(context.database, { tokenId: id, status, search, ...page })
    ).catch(refuseSlowRead('Use a smaller offset or a longer text')),
  );
  return { owners: rows.map(status === 'held' ? toHolder : toOwner), hasEnds };
}

/** Reads all owners of a token, in the order of their claims. */
export async function* readAllOwners(
  context: Context,
  reader: Reader,
  tokenId: string,
  { selection, search }: OwnerFilters,
): AsyncGenerator<Piece<Owner>> {
  const { token_id: id } = await readListedToken(context, tokenId, selection);
  const { status } = selection;
  const pieces = readWholeList<ListedOwnerRow>(reader, OWNER_BYTES, (last, limit) =>
    status === 'held' && search === ''
      ? listHoldersAfter(context.database, id, last, limit)
      : listOwnersAfter(context.database, { tokenId: id, status, search, last, limit }),
  );
  yield* mapPieces(pieces, status === 'held' ? toHolder : toOwner);
}

async function readListedToken(
  context: Context,
  tokenId: string,
  selection: OwnerSelection,
): Promise<TokenSummaryRow> {
  const token = await readTokenRow(context, tokenId);
  if ('caller' in selection) await checkMayActFor(context, selection.caller, token.community_id);
  return token;
}

function toHolder(row: ListedOwnerRow): Owner {
  return {
    address: toChecksumAddress(row.address),
    claimedAtTimestamp: row.claimed_at.getTime(),
    validUntilTimestamp: row.valid_until?.getTime() ?? null,
    isKept: row.is_kept,
  };
}

function toOwner(row: ListedOwnerRow): Owner {
  return {
    ...toHolder(row),
    status: row.status,
    statusChangedAtTimestamp: row.status_changed_at.getTime(),
  };
}
