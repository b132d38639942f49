import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { onTestFinished, vi } from 'vitest';
import type { LauncherChoice } from '../choose-launcher.ts';
import { type EmbeddedPostgres, type EngineLog, startEmbeddedPostgres } from '../embedded-postgres.ts';
import { readPostmasterFile } from '../postmaster-file.ts';

type Connection = EmbeddedPostgres['connection'];

// Each test makes a database of its own, which takes seconds where the machine is busy.
vi.setConfig({ testTimeout: 30_000 });

export const isRoot = process.getuid?.() === 0;
const hasUserNamespaces = spawnSync('unshare', ['--user', '--map-user=65534', 'true']).status === 0;

/** The ways of running PostgreSQL that exist for the present user on this machine. */
export const users: NonNullable<LauncherChoice['user']>[] = isRoot
  ? ['other-user', ...(hasUserNamespaces ? ['user-namespace' as const] : [])]
  : ['direct', ...(hasUserNamespaces ? ['user-namespace' as const] : [])];

/** The one that is chosen by itself. */
export const usualUser = isRoot && hasUserNamespaces ? 'user-namespace' : users[0];

export const hasParentDeathSignal = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true']).status === 0;

/** Makes a directory that every user may pass, removed after the test. */
export async function makeTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-test-'));
  await chmod(directory, 0o711);
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** A log that keeps its messages. */
export function makeLog(): EngineLog & { readonly messages: string[] } {
  const messages: string[] = [];
  const keep = (_details: object, message: string) => void messages.push(message);
  return { messages, info: keep, warn: keep, error: keep };
}

/** Starts an engine in this process, stopped after the test. */
export async function startEngine(
  dataDir: string,
  launcherChoice: LauncherChoice = {},
  log: EngineLog = makeLog(),
): Promise<EmbeddedPostgres> {
  const engine = await startEmbeddedPostgres({ dataDir, log, launcherChoice });
  onTestFinished(() => engine.stop());
  return engine;
}

/** Runs one statement on a connection of its own. */
export async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection, ssl: false });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function readPostmasterPid(dataDir: string): Promise<number> {
  const postmaster = await readPostmasterFile(join(dataDir, 'postgres'));
  if (postmaster === undefined) throw new Error(`no server runs on ${dataDir}`);
  return postmaster.pid;
}

type EngineMessage =
  | { state: 'running'; connection: Connection }
  | { state: 'refused'; name: string; message: string }
  | { state: 'interrupted' | 'stopped' };

/** A service process of its own with an engine, killed after the test. */
export function spawnEngine(dataDir: string, launcherChoice: LauncherChoice = {}) {
  const script = fileURLToPath(new URL('run-engine.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, JSON.stringify(launcherChoice)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => end('SIGKILL'));
  return {
    /** Signals the process group, as a terminal does. */
    interruptGroup: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    end,
    async nextMessage(): Promise<EngineMessage> {
      const { value } = await lines.next();
      return JSON.parse(value ?? '{"state":"stopped"}');
    },
  };
}
