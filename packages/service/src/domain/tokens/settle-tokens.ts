import type { DatabaseTransaction } from '../../context.ts';
import { finishOperations } from '../../storage/queue.ts';
import { insertAllowlists, insertTokens } from '../../storage/tokens.ts';

/**
 * Settles createToken operations: writes their tokens with the next ids, and their allowlists. Returns how
 * many.
 */
export async function settleTokens(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const tokens = await insertTokens(tx, operationIds);
  const allowlisted = tokens.filter(({ isAllowlistRequired }) => isAllowlistRequired);
  if (allowlisted.length > 0) {
    await insertAllowlists(
      tx,
      allowlisted.map(({ operationId }) => operationId),
    );
  }
  return await finishOperations(
    tx,
    tokens.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
