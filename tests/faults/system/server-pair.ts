import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@badge/embedded-postgres';
import { copyAsStandby, followPrimary, promote } from '@badge/test-support/replicated-servers';
import { query } from '@badge/test-support/sql';
import { databaseTarget, startDatabaseProxy } from '@badge/test-support/tcp-proxy';
import { killPostmaster } from './kill-postmaster.ts';

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ATTACH_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
// Each commit waits for the standby, so a failover loses no acknowledged commit. The second setting makes a
// standby reconnect soon after the primary has changed.
const SETTINGS = "synchronous_standby_names = '*'\nwal_retrieve_retry_interval = '100ms'\n";

/** A primary and its synchronous standby, which can exchange their roles. */
export interface ServerPair {
  /** The URL of the current primary. It changes when the servers exchange their roles. */
  readonly primaryUrl: string;
  /**
   * A URL that always leads to the current primary, through a proxy. Every exchange of roles ends its
   * connections.
   */
  readonly followingUrl: string;
  /**
   * Kills the primary with SIGKILL, and promotes the standby. The old primary becomes the standby, with the
   * files of the new one. Returns the process id of the killed server; undefined if it was not running.
   */
  failOver(): Promise<number | undefined>;
  /** Shuts the primary down, promotes the standby, and starts the old primary as the standby. */
  switchOver(): Promise<void>;
  stop(): Promise<void>;
}

interface Server {
  readonly dataDir: string;
  /** Undefined while it is not running. */
  postgres?: EmbeddedPostgres | undefined;
}

/** Starts both servers, with the database `badge`. The directory must be empty. */
export async function startServerPair(directory: string): Promise<ServerPair> {
  let primary: Server = { dataDir: join(directory, 'server-1') };
  let standby: Server = { dataDir: join(directory, 'server-2') };

  async function start(server: Server): Promise<void> {
    server.postgres = await startEmbeddedPostgres({
      dataDir: server.dataDir,
      name: 'badge',
      log: SILENT_LOG,
    });
  }

  async function stop(server: Server): Promise<void> {
    await server.postgres?.stop();
    server.postgres = undefined;
  }

  /** Starts the standby. Resolves when commits on the primary wait for it. */
  async function startStandby(): Promise<void> {
    await followPrimary(standby.dataDir, primary.postgres);
    await start(standby);
    const synchronousStandbys =
      "select from pg_stat_replication where state = 'streaming' and sync_state = 'sync'";
    const deadlineMs = performance.now() + ATTACH_TIMEOUT_MS;
    while ((await query(urlOf(primary), synchronousStandbys)).length === 0) {
      if (performance.now() > deadlineMs) throw new Error('the standby does not replicate');
      await wait(POLL_MS);
    }
  }

  try {
    // The first start creates the files.
    await start(primary);
    await stop(primary);
    await appendFile(join(primary.dataDir, 'postgres', 'postgresql.auto.conf'), SETTINGS);
    await copyAsStandby(primary.dataDir, standby.dataDir);
    await start(primary);
    await startStandby();
  } catch (error) {
    await Promise.all([stop(primary), stop(standby)]);
    throw error;
  }
  const proxy = await startDatabaseProxy(urlOf(primary));

  async function exchangeRoles(): Promise<void> {
    [primary, standby] = [standby, primary];
    await promote(urlOf(primary));
    proxy.redirectAll(databaseTarget(urlOf(primary)));
    await startStandby();
  }

  return {
    get primaryUrl() {
      return urlOf(primary);
    },
    followingUrl: proxy.url,
    async failOver() {
      const pid = await killPostmaster(join(primary.dataDir, 'postgres'));
      // Otherwise the killed server would be restarted automatically.
      await stop(primary);
      // The old primary may have commits that the standby never received. They were not acknowledged.
      await rm(primary.dataDir, { recursive: true });
      await stop(standby);
      await copyAsStandby(standby.dataDir, primary.dataDir);
      await start(standby);
      await exchangeRoles();
      return pid;
    },
    async switchOver() {
      await stop(primary);
      await writeFile(join(primary.dataDir, 'postgres', 'standby.signal'), '');
      await exchangeRoles();
    },
    async stop() {
      await proxy.stop();
      await Promise.all([stop(standby), stop(primary)]);
    },
  };
}

function urlOf({ postgres }: Server): string {
  if (postgres === undefined) throw new Error('the server is not running');
  const { host, port, user, database } = postgres.connection;
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
