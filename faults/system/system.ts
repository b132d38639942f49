import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isPostmasterOf, readPostmasterFile, startEmbeddedPostgres } from '@badge/embedded-postgres';
import { type SupervisedBadge, superviseBadge } from '@badge/test-support/supervised-badge';
import { makeKey } from '../../packages/service/src/domain/api-keys/rules.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';
import { mountSmallDisks, type SmallDisks } from './small-disk.ts';

const LONGEST_START_MS = 60_000;
const CLOCK = fileURLToPath(new URL('./shifted-clock.ts', import.meta.url));
const ROLES = ['all', 'api', 'worker'] as const;

/** One service with its own PostgreSQL; three on one PostgreSQL behind a proxy; the same with small disks. */
export type Scenario = 'embedded' | 'separate' | 'small disks';

/** Real processes on one real PostgreSQL. */
export interface System {
  scenario: Scenario;
  processes: SupervisedBadge[];
  /** Those that serve HTTP. */
  apis: SupervisedBadge[];
  /** Past the proxy. */
  databaseUrl: string;
  apiKey: string;
  adminKey: string;
  /** Null where the services reach PostgreSQL by themselves. */
  proxy: DatabaseProxy | null;
  disks: SmallDisks | null;
  /** Ends PostgreSQL's postmaster with SIGKILL; undefined if none runs now. */
  killPostgres(): Promise<number | undefined>;
  /** Whether every process serves that should. */
  isUp(): boolean;
  stop(): Promise<void>;
}

export interface SystemOptions {
  scenario: Scenario;
  /** Empty, and passable by every user. */
  directory: string;
  /** A module that turns a service process into a mutant, and what a process with it has logged. */
  mutant?: { module: string; mark: string };
}

/** Small disks need root, which is not at hand. */
export class NoSmallDisks extends Error {
  override name = 'NoSmallDisks';
}

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Stop = () => Promise<void>;

/** Starts PostgreSQL and the services that the scenario asks for. */
export async function startSystem({ scenario, directory, mutant }: SystemOptions): Promise<System> {
  const stops: Stop[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const { disks, proxy, filesDir, socketDir } = await startDatabase({ scenario, directory, stops });
    const secrets = { apiKey: makeKey('sandbox'), adminKey: makeKey('admin') };
    const imports = [CLOCK, ...(mutant === undefined ? [] : [mutant.module])];
    const keys = { BADGE_DEMO_API_KEY: secrets.apiKey, BADGE_ADMIN_KEY: secrets.adminKey };
    const start = (name: string, env: Record<string, string>) =>
      superviseBadge(name, { LOG_LEVEL: 'warn', ...keys, ...env }, { imports });

    for (const role of ROLES) await mkdir(join(directory, role));
    const processes =
      proxy === null
        ? [start('all', { BADGE_DATA_DIR: join(directory, 'database') })]
        : ROLES.map((role, turn) =>
            start(role, {
              BADGE_DATA_DIR: join(directory, role),
              BADGE_ROLE: role,
              DATABASE_URL: `postgres://badge@127.0.0.1:${proxy.port}/badge`,
              // It says that it is ready in its log alone.
              ...(role === 'worker' ? { PORT: '', LOG_LEVEL: 'info' } : {}),
              FAULTS_CLOCK_TURN: String(turn),
            }),
          );
    stops.push(async () => void (await Promise.all(processes.map((service) => service.stop()))));
    const apis = processes.filter(({ name }) => name !== 'worker');
    const system: System = {
      scenario,
      processes,
      apis,
      databaseUrl: `postgres://badge@localhost/badge?host=${encodeURIComponent(socketDir)}`,
      ...secrets,
      proxy,
      disks,
      isUp: () => processes.every(({ isReady }) => isReady),
      killPostgres: () => killPostmaster(filesDir),
      stop,
    };
    await waitUntilUp(system, 3);
    if (mutant !== undefined) await waitForMutation(system, mutant.mark);
    return system;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase({
  scenario,
  directory,
  stops,
}: Pick<SystemOptions, 'scenario' | 'directory'> & { stops: Stop[] }) {
  const disks = scenario === 'small disks' ? await mountSmallDisks(directory) : null;
  if (disks === undefined) throw new NoSmallDisks();
  if (disks !== null) stops.push(() => disks.unmount());
  const dataDir = disks?.dataDir ?? join(directory, 'database');
  const filesDir = join(dataDir, 'postgres');
  if (scenario === 'embedded') return { disks, proxy: null, filesDir, socketDir: filesDir };

  const engine = { dataDir, log: SILENT_LOG };
  if (disks !== null) {
    await (await startEmbeddedPostgres(engine)).stop();
    await disks.moveLog(filesDir);
  }
  const postgres = await startEmbeddedPostgres(engine);
  stops.push(() => postgres.stop());
  const { host: socketDir, port } = postgres.connection;
  const proxy = await startDatabaseProxy(join(socketDir, `.s.PGSQL.${port}`));
  stops.push(() => proxy.stop());
  return { disks, proxy, filesDir, socketDir };
}

async function killPostmaster(filesDir: string): Promise<number | undefined> {
  const pid = (await readPostmasterFile(filesDir))?.pid;
  if (pid === undefined || !(await isPostmasterOf(pid, filesDir))) return undefined;
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Waits until all serve; throws when that takes too long, or processes end by themselves too often. */
export async function waitUntilUp({ isUp, processes }: System, mostEnds = Infinity): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (!isUp()) {
    const ends = processes.flatMap(({ unexpectedEnds, failedStarts }) => [
      ...unexpectedEnds,
      ...failedStarts,
    ]);
    if (performance.now() > deadlineMs || ends.length >= mostEnds)
      throw new Error(`the system does not start: ${ends.at(-1) ?? ''}`);
    await wait(20);
  }
}

// A mutant that changes nothing any more would make its check worthless.
async function waitForMutation({ processes }: System, mark: string): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  for (const service of processes) {
    while (!service.hasLogged(mark)) {
      if (performance.now() > deadlineMs)
        throw new Error(`${service.name} runs without its mutation (${mark})`);
      await wait(20);
    }
  }
}
