import type { DatabaseTransaction } from '../../context.ts';
import { insertContributors, lockTokens, readClaimRequests } from '../../storage/claims.ts';
import { succeedOperations } from '../../storage/operations.ts';

/** Settles taken additions to allowlists, each after those accepted before it. */
export async function addContributors(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readClaimRequests(tx, operationIds);
  await lockTokens(tx, [...new Set(requests.map(({ tokenId }) => tokenId))]);
  for (const { operationId } of requests) await insertContributors(tx, operationId);
  await succeedOperations(
    tx,
    requests.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
