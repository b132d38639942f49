import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPostgresError } from './error.ts';
import { spawnProgram } from './launcher.ts';
import { stopLeftoverServer } from './leftover-server.ts';
import { holdOwnerLock, ownerPidSetting } from './owner-lock.ts';
import { readPostmasterFile, shutDown } from './postmaster.ts';
import type { ServerConfig } from './server-config.ts';
import { openServerLog, readLastLogLines } from './server-log.ts';
import { SOCKET_PORT } from './socket-directory.ts';

const POLL_MS = 10;
const START_RETRY_MS = 100;
const IN_USE_TIMEOUT_MS = 10_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
const IN_USE_MESSAGE = /lock file .* (already exists|is empty)|shared memory block .* still in use/;

interface ServerProcess {
  readonly pid: number | undefined;
  /**
   * Resolves when the process has ended or could not be started, with the reason: a signal, an exit code or
   * an error.
   */
  readonly ended: Promise<string>;
  /** Aborts when the process has ended. */
  readonly endSignal: AbortSignal;
  /** The offset in the log file at which the lines of this process begin. */
  readonly logStartBytes: number;
  /** Shuts the server down. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the server. Restarts it whenever it ends, until `stop` is called. */
export async function superviseServer(config: ServerConfig): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const first = await startServer(config, stopping.signal);
  const supervision = supervise(config, first, stopping.signal);
  return {
    stop() {
      stopping.abort();
      return supervision;
    },
  };
}

async function supervise(config: ServerConfig, first: ServerProcess, stopping: AbortSignal): Promise<void> {
  let server = first;
  for (;;) {
    const reason = await server.ended;
    if (stopping.aborted) return;
    const endedMs = performance.now();
    config.log.error({ reason }, 'PostgreSQL ended unexpectedly, restarting it');
    const next = await restart(config, stopping);
    if (next === undefined) return;
    config.log.info({ durationMs: Math.round(performance.now() - endedMs) }, 'PostgreSQL restarted');
    server = next;
  }
}

async function restart(config: ServerConfig, stopping: AbortSignal): Promise<ServerProcess | undefined> {
  for (
    let backoffMs = FIRST_BACKOFF_MS;
    !stopping.aborted;
    backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
  ) {
    try {
      return await startServer(config, stopping);
    } catch (err) {
      if (stopping.aborted) break;
      config.log.error({ err, backoffMs }, 'PostgreSQL could not be restarted, retrying');
      await wait(backoffMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
  return undefined;
}

/** Starts the server and acquires the owner lock. When `stopping` aborts, the server is shut down. */
async function startServer(config: ServerConfig, stopping: AbortSignal): Promise<ServerProcess> {
  const startedMs = performance.now();
  for (;;) {
    const stalePid = await stopLeftoverServer(config, stopping);
    const server = await spawnServer(config, stalePid, stopping);
    try {
      await waitUntilReady(config, server);
      const { socketDir: host, name } = config;
      await holdOwnerLock({ host, name }, AbortSignal.any([stopping, server.endSignal]));
      return server;
    } catch (error) {
      if (!stopping.aborted && !server.endSignal.aborted) {
        await server.stop();
        throw error;
      }
      // The server ended during its start, or is being stopped.
      await server.ended;
      stopping.throwIfAborted();
    }
    const lines = await readLastLogLines(config.dataDir, server.logStartBytes);
    const isTimedOut = performance.now() - startedMs > IN_USE_TIMEOUT_MS;
    // Retry if the server did not start for one of these reasons:
    // - The sessions of a killed server still hold its shared memory.
    // - Another service has started a server first.
    // - The server got a fast shutdown request from another process, such as another service that is
    //   starting.
    const mayRetry = IN_USE_MESSAGE.test(lines) || lines.includes('received fast shutdown request');
    if (!mayRetry || isTimedOut) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start (${await server.ended}): ${lines}`);
    }
    await wait(START_RETRY_MS, undefined, { signal: stopping });
  }
}

async function waitUntilReady({ filesDir }: ServerConfig, server: ServerProcess): Promise<void> {
  for (;;) {
    const postmaster = await readPostmasterFile(filesDir);
    if (postmaster?.pid === server.pid && postmaster?.status === 'ready') return;
    await wait(POLL_MS, undefined, { signal: server.endSignal });
  }
}

async function spawnServer(
  config: ServerConfig,
  stalePid: number | undefined,
  stopping: AbortSignal,
): Promise<ServerProcess> {
  const { file, startBytes } = await openServerLog(config.dataDir);
  try {
    stopping.throwIfAborted();
    const child = spawnProgram(config.launcher, serverCommand(config), {
      stdio: ['ignore', file.fd, file.fd],
      // With this variable, PostgreSQL knows that a lock file with this pid is from a dead server, and checks
      // that server's shared memory. We do not remove the file, because PostgreSQL needs it for this check.
      ...(stalePid === undefined ? {} : { env: { PG_GRANDPARENT_PID: String(stalePid) } }),
    });
    const end = new AbortController();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (exitCode, signal) => resolve(signal ?? `exit code ${exitCode}`));
    });
    const stop = () => shutDown((signal) => child.kill(signal), ended);
    stopping.addEventListener('abort', stop);
    ended.then((reason) => {
      stopping.removeEventListener('abort', stop);
      end.abort(reason);
    });
    return { pid: child.pid, ended, endSignal: end.signal, logStartBytes: startBytes, stop };
  } finally {
    await file.close();
  }
}

function serverCommand({ name, binaries, filesDir, socketDir, maxConnections }: ServerConfig): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: String(SOCKET_PORT),
    max_connections: String(maxConnections),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors are logged without details: the details of a failed insert contain the row, which may contain
    // personal data.
    log_error_verbosity: 'terse',
    [ownerPidSetting(name)]: String(process.pid),
  };
  return [
    binaries.postgres,
    '-D',
    filesDir,
    ...Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]),
  ];
}
