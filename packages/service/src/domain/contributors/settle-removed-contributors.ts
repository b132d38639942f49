import type { DatabaseTransaction } from '../../context.ts';
import { deleteContributors } from '../../storage/claims.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';

const HAS_CLAIMED = 'One of the contributors has claimed the token; none was removed.';

/** Settles removeContributors operations, and returns how many. One removes all its contributors, or none. */
export async function settleRemovedContributors(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<number> {
  // While the tokens are locked, nobody can claim them.
  const requests = await lockTokensOfRequests(tx, await readRequests<{ tokenId: number }>(tx, operationIds));
  const outcomes: Outcome[] = [];
  for (const { operationId, tokenId } of requests) {
    outcomes.push(
      (await deleteContributors(tx, { operationId, tokenId }))
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: 'ContributorHasClaimed', detail: HAS_CLAIMED } },
    );
  }
  return await finishOperations(tx, outcomes);
}
