import type { DatabaseTransaction } from '../../context.ts';
import { insertContributors, lockTokens } from '../../storage/claims.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';

/**
 * Settles addContributors operations: adds their contributors to the tokens' allowlists, in the order of
 * acceptance.
 */
export async function settleContributors(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  await lockTokens(
    tx,
    requests.map(({ tokenId }) => tokenId),
  );
  for (const { operationId } of requests) await insertContributors(tx, operationId);
  await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
