import type { DatabaseTransaction } from '../../context.ts';
import { lockTokens } from '../../storage/claims.ts';
import { endClaims } from '../../storage/ownership.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import { TOKEN_NOT_OWNED } from './rules.ts';

/** Settles revocations. The row of the claim stays, so that its address cannot claim the token again. */
export async function settleRevocations(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  await lockTokens(
    tx,
    requests.map(({ tokenId }) => tokenId),
  );
  const revoked = await endClaims(tx, operationIds, 'revoked');
  await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) =>
      revoked.has(operationId)
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: 'TokenNotOwned', detail: TOKEN_NOT_OWNED } },
    ),
  );
}
