import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';
import {
  type BadgeOptions,
  type BadgeProcess,
  type BadgeService,
  readLog,
  spawnBadge,
} from './badge-process.ts';
import { query } from './sql.ts';
import { type DatabaseProxy, startDatabaseProxy } from './tcp-proxy.ts';

// For Vitest tests that start processes: everything made here ends with the test that made it.

/**
 * Options of `vi.waitFor` for conditions that become true within milliseconds, or much later on a busy
 * machine.
 */
export const WAIT_OPTIONS = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Waits until exactly `count` statements in the database wait for a lock. */
export async function waitForBlockedStatements(databaseUrl: string, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    expect(await query(databaseUrl, waiting)).toHaveLength(count);
  }, WAIT_OPTIONS);
}

/** Waits until the feed has every event: they get their places soon after the commit. */
export async function waitForPlacedEvents(databaseUrl: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await query(databaseUrl, 'select from event_outbox')).toEqual([]),
    WAIT_OPTIONS,
  );
}

/** Starts `badge serve`, or another command; see `spawnBadge`. */
export function spawnTestBadge(env: NodeJS.ProcessEnv, options: BadgeOptions = {}): BadgeProcess {
  const badge = spawnBadge(env, options);
  onTestFinished(async () => {
    await (options.detached ? badge.endGroup('SIGKILL') : badge.end('SIGKILL'));
  });
  return badge;
}

/** Starts `badge serve`, on a free port unless `PORT` is set, and waits until it is ready. */
export async function startTestBadge(
  env: NodeJS.ProcessEnv,
  options: BadgeOptions = {},
): Promise<BadgeService> {
  return await spawnTestBadge({ PORT: '0', ...env }, options).ready();
}

/** Starts a proxy in front of the server of a database URL. */
export async function startTestDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(databaseUrl);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Fails unless the log ends with "stopped" and has no warning or error. */
export function expectCleanStop({ output }: BadgeProcess): void {
  const log = readLog(output.stderr);
  expect(log.at(-1)).toMatchObject({ msg: 'stopped' });
  // 30 is the level `info`.
  expect(log.filter(({ level }) => level > 30)).toEqual([]);
}

/**
 * Returns the path of a data directory that does not exist yet. After the test, the processes that use the
 * directory are killed, and its files are removed.
 */
export async function makeDataDir(name = 'data'): Promise<string> {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'badge-cli-')), name);
  // The embedded PostgreSQL may run as another user, who must be able to enter this directory.
  await chmod(dirname(dataDir), 0o711);
  onTestFinished(async () => {
    await vi.waitFor(async () => {
      const pids = await findProcesses(dataDir);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      expect(pids).toEqual([]);
    }, WAIT_OPTIONS);
    await rm(dirname(dataDir), { recursive: true, force: true, maxRetries: 5 });
  });
  return dataDir;
}

/** The URL of the embedded database, while a service runs on the data directory. */
export function embeddedDatabaseUrl(dataDir: string): string {
  return `postgres://badge@localhost/badge?host=${encodeURIComponent(join(dataDir, 'postgres'))}`;
}

/**
 * Waits until no process uses the data directory. Fails if one still does, or left its socket or lock file
 * there.
 */
export async function expectNothingRuns(dataDir: string): Promise<void> {
  await vi.waitFor(async () => expect(await findProcesses(dataDir)).toEqual([]), WAIT_OPTIONS);
  const files = await readdir(join(dataDir, 'postgres')).catch(() => []);
  expect(files.filter((name) => /^\.s\.PGSQL|^postmaster\.pid/.test(name))).toEqual([]);
}

/**
 * Finds the processes that have the path of the data directory in their arguments, such as those of
 * PostgreSQL. On Linux, also finds those that run in it.
 */
export async function findProcesses(dataDir: string): Promise<number[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,args=']);
    const lines = stdout.split('\n').filter((line) => line.includes(dataDir));
    return lines.map((line) => Number.parseInt(line, 10));
  }
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (commandLine.includes(dataDir) || workingDir.startsWith(dataDir)) found.push(Number(pid));
  }
  return found;
}
