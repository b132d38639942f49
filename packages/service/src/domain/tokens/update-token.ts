import type { Token, UpdateTokenBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { revokeLongerCredentials } from '../../storage/credentials.ts';
import { lockToken, lockTokenAndEnd } from '../../storage/token-locks.ts';
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
    const { criteria, claimableFromTimestamp } = fields;
    const validityChanges = toValidityChanges(fields);
    const hasNewEnd = Object.keys(validityChanges).length > 0;
    const replacedBy = await (hasNewEnd ? lockTokenAndEnd : lockToken)(tx, token_id);
    if (replacedBy !== null && Object.values(fields).some((value) => value !== undefined))
      throw tokenReplaced(replacedBy);
    const changes = {
      ...validityChanges,
      ...(isHidden === undefined ? {} : { is_hidden: isHidden }),
      ...(criteria === undefined ? {} : { criteria }),
      ...(claimableFromTimestamp === undefined
        ? {}
        : { claimable_from_timestamp: claimableFromTimestamp || null }),
    };
    if (await updateTokenRow(tx, toActor(caller), token_id, changes)) {
      if (hasNewEnd) await revokeLongerCredentials(tx, token_id);
      return;
    }
    await checkMayStillWrite(tx, caller, community_id);
    throw new Error(`token ${token_id} no longer exists`);
  });
  return await readToken(context, reader, tokenId);
}

// One of the two replaces the other. Null removes the one that it is sent for.
function toValidityChanges({
  validUntilTimestamp: until,
  validityDays: days,
}: Pick<UpdateTokenBody, 'validUntilTimestamp' | 'validityDays'>): {
  valid_until?: Date | null;
  validity_days?: number | null;
} {
  if (until) return { valid_until: new Date(until), validity_days: null };
  if (days) return { valid_until: null, validity_days: days };
  return {
    ...(until === undefined ? {} : { valid_until: null }),
    ...(days === undefined ? {} : { validity_days: null }),
  };
}
