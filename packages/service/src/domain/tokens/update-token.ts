import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { setTokenHidden } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor, toActor } from '../caller.ts';
import type { Reader } from '../reader.ts';
import { readToken, readTokenRow } from './read-token.ts';

/** Hides a token from listings, or shows it again. */
export async function updateToken(
  context: Context,
  reader: Reader,
  caller: Caller,
  { tokenId, isHidden }: { tokenId: string } & UpdateTokenBody,
): Promise<Token> {
  const current = await readTokenRow(context, tokenId);
  checkMayActFor(caller, current.community_id);
  const change = { tokenId: current.token_id, isHidden };
  if (!(await setTokenHidden(context.database, toActor(caller), change))) {
    throw new Error(`token ${current.token_id} no longer exists`);
  }
  return await readToken(context, reader, tokenId);
}
