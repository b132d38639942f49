import { Worker } from 'node:worker_threads';
import type { Deployment } from '../storage/deployment.ts';
import { NOUNS, type Noun } from './nouns.ts';
import { ArchiveError } from './tar.ts';

const NAMES = ['signatures', 'tokens', 'claim-link-signatures'];
/** The files whose signatures a thread verifies, because each of their lines has one. */
export const NOUNS_OF_THREAD: Noun[] = NOUNS.filter(({ name }) => NAMES.includes(name));

/** What the thread gets. */
export interface ThreadTask {
  file: string;
  deployment: Deployment;
}

/** What it sends: the bytes of lines that are right, or what is wrong with the archive. */
export type ThreadReport = { bytes: number } | { problem: string };

export interface Verification {
  /** Resolves when every signature is right, and rejects as soon as one is wrong. */
  ended: Promise<void>;
  /** Throws what is known to be wrong until now. */
  check(): void;
  stop(): Promise<void>;
}

/**
 * Verifies the signatures of an archive while its lines are imported. A signature takes as much processor
 * time as PostgreSQL needs for all lines of its claim, so the two share two cores.
 */
export function verifyInThread(task: ThreadTask, onBytes: (bytes: number) => void): Verification {
  const worker = new Worker(new URL('./verification-thread.ts', import.meta.url), { workerData: task });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    reject(failure);
  };
  worker.on('message', (report: ThreadReport) => {
    if ('problem' in report) fail(new ArchiveError(report.problem));
    else onBytes(report.bytes);
  });
  worker.on('error', fail);
  worker.on('exit', (code) => {
    if (code === 0) resolve();
    else fail(new Error(`the verification of signatures ended with ${code}`));
  });
  // Who asks later, or has failed before, gets it from `ended` all the same.
  ended.catch(() => undefined);
  return {
    ended,
    check: () => {
      if (failure !== undefined) throw failure;
    },
    stop: async () => void (await worker.terminate()),
  };
}
