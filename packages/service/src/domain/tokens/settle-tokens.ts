import type { DatabaseTransaction } from '../../context.ts';
import { finishOperations } from '../../storage/queue.ts';
import { insertAllowlists, insertTokens } from '../../storage/tokens.ts';

/** Settles createToken operations: writes their tokens with the next ids, and their allowlists. */
export async function settleTokens(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const tokens = await insertTokens(tx, operationIds);
  await insertAllowlists(tx, operationIds);
  await finishOperations(
    tx,
    tokens.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
