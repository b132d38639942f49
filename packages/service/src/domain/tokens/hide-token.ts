import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { setTokenHidden } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readTokenRow } from './read-token-row.ts';
import { toToken } from './to-token.ts';

/** Leaves a token out of token listings, or brings it back. */
export async function hideToken(
  context: Context,
  caller: Caller,
  tokenId: string,
  { isHidden }: UpdateTokenBody,
): Promise<Token> {
  const current = await readTokenRow(context, tokenId);
  checkMayActFor(caller, current.community_id);
  const row = await setTokenHidden(context.database, current.token_id, isHidden);
  return toToken(context.settings, row ?? current);
}
