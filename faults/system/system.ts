import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeKey } from '../../packages/service/src/domain/api-keys/rules.ts';
import { startEmbeddedPostgres } from '../../packages/service/src/storage/embedded-postgres/embedded-postgres.ts';
import {
  isPostmasterOf,
  readPostmasterFile,
} from '../../packages/service/src/storage/embedded-postgres/postmaster-file.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const LONGEST_START_MS = 60_000;

export type Scenario = 'embedded' | 'separate';

/** Real processes on one real PostgreSQL. */
export interface System {
  scenario: Scenario;
  processes: ServiceProcess[];
  /** Those that serve HTTP. */
  apis: ServiceProcess[];
  databaseUrl: string;
  apiKey: string;
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

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts one service with its embedded PostgreSQL, or several on one PostgreSQL of their own. */
export async function startSystem({ scenario, directory, mutant }: SystemOptions): Promise<System> {
  const apiKey = makeKey('sandbox');
  const databaseDir = join(directory, 'database');
  const env = { PORT: '0', BADGE_DEMO_API_KEY: apiKey, BADGE_ADMIN_KEY: makeKey('admin') };
  const imports = mutant === undefined ? [] : [mutant.module];
  const filesDir = join(databaseDir, 'postgres');
  const start = (name: string, extra: Record<string, string>) =>
    startServiceProcess(name, { env: { ...env, ...extra }, imports });

  const roles = ['all', 'api', 'worker'] as const;
  for (const role of roles) await mkdir(join(directory, role));
  const postgres =
    scenario === 'embedded'
      ? undefined
      : await startEmbeddedPostgres({ dataDir: databaseDir, log: SILENT_LOG });
  const host = postgres?.connection.host ?? filesDir;
  const databaseUrl = `postgres://badge@localhost/badge?host=${encodeURIComponent(host)}`;
  const processes =
    scenario === 'embedded'
      ? [start('all', { BADGE_DATA_DIR: databaseDir })]
      : roles.map((role) => {
          const own = { BADGE_DATA_DIR: join(directory, role), BADGE_ROLE: role, DATABASE_URL: databaseUrl };
          return start(role, role === 'worker' ? { ...own, PORT: '' } : own);
        });
  const apis = processes.filter(({ name }) => name !== 'worker');
  const system: System = {
    scenario,
    processes,
    apis,
    databaseUrl,
    apiKey,
    isUp: () => apis.every(({ url }) => url !== undefined),
    async killPostgres() {
      const pid = (await readPostmasterFile(filesDir))?.pid;
      if (pid === undefined || !(await isPostmasterOf(pid, filesDir))) return undefined;
      process.kill(pid, 'SIGKILL');
      return pid;
    },
    async stop() {
      await Promise.all(processes.map((service) => service.stop()));
      await postgres?.stop();
    },
  };
  try {
    await waitUntilUp(system, 3);
    if (mutant !== undefined) await waitForMutation(system, mutant.mark);
  } catch (error) {
    await system.stop();
    throw error;
  }
  return system;
}

/** Waits until all serve; throws when that takes too long, or processes end by themselves too often. */
export async function waitUntilUp({ isUp, processes }: System, mostEnds = Infinity): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (!isUp()) {
    const ends = processes.flatMap(({ ownEnds }) => ownEnds);
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
