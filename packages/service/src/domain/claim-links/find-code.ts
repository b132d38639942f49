import type { Context } from '../../context.ts';
import { findClaimLink, isCodeUsedByClient } from '../../storage/claim-links.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { hashClaimCode, hashClient } from './rules.ts';

/** Whether a link of the token that is not revoked has this code. */
export async function isCodeKnown(
  context: Context,
  { tokenId, claimCode }: { tokenId: string; claimCode: string },
): Promise<boolean> {
  const { token_id } = await readTokenRow(context, tokenId);
  const link = await findClaimLink(context.database, token_id, hashClaimCode(token_id, claimCode));
  return link !== undefined;
}

/** Whether this client has claimed the token with this code of a room, without a signature. */
export async function isCodeKnownToClient(
  context: Context,
  { tokenId, claimCode, client }: { tokenId: string; claimCode: string; client: string },
): Promise<boolean> {
  const { token_id } = await readTokenRow(context, tokenId);
  return await isCodeUsedByClient(context.database, {
    tokenId: token_id,
    codeHash: hashClaimCode(token_id, claimCode),
    clientHash: hashClient(token_id, claimCode, client),
  });
}
