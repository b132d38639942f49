import type { DatabaseTransaction } from '../../context.ts';
import { succeedOperations } from '../../storage/operations.ts';
import { insertAllowlists, insertTokens } from '../../storage/tokens.ts';

/** Settles taken createToken operations: their tokens, allowlists and remaining counts, and their success. */
export async function createTokens(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const tokens = await insertTokens(tx, operationIds);
  await insertAllowlists(tx, operationIds);
  await succeedOperations(
    tx,
    tokens.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
