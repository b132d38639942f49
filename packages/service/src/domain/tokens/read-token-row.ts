import type { Context } from '../../context.ts';
import { findToken, type TokenRow } from '../../storage/tokens.ts';
import { Refusal } from '../refusal.ts';

/** The stored token that a path names by its id in decimal. */
export async function readTokenRow(context: Context, tokenId: string): Promise<TokenRow> {
  const id = /^[1-9]\d{0,15}$/.test(tokenId) ? Number(tokenId) : Number.NaN;
  const row = Number.isSafeInteger(id) ? await findToken(context.database, id) : undefined;
  if (row === undefined) throw new Refusal('TokenNotFound', 'There is no token with this id.');
  return row;
}
