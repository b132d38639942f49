import type { DatabaseTransaction } from '../../context.ts';
import { lockTokens } from '../../storage/claims.ts';
import { endClaims, reinstateClaims } from '../../storage/ownership.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import type { OperationError } from '../../storage/schema.ts';
import { TOKEN_NOT_OWNED, TOKEN_NOT_REVOKED } from './rules.ts';

interface TokenRequest {
  operationId: string;
  tokenId: number;
}

const NOT_OWNED = { name: 'TokenNotOwned', detail: TOKEN_NOT_OWNED };
const NOT_REVOKED = { name: 'TokenNotRevoked', detail: TOKEN_NOT_REVOKED };

/** Settles burns. A burn keeps the row of the claim, so that its address cannot claim the token again. */
export async function settleBurns(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  await finish(tx, requests, await endClaims(tx, operationIds, 'burnt'), NOT_OWNED);
}

/** Settles revocations. The row of the claim stays, so that its address cannot claim the token again. */
export async function settleRevocations(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readAndLock(tx, operationIds);
  await finish(tx, requests, await endClaims(tx, operationIds, 'revoked'), NOT_OWNED);
}

/** Settles reinstatements: an address holds its revoked token again, with its first time of claim. */
export async function settleReinstatements(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readAndLock(tx, operationIds);
  await finish(tx, requests, await reinstateClaims(tx, operationIds), NOT_REVOKED);
}

async function readAndLock(tx: DatabaseTransaction, operationIds: string[]): Promise<TokenRequest[]> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  await lockTokens(
    tx,
    requests.map(({ tokenId }) => tokenId),
  );
  return requests;
}

/** Ends the operations in `changed` with success, and the others with the error. */
async function finish(
  tx: DatabaseTransaction,
  requests: TokenRequest[],
  changed: Set<string>,
  error: OperationError,
): Promise<void> {
  await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) =>
      changed.has(operationId) ? { operationId, resourceId: tokenId } : { operationId, error },
    ),
  );
}
