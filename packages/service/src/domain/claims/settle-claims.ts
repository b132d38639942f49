import type { DatabaseTransaction } from '../../context.ts';
import { insertClaims, lockTokens, readClaimRequests, readClaimStates } from '../../storage/claims.ts';
import { failOperations, succeedOperations } from '../../storage/operations.ts';
import { decideClaims, describeClaimRefusal } from './rules.ts';

/** Settles taken claims and airdrops: who is granted one, the remaining counts, and what ends in error. */
export async function settleClaims(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readClaimRequests(tx, operationIds);
  // Nothing that decides on a claim changes between here and the commit.
  await lockTokens(tx, [...new Set(requests.map(({ tokenId }) => tokenId))]);
  const decisions = decideClaims(requests, await readClaimStates(tx, requests));
  const granted = decisions.filter(({ refusal }) => refusal === null);
  await insertClaims(
    tx,
    granted.map(({ request, contributorKey }) => ({ ...request, contributorKey })),
  );
  await succeedOperations(
    tx,
    granted.map(({ request }) => ({ operationId: request.operationId, resourceId: request.tokenId })),
  );
  await failOperations(
    tx,
    decisions.flatMap(({ request: { operationId }, refusal }) =>
      refusal === null
        ? []
        : [{ operationId, error: { name: refusal, detail: describeClaimRefusal(refusal) } }],
    ),
  );
}
