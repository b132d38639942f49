import type { DatabaseTransaction } from '../../context.ts';
import { burnClaims, readClaimRequests } from '../../storage/claims.ts';
import { failOperations, succeedOperations } from '../../storage/operations.ts';

const NOT_OWNED = { name: 'TokenNotOwned', detail: 'The address does not hold the token.' };

/** Settles taken burns: the claim stays, so that it is never made again, but nobody holds the token. */
export async function settleBurns(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readClaimRequests(tx, operationIds);
  const burnt = await burnClaims(tx, operationIds);
  await succeedOperations(
    tx,
    requests
      .filter(({ operationId }) => burnt.has(operationId))
      .map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
  await failOperations(
    tx,
    requests
      .filter(({ operationId }) => !burnt.has(operationId))
      .map(({ operationId }) => ({ operationId, error: NOT_OWNED })),
  );
}
