import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import { ENTRY_POINT } from '@badge/test-support/badge-process';
import { copyAsStandby, followPrimary } from '@badge/test-support/replicated-servers';
import { type SupervisedBadge, superviseBadge } from '@badge/test-support/supervised-badge';
import { makeKey } from '../../../packages/service/src/domain/api-keys/rules.ts';
import { ATTACKED_SERVICE } from '../attacks/attacked-service.ts';
import { type LossyDatabaseProxy, startLossyDatabaseProxy } from './database-proxy.ts';
import { killPostmaster } from './kill-postmaster.ts';
import { type ServerPair, startServerPair } from './server-pair.ts';
import { mountSmallDisks, type SmallDisks } from './small-disk.ts';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
// A delayed standby is this far behind the primary. A service that reads from it misses what was accepted in
// this time, so the checks find the mistake.
const STANDBY_DELAY = '5s';
// The start fails if processes exit this often.
const MAX_EXITS_AT_START = 3;
const CLOCK_MODULE = fileURLToPath(new URL('./shifted-clock.ts', import.meta.url));
const ROLES = ['all', 'api', 'worker'] as const;

/** How a system is built. */
export interface Layout {
  /**
   * `embedded`: one process that runs PostgreSQL. `separate`: a process for each role, and PostgreSQL behind
   * a proxy.
   */
  database: 'embedded' | 'separate';
  hasSmallDisks: boolean;
  /** `delayed`: some seconds behind the primary. `synchronous`: commits wait for it. Both need `separate`. */
  standby: 'none' | 'delayed' | 'synchronous';
  /**
   * The service has rate limits, and trusts the `X-Forwarded-For` of the load. Only attacks and kills are
   * injected.
   */
  isAttacked: boolean;
}

/**
 * The service processes that the load uses, and their database. faults/failover has another implementation.
 */
export interface SystemUnderLoad {
  processes: SupervisedBadge[];
  /** The processes that serve the API. */
  apis: SupervisedBadge[];
  isAttacked: boolean;
  /** The database, for the checks. In a `System`, the checks do not use the proxy that the service uses. */
  databaseUrl: string;
  apiKey: string;
  adminKey: string;
  /** Returns true if every process is ready. */
  isUp(): boolean;
}

/** Service processes and the PostgreSQL that they share. */
export interface System extends SystemUnderLoad {
  name: string;
  /** Null in the layout `embedded`. */
  proxy: LossyDatabaseProxy | null;
  disks: SmallDisks | null;
  /** The directory of the delayed standby's socket; null if there is none. */
  standbySocketDir: string | null;
  /** The primary and its synchronous standby. Null if the layout has no synchronous standby. */
  serverPair: ServerPair | null;
  /**
   * Kills the postmaster with SIGKILL, and returns its process id; undefined if it is not running. Null for a
   * pair of servers.
   */
  killPostgres: (() => Promise<number | undefined>) | null;
  /** The variables that all its processes have: keys and secrets, and how they log. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  name: string;
  layout: Layout;
  /** An empty directory that every user can enter. */
  directory: string;
  /** A module that each process loads before the service, and the text that the process then logs. */
  mutant?: { module: string; logLine: string };
}

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Stops one part of a system. */
type Stop = () => Promise<void>;

/** Starts PostgreSQL and the service processes. Resolves when all are ready. */
export async function startSystem({ name, layout, directory, mutant }: SystemOptions): Promise<System> {
  const stops: Stop[] = [];
  const stop = async () => {
    const errors: unknown[] = [];
    for (const end of stops.splice(0).reverse()) await end().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'the system was not stopped completely');
  };
  try {
    const { proxy, ...database } = await startDatabase({ layout, directory, stops });
    const secretFiles = await writeSecretFiles(directory);
    const keys = { apiKey: makeKey('sandbox'), adminKey: makeKey('admin') };
    const imports = [CLOCK_MODULE, ...(mutant === undefined ? [] : [mutant.module])];
    const commonEnv = {
      LOG_LEVEL: 'warn',
      BADGE_DEMO_API_KEY: keys.apiKey,
      BADGE_ADMIN_KEY: keys.adminKey,
      ...secretFiles,
      ...(layout.isAttacked ? ATTACKED_SERVICE : {}),
    };
    const start = (role: string, env: Record<string, string>) =>
      superviseBadge(role, { ...commonEnv, ...env }, { file: ENTRY_POINT, imports });

    for (const role of ROLES) await mkdir(join(directory, role));
    const processes =
      proxy === null
        ? [start('all', { BADGE_DATA_DIR: join(directory, 'database') })]
        : ROLES.map((role, index) =>
            start(role, {
              BADGE_DATA_DIR: join(directory, role),
              BADGE_ROLE: role,
              DATABASE_URL: proxy.url,
              // A worker without a port reports that it is ready only in its log, at the level info.
              ...(role === 'worker' ? { PORT: '', LOG_LEVEL: 'info' } : {}),
              // Each process starts with another clock offset (shifted-clock.ts).
              FAULTS_CLOCK_OFFSET_INDEX: String(index),
            }),
          );
    stops.push(async () => void (await Promise.all(processes.map((service) => service.stop()))));
    const apis = processes.filter(({ name }) => name !== 'worker');
    const system: System = {
      name,
      processes,
      apis,
      isAttacked: layout.isAttacked,
      ...database,
      ...keys,
      env: commonEnv,
      proxy,
      isUp: () => processes.every(({ isReady }) => isReady),
      stop,
    };
    await waitUntilUp(system, MAX_EXITS_AT_START);
    if (mutant !== undefined) await waitForMutation(system, mutant.logLine);
    return system;
  } catch (error) {
    // The first error says why the start failed.
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Writes the secrets that all processes of a system share. Returns their variables. */
export async function writeSecretFiles(directory: string): Promise<Record<string, string>> {
  const files = {
    BADGE_ENCRYPTION_KEY_FILE: join(directory, 'encryption-key'),
    BADGE_CREATOR_SEED_FILE: join(directory, 'creator-seed'),
    BADGE_ISSUER_SEED_FILE: join(directory, 'issuer-seed'),
    BADGE_HOLDER_SEED_FILE: join(directory, 'holder-seed'),
  };
  for (const file of Object.values(files)) await writeFile(file, randomBytes(32), { mode: 0o600 });
  return files;
}

type Database = Pick<
  System,
  'databaseUrl' | 'proxy' | 'disks' | 'standbySocketDir' | 'serverPair' | 'killPostgres'
>;

/**
 * Starts the database of a layout, unless the service runs it itself. Adds to `stops` a function for each
 * part that it has started.
 */
async function startDatabase({
  layout,
  directory,
  stops,
}: Pick<SystemOptions, 'layout' | 'directory'> & { stops: Stop[] }): Promise<Database> {
  if (layout.standby === 'synchronous') {
    const serverPair = await startServerPair(directory);
    stops.push(() => serverPair.stop());
    const proxy = await startLossyDatabaseProxy(serverPair.primaryUrl);
    stops.push(() => proxy.stop());
    const databaseUrl = serverPair.followingUrl;
    return { databaseUrl, proxy, disks: null, standbySocketDir: null, serverPair, killPostgres: null };
  }

  const disks = layout.hasSmallDisks ? await mountSmallDisks(directory) : null;
  if (disks !== null) stops.push(() => disks.unmount());
  const dataDir = disks?.dataDir ?? join(directory, 'database');
  const filesDir = join(dataDir, 'postgres');
  const killPostgres = () => killPostmaster(filesDir);
  if (layout.database === 'embedded') {
    const databaseUrl = urlOf(filesDir);
    return { databaseUrl, proxy: null, disks, standbySocketDir: null, serverPair: null, killPostgres };
  }

  const options = { dataDir, name: 'badge', log: SILENT_LOG };
  if (disks !== null) {
    // The first start creates the files.
    await (await startEmbeddedPostgres(options)).stop();
    await disks.moveWriteAheadLog(filesDir);
  }
  const standbyDir = join(directory, 'standby');
  if (layout.standby === 'delayed') {
    await (await startEmbeddedPostgres(options)).stop();
    await copyAsStandby(dataDir, standbyDir);
  }
  const postgres = await startEmbeddedPostgres(options);
  stops.push(() => postgres.stop());
  let standbySocketDir: string | null = null;
  if (layout.standby === 'delayed') {
    await followPrimary(standbyDir, postgres, STANDBY_DELAY);
    const standby = await startEmbeddedPostgres({ ...options, dataDir: standbyDir });
    stops.push(() => standby.stop());
    standbySocketDir = standby.connection.host;
  }
  const databaseUrl = urlOf(postgres.connection.host);
  const proxy = await startLossyDatabaseProxy(databaseUrl);
  stops.push(() => proxy.stop());
  return { databaseUrl, proxy, disks, standbySocketDir, serverPair: null, killPostgres };
}

/** The URL of an embedded PostgreSQL whose socket is in this directory. */
export function urlOf(socketDir: string): string {
  return `postgres://badge@localhost/badge?host=${encodeURIComponent(socketDir)}`;
}

/** Waits until every process is ready. Throws after a timeout, or if processes exit too often. */
export async function waitUntilUp({ isUp, processes }: SystemUnderLoad, maxExits = Infinity): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!isUp()) {
    const ends = processes.flatMap(({ unexpectedEnds, failedStarts }) => [
      ...unexpectedEnds,
      ...failedStarts,
    ]);
    if (performance.now() > deadlineMs || ends.length >= maxExits)
      throw new Error(`the system is not ready: ${ends.at(-1) ?? 'no process has ended'}`);
    await wait(POLL_MS);
  }
}

// Without this wait, a mutant whose changes were never loaded would be tested as the unchanged service.
async function waitForMutation({ processes }: System, logLine: string): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (const service of processes) {
    while (!service.hasLogged(logLine)) {
      if (performance.now() > deadlineMs)
        throw new Error(`${service.name} started, but did not log: ${logLine}`);
      await wait(POLL_MS);
    }
  }
}
