import type { Database } from './database.ts';
import { findLastPositions } from './events.ts';
import { findOperations } from './operations.ts';
import type { Signal, Signals } from './signals.ts';

// Notifications are lost if their connection breaks; polling limits the delay.
const POLL_MS = 1_000;

/** The place in a community's feed after which an event is awaited. */
interface FeedPlace {
  communityId: string;
  position: number;
}

/** Resolves when the subject is as awaited, at the timeout, when `signal` aborts, or at the stop. */
type Wait<Subject> = (subject: Subject, timeoutMs: number, signal?: AbortSignal) => Promise<void>;

/** Lets requests wait for what other requests write. */
export interface Waits {
  /** Waits until the operation is final. */
  untilFinal: Wait<string>;
  /** Waits until the feed has an event after the place. */
  untilEvent: Wait<FeedPlace>;
  stop(): void;
}

export function createWaits(db: Database, signals: Signals, onError: (error: unknown) => void): Waits {
  const operations = createWaitsOfKind<string>({
    signals,
    signal: 'badge_operations_settled',
    onError,
    check: async (operationIds) => {
      const found = await findOperations(db, operationIds);
      const final = found.filter((row) => row?.status === 'success' || row?.status === 'error');
      const finalIds = new Set(final.map((row) => row?.operation_id));
      return (operationId) => finalIds.has(operationId);
    },
  });
  const events = createWaitsOfKind<FeedPlace>({
    signals,
    signal: 'badge_events_placed',
    onError,
    check: async (places) => {
      const lastPositions = await findLastPositions(db, [
        ...new Set(places.map(({ communityId }) => communityId)),
      ]);
      return ({ communityId, position }) => (lastPositions.get(communityId) ?? 0) > position;
    },
  });
  return {
    untilFinal: operations.wait,
    untilEvent: events.wait,
    stop: () => {
      operations.stop();
      events.stop();
    },
  };
}

interface Kind<Subject> {
  signals: Signals;
  /** After this signal, a wait can be over. */
  signal: Signal;
  onError(error: unknown): void;
  /**
   * Queries the subjects, of which some may be equal. Returns a function that says whether the wait for one
   * is over.
   */
  check(subjects: Subject[]): Promise<(subject: Subject) => boolean>;
}

/** Each signal costs at most one query, however many requests wait. */
function createWaitsOfKind<Subject>(kind: Kind<Subject>): { wait: Wait<Subject>; stop(): void } {
  const waits = new Set<{ subject: Subject; resume(): void }>();
  let poll: NodeJS.Timeout | undefined;
  let isChecking = false;
  let isCheckWanted = false;
  let isStopped = false;

  async function check(): Promise<void> {
    isCheckWanted = true;
    if (isChecking) return;
    isChecking = true;
    while (isCheckWanted && waits.size > 0) {
      isCheckWanted = false;
      try {
        const isOver = await kind.check([...waits].map(({ subject }) => subject));
        for (const { subject, resume } of [...waits]) if (isOver(subject)) resume();
      } catch (error) {
        kind.onError(error);
      }
    }
    isChecking = false;
  }

  kind.signals.on(kind.signal, () => void check());

  return {
    wait(subject, timeoutMs, signal) {
      if (isStopped || timeoutMs === 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wait = { subject, resume };
        const timer = setTimeout(resume, timeoutMs);
        function resume(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', resume);
          waits.delete(wait);
          if (waits.size === 0) {
            clearInterval(poll);
            poll = undefined;
          }
          resolve();
        }
        signal?.addEventListener('abort', resume);
        waits.add(wait);
        poll ??= setInterval(() => void check(), POLL_MS);
        void check();
      });
    },
    stop: () => {
      isStopped = true;
      for (const { resume } of [...waits]) resume();
    },
  };
}
