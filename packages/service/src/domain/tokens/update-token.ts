import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { lockTokens } from '../../storage/claims.ts';
import { setTokenHidden } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import type { Reader } from '../reader.ts';
import { readToken, readTokenRow } from './read-token.ts';

/** Hides a token from listings, or shows it again. */
export async function updateToken(
  context: Context,
  reader: Reader,
  caller: Caller,
  { tokenId, isHidden }: { tokenId: string } & UpdateTokenBody,
): Promise<Token> {
  const { token_id, community_id } = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, community_id);
  await context.transaction(async (tx) => {
    await lockTokens(tx, [token_id]);
    if (await setTokenHidden(tx, toActor(caller), { tokenId: token_id, isHidden })) return;
    await checkMayStillWrite(tx, caller, community_id);
    throw new Error(`token ${token_id} no longer exists`);
  });
  return await readToken(context, reader, tokenId);
}
