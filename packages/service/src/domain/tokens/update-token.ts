import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { setTokenHidden } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor, toActor } from '../caller.ts';
import { readTokenRow, toToken } from './read-token.ts';

/** Hides a token from listings, or shows it again. */
export async function updateToken(
  context: Context,
  caller: Caller,
  tokenId: string,
  { isHidden }: UpdateTokenBody,
): Promise<Token> {
  const current = await readTokenRow(context, tokenId);
  checkMayActFor(caller, current.community_id);
  const change = { tokenId: current.token_id, isHidden };
  const row = await setTokenHidden(context.database, toActor(caller), change);
  if (row === undefined) throw new Error(`token ${current.token_id} no longer exists`);
  return toToken(context.settings, row);
}
