import type { DatabaseTransaction } from '../../context.ts';
import { lockTokens } from '../../storage/claims.ts';
import { reinstateClaims } from '../../storage/ownership.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import { TOKEN_NOT_REVOKED } from './rules.ts';

/** Settles reinstatements: an address holds its revoked token again, with its first time of claim. */
export async function settleReinstatements(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  await lockTokens(
    tx,
    requests.map(({ tokenId }) => tokenId),
  );
  const reinstated = await reinstateClaims(tx, operationIds);
  await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) =>
      reinstated.has(operationId)
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: 'TokenNotRevoked', detail: TOKEN_NOT_REVOKED } },
    ),
  );
}
