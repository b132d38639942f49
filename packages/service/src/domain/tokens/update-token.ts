import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { lockToken } from '../../storage/token-locks.ts';
import { updateToken as updateTokenRow } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import type { Reader } from '../reader.ts';
import { readToken, readTokenRow, tokenReplaced } from './read-token.ts';

/**
 * Hides a token from listings or shows it again, and changes its criteria and its unsigned times. Absent
 * fields do not change.
 */
export async function updateToken(
  context: Context,
  reader: Reader,
  caller: Caller,
  { tokenId, isHidden, ...fields }: { tokenId: string } & UpdateTokenBody,
): Promise<Token> {
  const { token_id, community_id } = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, community_id);
  await context.transaction(async (tx) => {
    // A token that another one has replaced can still be hidden and shown, and nothing else.
    const replacedBy = await lockToken(tx, token_id);
    const { criteria, claimableFromTimestamp } = fields;
    if (replacedBy !== null && Object.values(fields).some((value) => value !== undefined))
      throw tokenReplaced(replacedBy);
    const changes = {
      ...(isHidden === undefined ? {} : { is_hidden: isHidden }),
      ...(criteria === undefined ? {} : { criteria }),
      ...(claimableFromTimestamp === undefined
        ? {}
        : { claimable_from_timestamp: claimableFromTimestamp || null }),
    };
    if (await updateTokenRow(tx, toActor(caller), token_id, changes)) return;
    await checkMayStillWrite(tx, caller, community_id);
    throw new Error(`token ${token_id} no longer exists`);
  });
  return await readToken(context, reader, tokenId);
}
