import type { DatabaseTransaction } from '../../context.ts';
import { endClaims } from '../../storage/ownership.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import { TOKEN_NOT_OWNED } from './rules.ts';

/** Settles burns. A burn keeps the row of the claim, so that its address cannot claim the token again. */
export async function settleBurns(tx: DatabaseTransaction, operationIds: string[]): Promise<void> {
  const requests = await readRequests<{ tokenId: number }>(tx, operationIds);
  const burnt = await endClaims(tx, operationIds, 'burnt');
  await finishOperations(
    tx,
    requests.map(({ operationId, tokenId }) =>
      burnt.has(operationId)
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: 'TokenNotOwned', detail: TOKEN_NOT_OWNED } },
    ),
  );
}
