import type { DatabaseTransaction } from '../../context.ts';
import { finishOperations, readRequests } from '../../storage/queue.ts';
import { queueTransfers } from '../../storage/transfers.ts';

/**
 * Puts accepted exports and imports into their queue. The operation ends at once, because a transfer can take
 * minutes, and operations of the community wait for each other.
 */
export async function settleTransfers(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await readRequests<{ transferId: number }>(tx, operationIds);
  const queued = new Set(
    await queueTransfers(
      tx,
      requests.map((request) => request.transferId),
    ),
  );
  return await finishOperations(
    tx,
    requests.map(({ operationId, transferId }) =>
      queued.has(transferId)
        ? { operationId, resourceId: transferId }
        : {
            operationId,
            error: { name: 'Unavailable', detail: 'It has waited for more than an hour. Ask for it again.' },
          },
    ),
  );
}
