import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { onTestFinished, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres.ts';
import type { Launcher, LauncherChoice } from '../launcher.ts';
import type { Connection } from '../owner-lock.ts';
import { readPostmasterFile } from '../postmaster.ts';
import type { Log } from '../server-config.ts';

// Each test creates its own database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

export const isRoot = process.getuid?.() === 0;
const hasUserNamespaces = spawnSync('unshare', ['--user', '--map-user=65534', 'true']).status === 0;

/** The launcher modes that work for this user on this machine. */
export const modes: Launcher['mode'][] = [
  isRoot ? 'other-user' : 'direct',
  ...(hasUserNamespaces ? ['user-namespace' as const] : []),
];

/** The mode that is chosen by default. */
export const defaultMode = isRoot && hasUserNamespaces ? 'user-namespace' : modes[0];

export const hasParentDeathSignal = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true']).status === 0;

/** Creates a directory that every user can enter. It is removed after the test. */
export async function createTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-test-'));
  await chmod(directory, 0o711);
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** Creates a log that keeps its messages. */
export function createLog(): Log & { readonly messages: string[] } {
  const messages: string[] = [];
  const keep = (_details: object, message: string) => void messages.push(message);
  return { messages, info: keep, warn: keep, error: keep };
}

/** Starts a server owned by this process. It is stopped after the test. */
export async function startServer(
  dataDir: string,
  launcherChoice: LauncherChoice = {},
  log: Log = createLog(),
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, name: 'test', log, launcherChoice });
  onTestFinished(() => postgres.stop());
  return postgres;
}

/** Runs one statement on a new connection. */
export async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
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

type OwnerMessage =
  | { state: 'running'; connection: Connection }
  | { state: 'failed'; name: string; message: string }
  | { state: 'interrupted' | 'stopped' };

/** Starts a separate process that owns a server. It is killed after the test. */
export function spawnOwner(dataDir: string, launcherChoice: LauncherChoice = {}) {
  const script = fileURLToPath(new URL('server-owner.ts', import.meta.url));
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
    /** Signals the process group, as Ctrl-C in a terminal does. */
    interruptGroup: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    end,
    async nextMessage(): Promise<OwnerMessage> {
      const { value, done } = await lines.next();
      if (done) throw new Error('the owner has exited without another message');
      return JSON.parse(value);
    },
  };
}

/** Starts a separate process that owns a server, and waits until the server runs. */
export async function spawnRunningOwner(dataDir: string, launcherChoice: LauncherChoice = {}) {
  const owner = spawnOwner(dataDir, launcherChoice);
  const message = await owner.nextMessage();
  if (message.state !== 'running') throw new Error(JSON.stringify(message));
  return { ...owner, connection: message.connection };
}
