import { BadgeApiError, BadgeConnectionError } from '@badge/sdk';

/**
 * Why a request is repeated:
 * - `offline`: this device has no connection
 * - `unreachable`: the service does not respond, for example during a restart
 * - `unavailable`: the service responds that it cannot serve now, for example because its database is down,
 *   or that the request took too long to arrive
 * - `busy`: too many people behind this IP address send requests
 */
export type ConnectionProblem = 'offline' | 'unreachable' | 'unavailable' | 'busy';

export interface RetryOptions {
  /** Ends the attempts. */
  signal: AbortSignal;
  /** Called with the problem while the request is repeated, and with null when it ends without an abort. */
  onProblem(problem: ConnectionProblem | null): void;
  /** Fires `online` when the connection is back, and `retry` when the person asks for another attempt. */
  wakeUps: EventTarget;
  isOnline(): boolean;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
const WAKE_UP_EVENTS = ['online', 'retry'];

/** Repeats a call until it succeeds. Throws an error that another attempt would get too. */
export async function keepTrying<T>(
  call: () => Promise<T>,
  { signal, onProblem, wakeUps, isOnline }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await call();
      onProblem(null);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const problem = findConnectionProblem(error, isOnline());
      if (problem === null) {
        onProblem(null);
        throw error;
      }
      const retryAfterMs = error instanceof BadgeApiError ? (error.retryAfterMs ?? 0) : 0;
      const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
      // The first short pause is not worth a message.
      if (attempt > 1 || problem === 'offline' || retryAfterMs > 1_000) onProblem(problem);
      // Many people must not retry at the same moment.
      await pause(retryAfterMs + backoffMs * (0.5 + Math.random() / 2), signal, wakeUps);
    }
  }
}

/**
 * Returns the problem of the connection that has caused an error. Returns null for an error that another
 * attempt would get too, such as the error of an operation, which is final.
 */
export function findConnectionProblem(error: unknown, isOnline: boolean): ConnectionProblem | null {
  if (error instanceof BadgeConnectionError) return isOnline ? 'unreachable' : 'offline';
  if (!(error instanceof BadgeApiError) || error.operationId !== null) return null;
  if (error.status === 429) return 'busy';
  // The first attempt is still running.
  if (error.name === 'IdempotencyKeyInUse') return 'unavailable';
  return [408, 503].includes(error.status) ? 'unavailable' : null;
}

/** Resolves after the pause, or when `wakeUps` fires. Rejects when the signal is aborted. */
export async function pause(pauseMs: number, signal: AbortSignal, wakeUps?: EventTarget): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(end, pauseMs);
    function end(): void {
      clearTimeout(timer);
      for (const name of WAKE_UP_EVENTS) wakeUps?.removeEventListener(name, end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    for (const name of WAKE_UP_EVENTS) wakeUps?.addEventListener(name, end);
    signal.addEventListener('abort', end);
  });
}
