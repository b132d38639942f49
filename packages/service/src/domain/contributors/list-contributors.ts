import type { Contributor } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toAddress, toChecksumAddress } from '../../signatures/address.ts';
import {
  type ContributorRow,
  listContributors as listContributorRows,
  listContributorsAfter,
} from '../../storage/claims.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { mapPieces, type Piece, type Reader, readWholeList } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';

// An identifier has up to 256 characters, of up to 6 bytes in JSON.
const CONTRIBUTOR_BYTES = 2 * 1024;

/** Lists a token's allowlist in the order of addition. */
export async function listContributors(
  context: Context,
  reader: Reader,
  caller: Caller,
  tokenId: string,
  page: { limit: number; offset: number },
): Promise<Contributor[]> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  // An open token has no contributors, because everyone can claim it. The entries of its allowlist belong to
  // claim links.
  if (!token.is_allowlist_required) return [];
  const rows = await reader.read(page.limit * CONTRIBUTOR_BYTES, () =>
    listContributorRows(context.database, token.token_id, page).catch(refuseSlowRead('Use a smaller offset')),
  );
  return rows.map(toContributor);
}

/** Reads a token's whole allowlist in the order of addition. */
export async function* readAllContributors(
  context: Context,
  reader: Reader,
  caller: Caller,
  tokenId: string,
): AsyncGenerator<Piece<Contributor>> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  if (!token.is_allowlist_required) return;
  const pieces = readWholeList<ContributorRow>(reader, CONTRIBUTOR_BYTES, (last, limit) =>
    listContributorsAfter(context.database, token.token_id, last?.position ?? 0, limit),
  );
  yield* mapPieces(pieces, toContributor);
}

function toContributor(row: ContributorRow): Contributor {
  const hasClaimed = Boolean(row.has_claimed);
  if (row.identifier !== null) {
    const address = row.claiming_address && toChecksumAddress(row.claiming_address);
    return { contributor: row.identifier, address, hasClaimed };
  }
  const address = toChecksumAddress(toAddress(row.contributor_key));
  return { contributor: row.ens_name ?? address, address, hasClaimed };
}
