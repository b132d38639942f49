import type { BadgeClient } from '@badge/sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type ConnectionProblem, keepTrying } from '../../pages/claim/keep-trying.ts';
import { useLeaveQuestion } from '../use-leave-question.ts';
import type { JobPart } from './give-job.ts';
import type { JobStore, StoredJob } from './job-store.ts';
import { runJob } from './run-job.ts';

/**
 * - `stopped`: it is not running, and something is left to do
 * - `running`: it is running in this tab
 * - `elsewhere`: it is running in another tab
 * - `finished`: nothing is left to do
 */
export type RunStatus = 'stopped' | 'running' | 'elsewhere' | 'finished';

export interface GiveRun {
  parts: readonly JobPart[];
  status: RunStatus;
  /** Why the service is asked again and again; null while it responds. */
  problem: ConnectionProblem | null;
  /** What has stopped it; null if nothing has, or if the person has. */
  error: unknown;
  start(): void;
  stop(): void;
}

/** Runs a job as long as the page is open. */
export function useGiveRun(badge: BadgeClient, store: JobStore, stored: StoredJob): GiveRun {
  const { job } = stored;
  const [parts, setParts] = useState<readonly JobPart[]>(stored.parts);
  const [status, setStatus] = useState<RunStatus>(isFinished(stored.parts) ? 'finished' : 'stopped');
  const [problem, setProblem] = useState<ConnectionProblem | null>(null);
  const [error, setError] = useState<unknown>(null);
  const controllerRef = useRef<AbortController>(undefined);

  const start = useCallback(() => {
    controllerRef.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    controllerRef.current = controller;
    setStatus('running');
    setError(null);

    async function run(): Promise<RunStatus> {
      // Another tab may have done some of it.
      const latest = await store.find(job.tokenId);
      if (latest === null || latest.job.jobId !== job.jobId) return 'elsewhere';
      let current = latest.parts;
      setParts(current);
      const retry = { signal, onProblem: setProblem, wakeUps: window, isOnline: () => navigator.onLine };
      const again = <T>(call: () => Promise<T>) => keepTrying(call, retry);
      const { kind, apiKeyId, address } = await again(() => badge.getCaller({ signal }));
      await runJob(job, current, {
        badge,
        caller: `${kind}/${apiKeyId ?? address ?? ''}`,
        signal,
        keepTrying: again,
        async savePart(part) {
          await store.savePart(part);
          current = current.map((other) => (other.index === part.index ? part : other));
          setParts(current);
        },
      });
      return 'finished';
    }

    runAlone(job.jobId, run)
      .then(
        (ended) => setStatus(ended ?? 'elsewhere'),
        (caught: unknown) => {
          setStatus('stopped');
          if (!signal.aborted) setError(caught);
        },
      )
      .finally(() => setProblem(null));
  }, [badge, store, job]);

  const stop = useCallback(() => controllerRef.current?.abort(), []);
  useEffect(() => stop, [stop]);

  useLeaveQuestion(status === 'running');

  return { parts, status, problem, error, start, stop };
}

function isFinished(parts: readonly JobPart[]): boolean {
  return parts.every(({ isDone }) => isDone);
}

/** Calls `run` unless another tab is running the same job. Returns null then. */
async function runAlone<T>(jobId: string, run: () => Promise<T>): Promise<T | null> {
  // Without HTTPS, browsers have no locks. Then two tabs would send the same keys, which gives nobody two
  // badges.
  if (navigator.locks === undefined) return await run();
  const options = { ifAvailable: true };
  return await navigator.locks.request(`badge.give.${jobId}`, options, async (lock) =>
    lock === null ? null : await run(),
  );
}
