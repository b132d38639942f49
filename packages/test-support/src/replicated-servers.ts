import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@badge/embedded-postgres';
import { query } from './sql.ts';

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * A PostgreSQL server and a standby that replicates from it, each on its own socket, with the database
 * `badge`.
 */
export interface ReplicatedServers {
  /** The URLs stay the same when the servers are stopped, started or promoted. */
  primaryUrl: string;
  standbyUrl: string;
  /** Makes the standby a second primary. The first one keeps running. */
  promoteStandby(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Makes commits on the primary wait for the standby. */
  replicateSynchronously(): Promise<void>;
  remove(): Promise<void>;
}

/** Copies the data directory of a stopped server. The copy starts as a standby. */
export async function copyAsStandby(primaryDir: string, standbyDir: string): Promise<void> {
  await cp(primaryDir, standbyDir, { recursive: true, preserveTimestamps: true });
  await writeFile(join(standbyDir, 'postgres', 'standby.signal'), '');
}

/**
 * Makes a stopped standby replicate from a running server, and replay each commit after `delay`, such as
 * `5s`.
 */
export async function followPrimary(
  standbyDir: string,
  primary: EmbeddedPostgres | undefined,
  delay = '0',
): Promise<void> {
  const { host, port, user } = primary?.connection ?? {};
  await appendFile(
    join(standbyDir, 'postgres', 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${host} port=${port} user=${user}'\nrecovery_min_apply_delay = '${delay}'\n`,
  );
}

/** Makes a standby a primary. Resolves when it accepts writes. */
export async function promote(standbyUrl: string): Promise<void> {
  // The promotion waits for the replay. A session that waits for the promotion can block the replay.
  await query(standbyUrl, 'select pg_promote(wait => false)');
  while ((await query(standbyUrl, 'select where pg_is_in_recovery()')).length > 0) await wait(50);
}

/**
 * Starts two embedded servers. Their PostgreSQL has no `pg_basebackup`, so the standby's files are copied
 * instead.
 */
export async function startReplicatedServers(): Promise<ReplicatedServers> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-replicated-'));
  const primaryDir = join(directory, 'primary');
  const standbyDir = join(directory, 'standby');
  const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, name: 'badge', log: SILENT_LOG });
  const running = new Map<string, EmbeddedPostgres>();
  const startAt = async (dataDir: string) => {
    running.set(dataDir, await start(dataDir));
  };
  const stopAt = async (dataDir: string) => {
    await running.get(dataDir)?.stop();
    running.delete(dataDir);
  };
  const remove = async () => {
    await Promise.all([stopAt(standbyDir), stopAt(primaryDir)]);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    await startAt(primaryDir);
    await stopAt(primaryDir);
    await copyAsStandby(primaryDir, standbyDir);
    await startAt(primaryDir);
    await followPrimary(standbyDir, running.get(primaryDir));
    await startAt(standbyDir);
  } catch (error) {
    await remove();
    throw error;
  }

  const urlOf = (dataDir: string) => {
    const { host = '', port, user, database } = running.get(dataDir)?.connection ?? {};
    return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  };
  const primaryUrl = urlOf(primaryDir);
  const standbyUrl = urlOf(standbyDir);
  return {
    primaryUrl,
    standbyUrl,
    promoteStandby: () => promote(standbyUrl),
    stopStandby: () => stopAt(standbyDir),
    startStandby: () => startAt(standbyDir),
    replicateSynchronously: async () => {
      await query(primaryUrl, "alter system set synchronous_standby_names = '*'");
      await query(primaryUrl, 'select pg_reload_conf()');
      const synchronous = "select where exists (select from pg_stat_replication where sync_state = 'sync')";
      while ((await query(primaryUrl, synchronous)).length === 0) await wait(50);
      // The checkpointer makes commits wait. It reads the new settings before a checkpoint, at the latest.
      await query(primaryUrl, 'checkpoint');
    },
    remove,
  };
}
