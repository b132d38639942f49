import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPostgresError } from './error.ts';
import { tryOwnerLock } from './owner-lock.ts';
import { isPostmasterOf, isProcessAlive, readPostmasterFile, shutDown } from './postmaster.ts';
import type { ServerConfig } from './server-config.ts';

const POLL_MS = 20;
/**
 * How long to wait before the owner lock decides whether the server has a live owner. A killed owner still
 * holds the lock until its session ends, and a live owner acquires the lock shortly after it has started its
 * server.
 */
const OWNER_TIMEOUT_MS = 5_000;
/** A server does not reply while it recovers from a crash or shuts down. */
const NO_REPLY_TIMEOUT_MS = 60_000;

/**
 * Makes sure that no other server uses the files:
 * - Stops a server that was left running. Its owner is dead, or does not acquire the owner lock within 5
 *   seconds.
 * - Throws if a living owner holds the lock, if another program started the server, if the server runs in
 *   another container, or if it does not reply.
 *
 * Returns a pid only if a dead server has left its `postmaster.pid` with this pid, and another process has
 * the pid now.
 */
export async function stopLeftoverServer(
  config: ServerConfig,
  stopping: AbortSignal,
): Promise<number | undefined> {
  const { filesDir, name } = config;
  const startedMs = performance.now();
  let firstReplyMs: number | undefined;
  for (;;) {
    const postmaster = await readPostmasterFile(filesDir);
    if (postmaster === undefined) return undefined;
    const isRunningHere = await isPostmasterOf(postmaster.pid, filesDir);
    // A server in another container has a pid that is not valid here, but its socket is next to the files.
    const host = isRunningHere && postmaster.socketDir !== '' ? postmaster.socketDir : config.socketDir;
    const attempt = await tryOwnerLock({ host, name });
    if (!isRunningHere && attempt.state === 'no-listener') {
      // The server is dead, and has left its lock file.
      return isProcessAlive(postmaster.pid) ? postmaster.pid : undefined;
    }
    const nowMs = performance.now();
    if (attempt.state === 'no-reply' || attempt.state === 'no-listener') {
      if (nowMs - startedMs > NO_REPLY_TIMEOUT_MS) throw noReplyError(config, postmaster.pid);
      await wait(POLL_MS, undefined, { signal: stopping });
      continue;
    }
    firstReplyMs ??= nowMs;
    const isTimedOut = nowMs - firstReplyMs > OWNER_TIMEOUT_MS;
    if (attempt.state === 'acquired') {
      // A live owner that has just started its server may not hold the lock yet. Its server is stopped only
      // if the owner has not acquired the lock at the timeout. A server without an owner was started by
      // another program.
      const { ownerPid } = attempt;
      const mayStop = isRunningHere && ownerPid !== null && (!isProcessAlive(ownerPid) || isTimedOut);
      if (mayStop) await stopServer(config, postmaster.pid);
      await attempt.client.end().catch(() => {});
      if (mayStop) continue;
    }
    if (isTimedOut) throw inUseError(config, attempt.ownerPid);
    await wait(POLL_MS, undefined, { signal: stopping });
  }
}

async function stopServer({ filesDir, log }: ServerConfig, pid: number): Promise<void> {
  log.warn({ pid }, 'stopping a PostgreSQL server that was left running');
  const waitForEnd = async () => {
    while (await isPostmasterOf(pid, filesDir)) await wait(POLL_MS);
  };
  const kill = (signal: NodeJS.Signals) => {
    if (isProcessAlive(pid)) process.kill(pid, signal);
  };
  await shutDown(kill, waitForEnd());
}

function inUseError({ dataDir }: ServerConfig, ownerPid: number | null): EmbeddedPostgresError {
  const user = ownerPid === null ? 'another PostgreSQL server' : `another service (process ${ownerPid})`;
  return new EmbeddedPostgresError(
    `${user} uses the data directory ${dataDir}; stop it, use another data directory, or let both use one PostgreSQL server`,
  );
}

function noReplyError({ dataDir }: ServerConfig, pid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `a PostgreSQL server (process ${pid}) uses the data directory ${dataDir} and does not reply; wait for it, or stop it with kill -INT ${pid}`,
  );
}
