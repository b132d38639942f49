import type { ClaimLink, ClaimLinkStatus } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import {
  type ClaimLinkRow,
  listClaimLinksAfter,
  listClaimLinks as listStoredClaimLinks,
} from '../../storage/claim-links.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { mapPieces, type Piece, type Reader, readWholeList } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';

// An identifier has up to 256 characters, of up to 6 bytes in JSON.
const CLAIM_LINK_BYTES = 2 * 1024;

/** Lists a token's claim links in the order of creation, or the other way round. */
export async function listClaimLinks(
  context: Context,
  reader: Reader,
  caller: Caller,
  tokenId: string,
  page: Parameters<typeof listStoredClaimLinks>[2],
): Promise<ClaimLink[]> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const rows = await reader.read(page.limit * CLAIM_LINK_BYTES, () =>
    listStoredClaimLinks(context.database, token.token_id, page).catch(
      refuseSlowRead('Use a smaller offset, or fewer filters'),
    ),
  );
  return rows.map(toClaimLink);
}

/** Reads all claim links of a token, or those that the filters match, in the order of creation. */
export async function* readAllClaimLinks(
  context: Context,
  reader: Reader,
  caller: Caller,
  {
    tokenId,
    status,
    isForRoom,
  }: { tokenId: string; status: ClaimLinkStatus | undefined; isForRoom: boolean | undefined },
): AsyncGenerator<Piece<ClaimLink>> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const pieces = readWholeList<ClaimLinkRow>(reader, CLAIM_LINK_BYTES, (last, limit) =>
    listClaimLinksAfter(context.database, token.token_id, last?.sequence ?? 0, limit),
  );
  // Links that do not match are dropped here, not by the query, so that a piece costs the same whatever the
  // filters.
  for await (const { items, isLast } of mapPieces(pieces, toClaimLink)) {
    const isWanted = (link: ClaimLink) =>
      (status === undefined || link.status === status) &&
      (isForRoom === undefined || link.maxClaims > 1 === isForRoom);
    yield { items: items.splice(0).filter(isWanted), isLast };
  }
}

/** Returns a link as the API shows it. */
export function toClaimLink(row: ClaimLinkRow): ClaimLink {
  const isForRoom = row.max_claims !== null;
  // The identifier of a revoked link may have claimed in another way. Even then, the link does not show who.
  const isUsed = row.status === 'used' && !isForRoom;
  return {
    claimLinkId: row.claim_link_id,
    identifier: row.identifier,
    status: row.status,
    claimingAddress: isUsed && row.address !== null ? toChecksumAddress(row.address) : null,
    createdAtTimestamp: row.created_at.getTime(),
    expiresAtTimestamp: row.expires_at?.getTime() ?? null,
    usedAtTimestamp: isUsed ? (row.claimed_at?.getTime() ?? null) : null,
    maxClaims: row.max_claims ?? 1,
    claimCount: isForRoom ? row.claim_count : Number(isUsed),
    isPaused: row.paused_at !== null,
    startsAtTimestamp: row.starts_at?.getTime() ?? null,
  };
}
