import type { DatabaseTransaction } from '../../context.ts';
import { deleteContributors, lockTokens } from '../../storage/claims.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';

const HAS_CLAIMED = 'One of the contributors has claimed the token; none was removed.';

/** Settles removeContributors operations. An operation removes all its contributors, or none. */
export async function settleRemovedContributors(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  // While the tokens are locked, nobody can claim them.
  await lockTokens(
    tx,
    requests.map(({ tokenId }) => tokenId),
  );
  const outcomes: Outcome[] = [];
  for (const { operationId, tokenId } of requests) {
    outcomes.push(
      (await deleteContributors(tx, operationId))
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: 'ContributorHasClaimed', detail: HAS_CLAIMED } },
    );
  }
  await finishOperations(tx, outcomes);
}
