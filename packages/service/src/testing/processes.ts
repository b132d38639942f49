import { execFile, type SpawnOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const MAIN = join(ROOT, 'packages/service/src/main.ts');

/** A bound for what takes milliseconds on an idle machine and far longer on a busy one. */
export const PATIENCE = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

export interface LogLine extends Record<string, unknown> {
  msg: string;
  pid: number;
}

export interface BadgeProcess {
  pid: number;
  /** What it has printed so far. */
  output: { stdout: string; stderr: string };
  /** The exit code, or the signal that ended it, once it and whatever holds its output have ended. */
  exited: Promise<number | NodeJS.Signals>;
  waitForLog(message: string): Promise<LogLine>;
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Signals its process group, as a terminal does; needs `detached`. */
  endGroup(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface BadgeService extends BadgeProcess {
  url: string;
  /** The demo key of the banner; empty where the banner has none. */
  apiKey: string;
}

/** Runs `badge serve`, or another command, with these variables and no others of Badge; killed after the test. */
export function spawnBadge(
  env: Record<string, string>,
  { command = [process.execPath, MAIN, 'serve'], ...options }: SpawnOptions & { command?: string[] } = {},
): BadgeProcess & { waitUntil<T>(find: () => T | undefined): Promise<T> } {
  const { PATH = '', TMPDIR = tmpdir() } = process.env;
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { PATH, TMPDIR, ...env },
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid = 0 } = child;
  const changes = new EventEmitter();
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      changes.emit('change');
    });
  }
  let hasExited = false;
  const exited = once(child, 'close').then(([code, signal]) => {
    hasExited = true;
    changes.emit('change');
    return code ?? signal;
  });
  const kill = (signal: NodeJS.Signals, target: number) => {
    if (!hasExited) process.kill(target, signal);
    return exited;
  };
  onTestFinished(() => kill('SIGKILL', options.detached ? -pid : pid));

  async function waitUntil<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (hasExited) throw new Error(`the process ended too early (${await exited}):\n${output.stderr}`);
      await once(changes, 'change');
    }
  }

  return {
    pid,
    output,
    exited,
    waitUntil,
    waitForLog: (message) => waitUntil(() => readLog(output.stderr).find(({ msg }) => msg === message)),
    end: (signal) => kill(signal, pid),
    endGroup: (signal) => kill(signal, -pid),
  };
}

/** Runs `badge serve` on a free port unless `PORT` is given, and waits until it is ready. */
export async function startBadge(
  env: Record<string, string>,
  options: Parameters<typeof spawnBadge>[1] = {},
): Promise<BadgeService> {
  const badge = spawnBadge({ PORT: '0', ...env }, options);
  const { port, publicUrl } = await badge.waitForLog('ready');
  if (env.BADGE_ROLE !== 'worker') await badge.waitUntil(() => hasBanner(badge.output.stdout, publicUrl));
  const [apiKey = ''] = /badge_sandbox_\w+/.exec(badge.output.stdout) ?? [];
  return { ...badge, url: `http://127.0.0.1:${port}`, apiKey };
}

function hasBanner(stdout: string, publicUrl: unknown): true | undefined {
  return (stdout.includes(` is at ${publicUrl}`) && stdout.endsWith('\n\n')) || undefined;
}

/** The whole lines of the log on stderr, without what npm or a refusal writes there. */
export function readLog(stderr: string): LogLine[] {
  return stderr
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** The path of a data directory that is not there yet; what runs on it and its files are gone after the test. */
export async function makeDataDir(name = 'data'): Promise<string> {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'badge-cli-')), name);
  await chmod(dirname(dataDir), 0o711);
  onTestFinished(async () => {
    await vi.waitFor(async () => {
      const pids = await findProcesses(dataDir);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      expect(pids).toEqual([]);
    }, PATIENCE);
    await rm(dirname(dataDir), { recursive: true, force: true, maxRetries: 5 });
  });
  return dataDir;
}

/** The address of the embedded database while a service runs on the data directory. */
export function embeddedDatabaseUrl(dataDir: string): string {
  return `postgres://badge@localhost/badge?host=${encodeURIComponent(join(dataDir, 'postgres'))}`;
}

/** Fails if a process that uses the data directory does not end, or has left its socket or lock file. */
export async function expectNothingRuns(dataDir: string): Promise<void> {
  await vi.waitFor(async () => expect(await findProcesses(dataDir)).toEqual([]), PATIENCE);
  const files = await readdir(join(dataDir, 'postgres')).catch(() => []);
  expect(files.filter((name) => /^\.s\.PGSQL|^postmaster\.pid/.test(name))).toEqual([]);
}

/** The processes that name the data directory in their arguments or work in it, as PostgreSQL's do. */
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
