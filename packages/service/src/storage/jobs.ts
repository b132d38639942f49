import { CompiledQuery, type QueryResult, sql } from 'kysely';
import { type JobInsert, PgBoss } from 'pg-boss';
import type { Database } from './database.ts';

// Jobs send messages to other servers, which can be slow or broken. pg-boss stores them in tables of
// its own, and decides which job is next. None of its timers run: the worker calls the functions below
// (worker/work-jobs.ts). docs/decisions/0043-messages-are-jobs-of-pg-boss.md

/** The schema of pg-boss's tables. Only pg-boss reads and writes them. */
const SCHEMA = 'pgboss';

const QUEUES = ['webhooks', 'mail'] as const;
export type JobQueue = (typeof QUEUES)[number];

// A worker that is killed sends no heartbeat any more. Its jobs are then taken again: after HEARTBEAT_SECONDS, the time
// until the next supervision, and the first delay of a retry. Together, this is less than a minute.
const HEARTBEAT_SECONDS = 30;
const SUPERVISION_SECONDS = 10;
const MAX_JOB_SECONDS = 900;
const YEAR_SECONDS = 365 * 86_400;
const QUEUE_OPTIONS = {
  // A failed job is retried until it succeeds. What gives up is the code of the job, not the queue.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: MAX_JOB_SECONDS,
  retentionSeconds: YEAR_SECONDS,
};

export interface NewJob<Data extends object = object> {
  /** Jobs of one group have a share of the workers: the id of the community. */
  group: string;
  /** Stored as it is, so it must not contain secrets. */
  data: Data;
  /** By the clock of the database. Default: at once. */
  startAfterSeconds?: number;
}

export interface Job<Data extends object = object> {
  jobId: string;
  group: string;
  data: Data;
}

export interface Jobs {
  /** Adds jobs in a transaction. They exist if it commits, and no worker sees them before. */
  add(tx: Database, queue: JobQueue, jobs: NewJob[]): Promise<void>;
  /**
   * Takes up to `limit` jobs, the oldest first, but only so many of a group that at most about `perGroup` of it are active
   * in all processes. Two processes that take jobs at the same moment can exceed this. Call it again until it returns none.
   */
  take(queue: JobQueue, options: { limit: number; perGroup: number }): Promise<Job[]>;
  /** Removes a job that is done. */
  finish(queue: JobQueue, jobId: string): Promise<void>;
  /** Lets a job be taken again after a delay, which grows with the number of failures. */
  fail(queue: JobQueue, jobId: string): Promise<void>;
  /** Says that the jobs are still active. To be called at least every `HEARTBEAT_INTERVAL_MS`. */
  keepAlive(queue: JobQueue, jobIds: string[]): Promise<void>;
  /** Lets the jobs of killed workers be taken again. To be called every `SUPERVISION_INTERVAL_MS` in each worker. */
  supervise(): Promise<void>;
}

export const HEARTBEAT_INTERVAL_MS = (1_000 * HEARTBEAT_SECONDS) / 3;
export const SUPERVISION_INTERVAL_MS = 1_000 * SUPERVISION_SECONDS;

/** `direct` connects to the server itself, because pg-boss supervises with several statements at a time. */
export function createJobs(database: Database, direct: Database): Jobs {
  const boss = openBoss(database);
  const supervisor = openBoss(direct);
  return {
    add: async (tx, queue, jobs) => {
      if (jobs.length === 0) return;
      await boss.insert(queue, jobs.map(toInsert), { db: toBossDatabase(tx) });
    },
    take: async (queue, { limit, perGroup }) => {
      const options = { batchSize: limit, groupConcurrency: perGroup };
      const jobs = await boss.fetch<object>(queue, options);
      return jobs.map(({ id, groupId, data }) => ({ jobId: id, group: groupId ?? '', data }));
    },
    finish: async (queue, jobId) => {
      await boss.deleteJob(queue, jobId);
    },
    fail: async (queue, jobId) => {
      await boss.fail(queue, jobId);
    },
    keepAlive: async (queue, jobIds) => {
      await boss.touch(queue, jobIds);
    },
    supervise: async () => await supervisor.supervise(),
  };
}

function toInsert({ group, data, startAfterSeconds }: NewJob): JobInsert {
  return {
    data,
    group: { id: group },
    // pg-boss reads a number as an interval from the time of the database.
    ...(startAfterSeconds === undefined ? {} : { startAfter: Math.max(0, startAfterSeconds).toFixed(3) }),
  };
}

/** Creates the tables of pg-boss, or migrates them to its version, and creates the queues. `connection` is one session. */
export async function prepareJobs(connection: Database): Promise<void> {
  const boss = openBoss(connection, { migrate: true });
  await boss.start();
  try {
    for (const queue of QUEUES) await boss.createQueue(queue, QUEUE_OPTIONS);
  } finally {
    await boss.stop({ graceful: false });
  }
}

function openBoss(database: Database, { migrate = false } = {}): PgBoss {
  const boss = new PgBoss({
    db: toBossDatabase(database),
    schema: SCHEMA,
    migrate,
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
  });
  // Only its timers would report errors this way.
  boss.on('error', () => undefined);
  return boss;
}

function toBossDatabase(database: Database) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => {
      const query = CompiledQuery.raw(text, values);
      const { rows } = BEGINS_TRANSACTION.test(text)
        ? await database.connection().execute((session) => executeTransaction(session, query))
        : await database.executeQuery<Row>(query);
      return { rows: [...rows] };
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: pg-boss knows the rows of its statements
type Row = any;
const BEGINS_TRANSACTION = /^\s*begin\b/i;

// The text begins and commits a transaction itself. If it fails, the transaction would stay open in the session.
async function executeTransaction(session: Database, query: CompiledQuery): Promise<QueryResult<Row>> {
  try {
    return await session.executeQuery<Row>(query);
  } catch (error) {
    await sql`rollback`.execute(session);
    throw error;
  }
}
