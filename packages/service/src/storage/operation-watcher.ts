import type { Database } from './database.ts';
import { findOperations, type OperationRow } from './operations.ts';
import type { Signals } from './signals.ts';

// Notifications are lost if their connection breaks; polling limits the delay.
const POLL_MS = 1_000;

export interface OperationWatcher {
  /** Resolves when the operation is final, at the timeout, when `signal` aborts, or when the watcher stops. */
  waitUntilFinal(operationId: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  stop(): void;
}

/** Waits for operations to become final. Each notification costs at most one query, however many requests wait. */
export function watchOperations(
  db: Database,
  signals: Signals,
  onError: (error: unknown) => void,
): OperationWatcher {
  const waiting = new Map<string, Set<() => void>>();
  let poll: NodeJS.Timeout | undefined;
  let isChecking = false;
  let isCheckWanted = false;
  let isStopped = false;

  function endWaitsIfFinal(operation: OperationRow): void {
    if (operation.status !== 'success' && operation.status !== 'error') return;
    for (const resume of waiting.get(operation.operation_id) ?? []) resume();
  }

  async function check(): Promise<void> {
    isCheckWanted = true;
    if (isChecking) return;
    isChecking = true;
    while (isCheckWanted && waiting.size > 0) {
      isCheckWanted = false;
      try {
        for (const operation of await findOperations(db, [...waiting.keys()])) endWaitsIfFinal(operation);
      } catch (error) {
        onError(error);
      }
    }
    isChecking = false;
  }

  signals.on('badge_operations_settled', () => void check());

  function waitUntilFinal(operationId: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (isStopped || timeoutMs === 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const resumes = waiting.get(operationId) ?? new Set();
      waiting.set(operationId, resumes);
      const timer = setTimeout(resume, timeoutMs);
      function resume(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', resume);
        resumes.delete(resume);
        if (resumes.size === 0) waiting.delete(operationId);
        if (waiting.size === 0) {
          clearInterval(poll);
          poll = undefined;
        }
        resolve();
      }
      signal?.addEventListener('abort', resume);
      resumes.add(resume);
      poll ??= setInterval(() => void check(), POLL_MS);
      void check();
    });
  }

  return {
    waitUntilFinal,
    stop: () => {
      isStopped = true;
      for (const resumes of [...waiting.values()]) for (const resume of [...resumes]) resume();
    },
  };
}
