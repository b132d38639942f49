import type { Context } from '../context.ts';
import { type Loop, startLoop } from './loop.ts';

const MAX_BACKOFF_MS = 5_000;

export interface TurnWork<Turn> {
  /** The name of the queue, for the log. */
  queue: string;
  /** How many turns this process serves at a time. */
  concurrency: number;
  /** The pause before the first turn. */
  firstPauseMs: number;
  /** Takes up to `limit` turns that are due, so that no other process serves them. */
  take(limit: number): Promise<Turn[]>;
  /**
   * Sends what is due, and ends the turn. If it rejects, or if the process is killed, another turn follows
   * after the lease of this one. The signal says that the process stops: the turn ends soon.
   */
  run(turn: Turn, signal: AbortSignal): Promise<void>;
}

/** Serves the turns of a queue until it is stopped. A stop waits for those that have begun. */
export function startTurns<Turn>(
  { log }: Context,
  { queue, concurrency, firstPauseMs, take, run }: TurnWork<Turn>,
): Loop {
  const active = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function serveTurns(): Promise<boolean> {
    const limit = concurrency - active.size;
    // The end of a turn wakes the loop.
    if (limit === 0) return false;
    const turns = await take(limit);
    for (const turn of turns) {
      const running = run(turn, stopping.signal)
        .catch((error: unknown) => log.warn({ err: error, queue }, 'a turn failed and is retried'))
        .finally(() => {
          active.delete(running);
          loop.wake();
        });
      active.add(running);
    }
    return turns.length > 0;
  }

  const loop = startLoop({
    work: serveTurns,
    onError: (error) => log.warn({ err: error, queue }, 'serving turns failed and is retried'),
    maxBackoffMs: MAX_BACKOFF_MS,
    firstPauseMs,
  });
  return {
    wake: () => loop.wake(),
    stop: async () => {
      stopping.abort();
      await loop.stop();
      await Promise.all(active);
    },
  };
}
