import type { Owner } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { listOwners as listOwnerRows } from '../../storage/claims.ts';
import { readTokenRow } from '../tokens/read-token.ts';

/** Lists the addresses that hold a token, in the order of their claims. */
export async function listOwners(
  context: Context,
  tokenId: string,
  page: { limit: number; offset: number },
): Promise<Owner[]> {
  const token = await readTokenRow(context, tokenId);
  const rows = await listOwnerRows(context.database, token.token_id, page);
  return rows.map((row) => ({
    address: toChecksumAddress(row.address),
    claimedAtTimestamp: row.claimed_at.getTime(),
  }));
}
