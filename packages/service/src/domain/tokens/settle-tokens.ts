import type { DatabaseTransaction } from '../../context.ts';
import { finishOperations } from '../../storage/queue.ts';
import { insertAllowlists, insertTokens } from '../../storage/tokens.ts';

/** Settles createToken operations: writes their tokens with the next ids, and their allowlists. */
export async function settleTokens(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const tokens = await insertTokens(tx, operationIds);
  const allowlisted = tokens.filter(({ isAllowlistRequired }) => isAllowlistRequired);
  if (allowlisted.length > 0) {
    await insertAllowlists(
      tx,
      allowlisted.map(({ operationId }) => operationId),
    );
  }
  await finishOperations(
    tx,
    tokens.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
