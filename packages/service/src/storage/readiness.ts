import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { DatabaseReadOnly, isConnectionRefused } from './database-errors.ts';
import { isMigrated } from './migrate.ts';
import { findPoolerProblem } from './pooler.ts';
import type { Replacement } from './replacement.ts';

// Checks also run if nobody asks for the readiness, because every process must notice when the address of the
// database leads to another server.
const CHECK_INTERVAL_MS = 5_000;
// Calls within this time share a check, so that frequent probes cause at most one commit per second.
const MAX_AGE_MS = 1_000;
const COMMIT_TIMEOUT_MS = 2_000;

export interface ReadinessWatcher {
  /** Returns null if the database is ready, otherwise the reason. The result is at most a second old. */
  findProblem(): Promise<string | null>;
  stop(): void;
}

export interface ReadinessOptions {
  replacement: Replacement;
  /** If a check takes longer, `findProblem` returns that the database does not respond. */
  timeoutMs: number;
  /**
   * Connections through the pooler, if there is one. They must not check their sessions (`mayBeReadOnly`).
   */
  pooledMonitor?: Database | undefined;
}

/**
 * Checks that the database is migrated and that commits return, when asked and every five seconds. Replaces
 * all connections when the database's address leads to another server, or to none. `db` needs two
 * connections, so that one can cancel a commit of the other. Over TCP, they must be replaced every few
 * seconds, because only a new connection leads to the new server.
 */
export function watchReadiness(
  db: Database,
  { replacement, timeoutMs, pooledMonitor }: ReadinessOptions,
): ReadinessWatcher {
  let server: string | undefined;
  let isRefused = false;
  let running: Promise<string | null> | undefined;
  let last: { problem: string | null; checkedAtMs: number } | undefined;

  async function check(): Promise<string | null> {
    try {
      return await db.connection().execute(async (connection) => {
        const { pid, identity } = await readSession(connection);
        isRefused = false;
        const isOtherServer = server !== undefined && identity !== server;
        server = identity;
        if (isOtherServer) replacement.replace(replacement.count());
        if (!(await isMigrated(connection))) return 'The database is not migrated to this release.';
        return (
          (await findCommitProblem(connection, pid)) ??
          (pooledMonitor ? await findPooledProblem(connection, pooledMonitor) : null)
        );
      });
    } catch (error) {
      // The address leads to no server. The open connections lead to its former server, whose data can soon
      // be old.
      if (isConnectionRefused(error) && !isRefused) replacement.replace(replacement.count());
      isRefused = isConnectionRefused(error);
      return error instanceof DatabaseReadOnly ? error.message : 'The database cannot be reached.';
    }
  }

  async function findPooledProblem(connection: Database, pooled: Database): Promise<string | null> {
    try {
      const problem = await findPoolerProblem(connection, pooled, { mayEndSession: true });
      return problem && `${problem.found}.`;
    } catch {
      return 'The pooler cannot be reached.';
    }
  }

  // Commits a message to the write-ahead log. Like the commit of a request, it waits for the disk and for
  // synchronous standbys. A transaction that only reads, or only gets a transaction id, would not wait.
  async function findCommitProblem(connection: Database, pid: number): Promise<string | null> {
    let cancellation: Promise<string | null> | undefined;
    const timer = setTimeout(() => {
      cancellation = cancelCommit(pid).catch(() => null);
    }, COMMIT_TIMEOUT_MS);
    try {
      await sql`select pg_logical_emit_message(true, 'badge', '')`.execute(connection);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (cancellation === undefined) return 'The database rejects writes.';
    } finally {
      clearTimeout(timer);
    }
    if (cancellation === undefined) return null;
    return (await cancellation) === 'SyncRep'
      ? 'Commits wait for a synchronous standby.'
      : `Commits take longer than ${COMMIT_TIMEOUT_MS / 1_000} seconds.`;
  }

  // PostgreSQL has no timeout for a commit. Without the cancellation, each check would leave a session behind
  // that waits until the standby returns. Returns the wait event of the commit, such as `SyncRep`.
  async function cancelCommit(pid: number): Promise<string | null> {
    const { rows } = await sql<{ wait_event: string | null }>`
      select wait_event, pg_cancel_backend(pid) from pg_stat_activity where pid = ${pid}`.execute(db);
    return rows[0]?.wait_event ?? null;
  }

  async function findProblem(): Promise<string | null> {
    if (last !== undefined && performance.now() - last.checkedAtMs < MAX_AGE_MS) return last.problem;
    running ??= check().then((problem) => {
      last = { problem, checkedAtMs: performance.now() };
      running = undefined;
      return problem;
    });
    const timeout = wait(timeoutMs, 'The database does not respond.', { ref: false });
    return await Promise.race([running, timeout]);
  }

  const timer = setInterval(() => void findProblem(), CHECK_INTERVAL_MS);
  void findProblem();
  return { findProblem, stop: () => clearInterval(timer) };
}

// A server's start time and address distinguish it from every other server.
async function readSession(connection: Database): Promise<{ pid: number; identity: string }> {
  const { rows } = await sql<{ pid: number; identity: string }>`
    select pg_backend_pid() as pid,
           concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port()) as identity`.execute(
    connection,
  );
  const [session] = rows;
  if (session === undefined) throw new Error('the database returned no row');
  return session;
}
