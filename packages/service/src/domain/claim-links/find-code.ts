import type { Context } from '../../context.ts';
import { type FoundClaimLink, findClaimLink, isLinkUsedByClient } from '../../storage/claim-links.ts';
import { withTokenRow } from '../tokens/read-token.ts';
import { hashClient, toSentCode } from './rules.ts';

/** Whether a link of the token that is not revoked has this code. */
export async function isCodeKnown(
  context: Context,
  { tokenId, claimCode }: { tokenId: string; claimCode: string },
): Promise<boolean> {
  return (await findLink(context, tokenId, claimCode)) !== undefined;
}

/** Whether this client has claimed the token with this code of a room, without a signature. */
export async function isCodeKnownToClient(
  context: Context,
  { tokenId, claimCode, client }: { tokenId: string; claimCode: string; client: string },
): Promise<boolean> {
  const link = await findLink(context, tokenId, claimCode);
  if (link === undefined) return false;
  return await isLinkUsedByClient(context.database, {
    claimLinkId: link.claim_link_id,
    clientHash: hashClient(link.made_for_token_id, claimCode, client),
  });
}

async function findLink(
  context: Context,
  tokenId: string,
  claimCode: string,
): Promise<FoundClaimLink | undefined> {
  return await withTokenRow(
    context,
    tokenId,
    (token) => findClaimLink(context.database, toSentCode(token, claimCode)),
    (link) => link === undefined,
  );
}
