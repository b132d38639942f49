import type { Database } from './database.ts';
import { findTimeout } from './database-errors.ts';
import { type CommunityBacklog, computeCost, listBacklogs } from './queue.ts';
import type { Signals } from './signals.ts';

const POLL_MS = 1_000;
// If a poll takes long, the next one waits for ten times as long, so that polls use little of the database.
const PAUSE_FACTOR = 10;
// An accepted operation must be final within 60 seconds. If operations arrive three times as fast as they are
// settled, the oldest one reaches this age after 22.5 seconds. The last one that is accepted by then is final
// 45 seconds later.
const MAX_AGE_MS = 15_000;
// The limit for what a community's operations cost together: about 130 allowlists of 10,000 addresses, or
// 14,000 tokens without an allowlist.
const MAX_COMMUNITY_COST_BYTES = 64 * 1024 * 1024;
// Operations without an API key are refused above half of the limit. The other half is left to operations
// with a key.
const MAX_KEYLESS_COST_BYTES = MAX_COMMUNITY_COST_BYTES / 2;
// The operations that this process is inserting also use its memory. The first limit is for one community.
// The second is for all communities together, which share it equally.
const MAX_COMMUNITY_INSERTING_BYTES = 16 * 1024 * 1024;
const MAX_INSERTING_BYTES = 64 * 1024 * 1024;

/** An operation that is about to be accepted. `requestBytes` is the size of its request. */
export interface BacklogAddition {
  communityId: string;
  requestBytes: number;
  hasApiKey: boolean;
}

/**
 * Why an operation is not accepted:
 * - `stalled`: some operation is too old, and no operation of any community was settled recently.
 * - `tooOld`: the community's oldest pending operation is too old.
 * - `tooLarge`: the community's pending operations, or those of its operations that this process is
 *   inserting, cost too much together.
 */
export type BacklogObstacle = 'stalled' | 'tooOld' | 'tooLarge';

export interface BacklogWatcher {
  /** Returns why the operation cannot be accepted now; null if it can. */
  findObstacle(addition: BacklogAddition): BacklogObstacle | null;
  /** Calls `insert`, and counts the operation in the backlog of its community. */
  countInsert<Result>(addition: BacklogAddition, insert: () => Promise<Result>): Promise<Result>;
  /**
   * Returns whose operations are refused because of the age of the backlog:
   * - `stalled`: those of all communities.
   * - `tooOld`: those of communities whose oldest pending operation is too old.
   * - null: those of no community.
   */
  findOldBacklog(): 'stalled' | 'tooOld' | null;
  stop(): void;
}

/**
 * Polls the backlog of each community every second, as long as callers ask for it or an operation is pending.
 * The operations that this process accepts between two polls are added.
 */
export function watchBacklog(db: Database, signals: Pick<Signals, 'on'>): BacklogWatcher {
  let backlogs = new Map<string, CommunityBacklog>();
  let oldestAgeMs = 0;
  const insertingBytes = new Map<string, number>();
  // The cost, by community, of what this process has inserted: since the last successful poll began, and
  // since the current poll began. The result of a poll may lack what is inserted while it runs.
  let insertedBytes = new Map<string, number>();
  let insertedDuringPollBytes = new Map<string, number>();
  let settledAtMs = performance.now();
  let wasAsked = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  signals.on('badge_operations_settled', () => {
    settledAtMs = performance.now();
  });

  async function poll(): Promise<void> {
    wasAsked = false;
    const startedMs = performance.now();
    let pauseMs = POLL_MS;
    insertedDuringPollBytes = new Map();
    try {
      const listed = await listBacklogs(db);
      backlogs = new Map(listed.map((backlog) => [backlog.communityId, backlog]));
      oldestAgeMs = Math.max(0, ...listed.map((backlog) => backlog.oldestAgeMs));
      insertedBytes = insertedDuringPollBytes;
      insertedDuringPollBytes = new Map();
      if (listed.length === 0) settledAtMs = performance.now();
      pauseMs = findPauseMs(startedMs);
    } catch (error) {
      // Keeps the last values. If the database does not respond, writes fail anyway. After a lost connection,
      // the next poll must not wait long: the last values may be those of an old primary.
      if (findTimeout(error) !== undefined) pauseMs = findPauseMs(startedMs);
    }
    timer = undefined;
    if (wasAsked || backlogs.size > 0) pollIn(pauseMs);
  }

  // While a poll is planned or running, `timer` is set, so polls do not overlap.
  function pollIn(ms: number): void {
    if (!isStopped) timer ??= setTimeout(poll, ms);
  }

  function startPolling(): void {
    wasAsked = true;
    pollIn(0);
  }

  function isStalled(): boolean {
    return oldestAgeMs > MAX_AGE_MS && performance.now() - settledAtMs > MAX_AGE_MS;
  }

  function isTooLarge({ communityId, requestBytes, hasApiKey }: BacklogAddition): boolean {
    const pendingBytes = backlogs.get(communityId)?.costBytes ?? 0;
    const inserting = insertingBytes.get(communityId) ?? 0;
    const costBytes = pendingBytes + (insertedBytes.get(communityId) ?? 0) + inserting;
    if (costBytes > (hasApiKey ? MAX_COMMUNITY_COST_BYTES : MAX_KEYLESS_COST_BYTES)) return true;
    const maxInsertingBytes = Math.min(
      MAX_COMMUNITY_INSERTING_BYTES,
      MAX_INSERTING_BYTES / Math.max(1, insertingBytes.size),
    );
    // One operation is always allowed, however large it is.
    return inserting > 0 && inserting + computeCost(requestBytes) > maxInsertingBytes;
  }

  return {
    findObstacle: (addition) => {
      startPolling();
      if (isStalled()) return 'stalled';
      const backlog = backlogs.get(addition.communityId);
      if (backlog !== undefined && backlog.oldestAgeMs > MAX_AGE_MS) return 'tooOld';
      return isTooLarge(addition) ? 'tooLarge' : null;
    },
    countInsert: async ({ communityId, requestBytes }, insert) => {
      const costBytes = computeCost(requestBytes);
      add(insertingBytes, communityId, costBytes);
      try {
        const result = await insert();
        add(insertedBytes, communityId, costBytes);
        add(insertedDuringPollBytes, communityId, costBytes);
        return result;
      } finally {
        add(insertingBytes, communityId, -costBytes);
        if (insertingBytes.get(communityId) === 0) insertingBytes.delete(communityId);
      }
    },
    findOldBacklog: () => {
      startPolling();
      if (isStalled()) return 'stalled';
      return oldestAgeMs > MAX_AGE_MS ? 'tooOld' : null;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function findPauseMs(startedMs: number): number {
  return Math.max(POLL_MS, PAUSE_FACTOR * (performance.now() - startedMs));
}

function add(bytes: Map<string, number>, communityId: string, amount: number): void {
  bytes.set(communityId, (bytes.get(communityId) ?? 0) + amount);
}
