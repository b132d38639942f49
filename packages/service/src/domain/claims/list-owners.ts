import type { Owner } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { listOwners as listOwnerRows } from '../../storage/claims.ts';
import type { Reader } from '../reader.ts';
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
  return rows.map((row) => ({
    address: toChecksumAddress(row.address),
    claimedAtTimestamp: row.claimed_at.getTime(),
  }));
}
