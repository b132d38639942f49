import type { Context } from '../context.ts';
import { HEARTBEAT_INTERVAL_MS, type Job, type JobQueue, SUPERVISION_INTERVAL_MS } from '../storage/jobs.ts';
import { CLEAN_UP_PAUSE_MS, type Loop, startLoop } from './loop.ts';

const MAX_BACKOFF_MS = 5_000;

export interface JobWork {
  queue: JobQueue;
  /** How many jobs this process works on at a time. */
  concurrency: number;
  /** How many jobs of a group are worked on at a time, in all processes. */
  perGroup: number;
  /**
   * Works on a job. If it rejects, the job is retried later. A job can run twice, and after a crash of the process. The
   * signal says that the process stops: the job ends soon, and adds a job for what is left.
   */
  handle(job: Job, signal: AbortSignal): Promise<void>;
}

/** Takes jobs from a queue and works on them until it is stopped. A stop waits for the active jobs. */
export function startJobs(context: Context, { queue, concurrency, perGroup, handle }: JobWork): Loop {
  const active = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  async function takeJobs(): Promise<boolean> {
    const limit = concurrency - active.size;
    // The end of a job wakes the loop.
    if (limit === 0) return false;
    const jobs = await context.jobs.take(queue, { limit, perGroup });
    for (const job of jobs) active.set(job.jobId, run(job));
    return jobs.length > 0;
  }

  async function run(job: Job): Promise<void> {
    const { jobId } = job;
    try {
      await handle(job, stopping.signal);
      await context.jobs.finish(queue, jobId);
    } catch (error) {
      context.log.warn({ err: error, queue, jobId }, 'a job failed and is retried');
      // If this fails too, the job is retried because its heartbeats end.
      await context.jobs.fail(queue, jobId).catch(() => undefined);
    } finally {
      active.delete(jobId);
      takes.wake();
    }
  }

  async function keepJobsAlive(): Promise<boolean> {
    if (active.size > 0) await context.jobs.keepAlive(queue, [...active.keys()]);
    return false;
  }

  const onError = (error: unknown) =>
    context.log.warn({ err: error, queue }, 'taking jobs failed and is retried');
  const takes = startLoop({ work: takeJobs, onError, maxBackoffMs: MAX_BACKOFF_MS });
  const heartbeats = startLoop({
    work: keepJobsAlive,
    onError,
    maxBackoffMs: MAX_BACKOFF_MS,
    pollMs: HEARTBEAT_INTERVAL_MS,
  });
  return {
    wake: () => takes.wake(),
    stop: async () => {
      stopping.abort();
      await takes.stop();
      await Promise.all(active.values());
      await heartbeats.stop();
    },
  };
}

/** Lets the jobs of killed workers be taken again. */
export function startSupervisingJobs({ jobs, log }: Context): Loop {
  return startLoop({
    work: async () => {
      await jobs.supervise();
      return false;
    },
    onError: (error) => log.warn({ err: error }, 'supervising jobs failed and is retried'),
    maxBackoffMs: MAX_BACKOFF_MS,
    pollMs: SUPERVISION_INTERVAL_MS,
    firstPauseMs: CLEAN_UP_PAUSE_MS,
  });
}
