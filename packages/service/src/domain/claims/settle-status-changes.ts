import type { DatabaseTransaction } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { announceExpired } from '../../storage/expiry.ts';
import { endClaims, type OwnerRequest, reinstateClaims } from '../../storage/ownership.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import type { OperationError } from '../../storage/schema.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';
import { TOKEN_NOT_OWNED, TOKEN_NOT_REVOKED } from './rules.ts';

const NOT_OWNED = { name: 'TokenNotOwned', detail: TOKEN_NOT_OWNED };
const NOT_REVOKED = { name: 'TokenNotRevoked', detail: TOKEN_NOT_REVOKED };

/**
 * Settles burns, and returns how many. A burn keeps the row of the claim, so that its address cannot claim
 * the token again.
 */
export async function settleBurns(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  // Of the token, a burn changes nothing, so it does not wait for claims.
  const requests = await readAndLock(tx, operationIds, { isShared: true });
  return await finish(tx, requests, await endClaims(tx, requests, 'burnt'), NOT_OWNED);
}

/**
 * Settles revocations, and returns how many. The row of the claim stays, so that its address cannot claim the
 * token again.
 */
export async function settleRevocations(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await readAndLock(tx, operationIds);
  return await finish(tx, requests, await endClaims(tx, requests, 'revoked'), NOT_OWNED);
}

/**
 * Settles reinstatements, and returns how many: an address holds its revoked token again, with its first time
 * of claim.
 */
export async function settleReinstatements(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await readAndLock(tx, operationIds);
  const reinstated = await reinstateClaims(tx, requests);
  const byToken = Map.groupBy(
    requests.filter(({ operationId }) => reinstated.has(operationId)),
    ({ tokenId }) => tokenId,
  );
  // The end of some may have passed while they were revoked.
  for (const [tokenId, ofToken] of byToken) {
    const addresses = ofToken.map(({ address }) => parseAddress(`0x${address}`));
    await announceExpired(tx, tokenId, addresses);
  }
  return await finish(tx, requests, reinstated, NOT_REVOKED);
}

async function readAndLock(
  tx: DatabaseTransaction,
  operationIds: string[],
  options?: { isShared: boolean },
): Promise<OwnerRequest[]> {
  return await lockTokensOfRequests(tx, await readRequests<OwnerRequest>(tx, operationIds), options);
}

/** Ends the operations in `changed` with success, and the others with the error. */
async function finish(
  tx: DatabaseTransaction,
  requests: OwnerRequest[],
  changed: Set<string>,
  error: OperationError,
): Promise<number> {
  return await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) =>
      changed.has(operationId) ? { operationId, resourceId: tokenId } : { operationId, error },
    ),
  );
}
