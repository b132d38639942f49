import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type Engine, socketPort } from './engine.ts';
import { endFormerServer } from './former-server.ts';
import { holdOwnerLock } from './owner-lock.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { spawnProgram } from './process-launcher.ts';
import { openServerLog, readLastLogLines } from './server-log.ts';
import { stopProcess } from './stop-process.ts';

const pollMs = 10;
const inUsePatienceMs = 10_000;
const isInUseMessage = /lock file .* (already exists|is empty)|shared memory block .* still in use/;

/** One run of the server's process. */
export interface ServerProcess {
  readonly pid: number | undefined;
  /** Resolves, with how, when the process has ended. */
  readonly ended: Promise<string>;
  /** Aborts at the same time. */
  readonly end: AbortSignal;
  readonly logStartBytes: number;
}

/** Starts the server and takes the owner lock; stops it when `stopping` aborts. */
export async function startServer(engine: Engine, stopping: AbortSignal): Promise<ServerProcess> {
  const beganMs = performance.now();
  for (;;) {
    const stalePid = await endFormerServer(engine, stopping);
    const server = await spawnServer(engine, stalePid, stopping);
    try {
      await waitUntilReady(engine, server);
      const held = AbortSignal.any([stopping, server.end]);
      await holdOwnerLock({ host: engine.socketDir, port: socketPort }, held);
      return server;
    } catch (error) {
      if (!stopping.aborted && !server.end.aborted) throw error;
      await server.ended;
      stopping.throwIfAborted();
    }
    const lines = await readLastLogLines(engine.dataDir, server.logStartBytes);
    const isPatienceOver = performance.now() - beganMs > inUsePatienceMs;
    // A killed server's sessions may hold its memory for a moment; another service may have been first.
    const mayRetry = isInUseMessage.test(lines) || lines.includes('received fast shutdown request');
    if (!mayRetry || isPatienceOver) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start (${await server.ended}): ${lines}`);
    }
    await wait(100, undefined, { signal: stopping });
  }
}

async function waitUntilReady({ filesDir }: Engine, server: ServerProcess): Promise<void> {
  for (;;) {
    const postmaster = await readPostmasterFile(filesDir);
    if (postmaster?.pid === server.pid && postmaster?.status === 'ready') return;
    await wait(pollMs, undefined, { signal: server.end });
  }
}

async function spawnServer(
  engine: Engine,
  stalePid: number | undefined,
  stopping: AbortSignal,
): Promise<ServerProcess> {
  const { file, startBytes } = await openServerLog(engine.dataDir);
  try {
    stopping.throwIfAborted();
    const child = spawnProgram(engine.launcher, serverCommand(engine), {
      stdio: ['ignore', file.fd, file.fd],
      // PostgreSQL takes a lock file with this pid for a dead server's, and still checks that server's shared
      // memory. It could not if the file were removed.
      ...(stalePid === undefined ? {} : { env: { PG_GRANDPARENT_PID: String(stalePid) } }),
    });
    const end = new AbortController();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (exitCode, signal) => resolve(signal ?? `exit code ${exitCode}`));
    });
    const stop = () => void stopProcess((signal) => child.kill(signal), ended);
    stopping.addEventListener('abort', stop);
    ended.then((reason) => {
      stopping.removeEventListener('abort', stop);
      end.abort(reason);
    });
    return { pid: child.pid, ended, end: end.signal, logStartBytes: startBytes };
  } finally {
    await file.close();
  }
}

function serverCommand({ binaries, filesDir, socketDir }: Engine): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(socketPort),
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Without details: those of a failed insert are the row, with people's addresses.
    log_error_verbosity: 'terse',
    'badge.service_pid': String(process.pid),
  };
  return [
    binaries.postgres,
    '-D',
    filesDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
