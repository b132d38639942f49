import type { DatabaseTransaction } from '../context.ts';
import { type Candidate, listPendingQueues, lockCandidates, type TakenOperation } from '../storage/queue.ts';

// Large enough to share the cost of a commit, small enough to settle within tens of milliseconds. An allowlist of
// 10,000 addresses costs about as much as `maxCostBytes`, and so do 128 operations with the smallest requests.
const LIMITS = { maxOperations: 128, maxCostBytes: 512 * 1024 };
const MAX_COMMUNITIES = 64;

export interface FairBatch {
  /** Empty if no operation is free. */
  operations: TakenOperation[];
  /** If false, no other operation was free. */
  mayHaveMore: boolean;
}

export interface FairBatches {
  /** Locks the operations of the next batch, all of one queue. */
  take(tx: DatabaseTransaction): Promise<FairBatch>;
}

/**
 * Takes batches so that queues, and the communities of each queue, take turns. The only state is who had the last turn.
 * Each worker has its own state, and a new worker can begin with any queue and community.
 */
export function createFairBatches(): FairBatches {
  let lastQueue = '';
  const lastCommunityIds = new Map<string, string>();

  async function takeFrom(
    tx: DatabaseTransaction,
    queue: string,
    afterCommunityId: string,
  ): Promise<{ batch: Candidate[]; mayHaveMore: boolean }> {
    const found = await lockCandidates(tx, queue, {
      afterCommunityId,
      maxCommunities: MAX_COMMUNITIES,
      maxOperations: LIMITS.maxOperations,
    });
    const { candidates, isEndReached } = found;
    const { batch, missedAfterCommunityId } = chooseBatch(candidates, LIMITS);
    const lastCommunityId = isEndReached ? '' : (candidates.at(-1)?.communityId ?? '');
    lastCommunityIds.set(queue, missedAfterCommunityId ?? lastCommunityId);
    const mayHaveMore =
      afterCommunityId !== '' || !isEndReached || found.mayHaveMore || candidates.length > batch.length;
    return { batch, mayHaveMore };
  }

  return {
    take: async (tx) => {
      const queues = await listPendingQueues(tx);
      const next = queues.findIndex((queue) => queue > lastQueue);
      if (next > 0) queues.push(...queues.splice(0, next));
      for (const queue of queues) {
        const afterCommunityId = lastCommunityIds.get(queue) ?? '';
        let taken = await takeFrom(tx, queue, afterCommunityId);
        // After the last community, the first one has its turn again.
        if (taken.batch.length === 0 && afterCommunityId !== '') taken = await takeFrom(tx, queue, '');
        if (taken.batch.length === 0) continue;
        lastQueue = queue;
        return { operations: taken.batch, mayHaveMore: taken.mayHaveMore || queues.length > 1 };
      }
      return { operations: [], mayHaveMore: false };
    },
  };
}

/**
 * Chooses a batch from candidates that are sorted by the turn of their community and then by age. The first candidate
 * is always in the batch, whatever it costs. The cost of the others is limited, and shared equally by their
 * communities. If some communities have no operation in the batch, the next batch must begin with the first of them.
 * `missedAfterCommunityId` is then the community before it.
 */
export function chooseBatch(
  candidates: Candidate[],
  { maxOperations, maxCostBytes }: { maxOperations: number; maxCostBytes: number },
): { batch: Candidate[]; missedAfterCommunityId: string | null } {
  const [first, ...others] = candidates;
  if (first === undefined) return { batch: [], missedAfterCommunityId: null };
  const communityBytes = new Map([[first.communityId, first.costBytes]]);
  // Candidates are ranked by what their community costs up to them, so that communities get equal parts of the batch.
  const ranked = others.map((candidate) => {
    const costUpToBytes = (communityBytes.get(candidate.communityId) ?? 0) + candidate.costBytes;
    communityBytes.set(candidate.communityId, costUpToBytes);
    return { candidate, costUpToBytes };
  });
  // The sort is stable: candidates with equal costs stay in the order of turns.
  ranked.sort((a, b) => a.costUpToBytes - b.costUpToBytes);
  const batch = [first];
  let totalBytes = 0;
  for (const { candidate } of ranked) {
    totalBytes += candidate.costBytes;
    if (batch.length === maxOperations || totalBytes > maxCostBytes) break;
    batch.push(candidate);
  }
  const served = new Set(batch.map(({ communityId }) => communityId));
  const missed = candidates.findIndex(({ communityId }) => !served.has(communityId));
  return { batch, missedAfterCommunityId: candidates[missed - 1]?.communityId ?? null };
}
