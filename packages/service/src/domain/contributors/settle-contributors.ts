import type { DatabaseTransaction } from '../../context.ts';
import { insertContributors } from '../../storage/claims.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';

/**
 * Settles addContributors operations: adds their contributors to the tokens' allowlists, in the order of
 * acceptance. Returns how many.
 */
export async function settleContributors(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await lockTokensOfRequests(tx, await readRequests<{ tokenId: number }>(tx, operationIds));
  for (const { operationId, tokenId } of requests) await insertContributors(tx, { operationId, tokenId });
  return await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
