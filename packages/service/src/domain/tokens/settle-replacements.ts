import { LIMITS } from '@badge/protocol';
import type { DatabaseTransaction } from '../../context.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';
import { lockForReplacement } from '../../storage/token-locks.ts';
import {
  readReplacementState,
  replaceToken,
  type TokenReplacement,
} from '../../storage/token-replacements.ts';
import { findReplacementRefusal } from './rules.ts';

/**
 * Settles replacements of tokens, and returns how many. While the tokens are locked, nothing that belongs to
 * them can change; operations and requests that wait go on with the replacement.
 */
export async function settleReplacements(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const outcomes: Outcome[] = [];
  for (const request of await readRequests<TokenReplacement>(tx, operationIds)) {
    const { operationId, tokenId, replacementTokenId } = request;
    await lockForReplacement(tx, [tokenId, replacementTokenId]);
    const state = await readReplacementState(tx, request, LIMITS.replacedPeople);
    const error = findReplacementRefusal(request, state);
    outcomes.push(
      error === null
        ? { operationId, resourceId: tokenId, ownerCount: await replaceToken(tx, request) }
        : { operationId, error },
    );
  }
  return await finishOperations(tx, outcomes);
}
