import type { DatabaseTransaction } from '../context.ts';
import { type Candidate, type Candidates, lockCandidates, type TakenOperation } from '../storage/queue.ts';
import { isKnown } from './settle-operations.ts';

// Large enough to share the cost of a commit, small enough to settle in 100 to 200 ms. An allowlist of 10,000
// addresses costs about as much as `maxCostBytes`, and so do 128 operations with the smallest requests.
const LIMITS = { maxOperations: 128, maxCostBytes: 512 * 1024 };
const MAX_COMMUNITIES = 64;

export interface FairBatch {
  /** Empty if no operation is pending, or if other workers have locked all of them. */
  operations: TakenOperation[];
  /** Whether other operations may be pending that no worker has locked. */
  mayHaveMore: boolean;
}

export interface FairBatches {
  /** Locks the operations of the next batch, all of one of the queues, which `listPendingQueues` returned. */
  take(tx: DatabaseTransaction, pendingQueues: string[]): Promise<FairBatch>;
}

/**
 * Takes batches so that queues, and the communities of each queue, take turns. The only state is who had the
 * last turn. Each worker has its own state, and a new worker can begin with any queue and community.
 */
export function createFairBatches(): FairBatches {
  let lastQueue = '';
  // By queue: the next batch begins with the first community after this id.
  const startNextAfter = new Map<string, string>();

  // If other workers have locked all operations of the first 64 communities, the next 64 are tried, and so
  // on. A worker locks operations of at most 64 communities, so few of these queries find no operation.
  // Returns null at the end of the queue.
  async function takeFrom(
    tx: DatabaseTransaction,
    queue: string,
    startAfter: string,
  ): Promise<FairBatch | null> {
    let afterCommunityId: string | null = startAfter;
    while (afterCommunityId !== null) {
      const found: Candidates = await lockCandidates(tx, queue, {
        afterCommunityId,
        maxCommunities: MAX_COMMUNITIES,
        maxOperations: LIMITS.maxOperations,
      });
      const { candidates, continueAfter } = found;
      const { batch, communityBeforeMissed } = chooseBatch(candidates, LIMITS);
      // If no community was missed, the communities after the queried ones are next.
      startNextAfter.set(queue, communityBeforeMissed ?? continueAfter ?? '');
      if (batch.length > 0) {
        // The communities up to `afterCommunityId` and those after `continueAfter` were not queried.
        const mayOtherCommunitiesHaveMore = afterCommunityId !== '' || continueAfter !== null;
        const isAllTaken = candidates.length === batch.length && !found.mayHaveMore;
        return { operations: batch, mayHaveMore: mayOtherCommunitiesHaveMore || !isAllTaken };
      }
      afterCommunityId = continueAfter;
    }
    return null;
  }

  return {
    take: async (tx, pendingQueues) => {
      const pending = pendingQueues.filter(isKnown);
      const isAfterLast = (queue: string) => queue > lastQueue;
      const queues = [...pending.filter(isAfterLast), ...pending.filter((queue) => !isAfterLast(queue))];
      for (const queue of queues) {
        const startAfter = startNextAfter.get(queue) ?? '';
        let batch = await takeFrom(tx, queue, startAfter);
        // After the last community, the first one has its turn again.
        if (batch === null && startAfter !== '') batch = await takeFrom(tx, queue, '');
        if (batch === null) continue;
        lastQueue = queue;
        return { ...batch, mayHaveMore: batch.mayHaveMore || queues.length > 1 };
      }
      return { operations: [], mayHaveMore: false };
    },
  };
}

/**
 * Chooses a batch from candidates that are sorted by the turn of their community and then by age. The first
 * candidate is always in the batch, whatever it costs. The cost of the others is limited, and shared equally
 * by their communities. If some communities have no operation in the batch, the next batch must begin with
 * the first of them: `communityBeforeMissed` is the community before it. Otherwise, `communityBeforeMissed`
 * is null.
 */
export function chooseBatch(
  candidates: Candidate[],
  { maxOperations, maxCostBytes }: { maxOperations: number; maxCostBytes: number },
): { batch: Candidate[]; communityBeforeMissed: string | null } {
  const [first, ...others] = candidates;
  if (first === undefined) return { batch: [], communityBeforeMissed: null };
  const communityBytes = new Map([[first.communityId, first.costBytes]]);
  // A candidate's rank is the cost of its community's candidates up to and including it. So communities get
  // equal parts of the batch.
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
  // If no community is missed, `missed` is -1, and there is no candidate before it.
  return { batch, communityBeforeMissed: candidates[missed - 1]?.communityId ?? null };
}
