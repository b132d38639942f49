import type { Contributor } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toAddress, toChecksumAddress } from '../../signatures/address.ts';
import { listContributors as listContributorRows } from '../../storage/claims.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readTokenRow } from '../tokens/read-token.ts';

/** Lists a token's allowlist in the order of addition. */
export async function listContributors(
  context: Context,
  caller: Caller,
  tokenId: string,
  page: { limit: number; offset: number },
): Promise<Contributor[]> {
  const token = await readTokenRow(context, tokenId);
  checkMayActFor(caller, token.community_id);
  const rows = await listContributorRows(context.database, token.token_id, page);
  return rows.map((row) => {
    const address = row.identifier === null ? toChecksumAddress(toAddress(row.contributor_key)) : null;
    return {
      contributor: row.identifier ?? address ?? '',
      address,
      hasClaimed: Boolean(row.has_claimed),
    };
  });
}
