import { isText } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findImportedToken, type ImportedToken } from '../../storage/imports.ts';
import { tokenNotFound } from '../tokens/read-token.ts';

/** Returns the id of the token that a badge of another service is now. */
export async function readImportedTokenId(
  { database }: Pick<Context, 'database'>,
  source: Pick<ImportedToken, 'communityId' | 'service' | 'id'>,
): Promise<number> {
  const token = Object.values(source).every(isText) ? await findImportedToken(database, source) : undefined;
  if (token === undefined) throw tokenNotFound();
  return token.tokenId;
}
