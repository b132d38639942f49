import type { DatabaseTransaction } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { announceExpired } from '../../storage/expiry.ts';
import { lockMoves, moveClaim } from '../../storage/ownership.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';
import { readMoveRefusal } from './read-move-refusal.ts';
import { describeMoveRefusal } from './rules.ts';

/**
 * Settles moves one by one, in the order of acceptance, because a move can depend on the one before it. All
 * locks are taken before the first move. Returns how many it has settled.
 */
export async function settleMoves(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await lockTokensOfRequests(
    tx,
    await readRequests<{ tokenId: number; address: string; toAddress: string }>(tx, operationIds),
  );
  const moves = requests.map(({ operationId, tokenId, address, toAddress }) => ({
    operationId,
    tokenId,
    address: parseAddress(`0x${address}`),
    toAddress: parseAddress(`0x${toAddress}`),
  }));
  await lockMoves(tx, moves);
  const outcomes: Outcome[] = [];
  for (const move of moves) {
    const { operationId, tokenId } = move;
    const { refusal } = await readMoveRefusal(tx, { ...move, isGift: true });
    if (refusal === null) {
      await announceExpired(tx, tokenId, [move.address]);
      await moveClaim(tx, move);
    }
    outcomes.push(
      refusal === null
        ? { operationId, resourceId: tokenId }
        : { operationId, error: { name: refusal, detail: describeMoveRefusal(refusal) } },
    );
  }
  return await finishOperations(tx, outcomes);
}
