import type { DatabaseTransaction } from '../../context.ts';
import {
  type ClaimRequest,
  insertClaims,
  type NewClaim,
  readClaimRequests,
  readClaimStates,
} from '../../storage/claims.ts';
import { finishOperations } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';
import { decideClaims, describeClaimRefusal } from './rules.ts';

// Of somebody who is known already, the way stays the first one.
function findWay(
  { isAllowlistBypassed, claimLinkId }: ClaimRequest,
  { contributorKey, roomLinkId }: Pick<NewClaim, 'contributorKey' | 'roomLinkId'>,
): NewClaim['way'] {
  if (isAllowlistBypassed) return 'airdrop';
  if (roomLinkId !== null) return 'room';
  if (contributorKey === null) return 'open';
  return claimLinkId === null ? 'list' : 'link';
}

/**
 * Settles claims and airdrops: decides which are granted, inserts those and changes the counts. Returns how
 * many.
 */
export async function settleClaims(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await lockTokensOfRequests(tx, await readClaimRequests(tx, operationIds));
  const decisions = decideClaims(requests, await readClaimStates(tx, requests));
  await insertClaims(
    tx,
    decisions
      .filter(({ refusal }) => refusal === null)
      .map(({ request, contributorKey, roomLinkId }) => ({
        ...request,
        contributorKey,
        roomLinkId,
        way: findWay(request, { contributorKey, roomLinkId }),
      })),
  );
  return await finishOperations(
    tx,
    decisions.map(({ request: { operationId, tokenId }, refusal }) =>
      refusal === null
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: refusal, detail: describeClaimRefusal(refusal) } },
    ),
  );
}
