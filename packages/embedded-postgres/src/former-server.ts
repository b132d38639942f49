import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type Engine, socketPort } from './engine.ts';
import { tryOwnerLock } from './owner-lock.ts';
import { isPostmasterOf, isProcessAlive, readPostmasterFile } from './postmaster-file.ts';
import { stopProcess } from './stop-process.ts';

const pollMs = 20;
/** A killed service's session ends quickly, but not at once. */
const heldPatienceMs = 5_000;
/** A server that starts after a crash, or shuts down, answers nobody. */
const noAnswerPatienceMs = 60_000;

/**
 * Makes sure that no other server uses the files: stops one whose service is dead, refuses if the service
 * lives. Gives the pid of a lock file left by a dead server, where another process has that pid by now.
 */
export async function endFormerServer(engine: Engine, stopping: AbortSignal): Promise<number | undefined> {
  const { filesDir } = engine;
  let heldSinceMs: number | undefined;
  const beganMs = performance.now();
  for (;;) {
    const postmaster = await readPostmasterFile(filesDir);
    if (postmaster === undefined) return undefined;
    const isVisible = await isPostmasterOf(postmaster.pid, filesDir);
    // A server in another container has a pid that means nothing here, but its socket lies with the files.
    const host = isVisible && postmaster.socketDir !== '' ? postmaster.socketDir : engine.socketDir;
    const attempt = await tryOwnerLock({ host, port: socketPort });
    if (!isVisible && attempt.state === 'no-listener') {
      return isProcessAlive(postmaster.pid) ? postmaster.pid : undefined;
    }
    const nowMs = performance.now();
    if (attempt.state === 'no-answer' || attempt.state === 'no-listener') {
      if (nowMs - beganMs > noAnswerPatienceMs) throw noAnswerError(engine, postmaster.pid);
    } else {
      heldSinceMs ??= nowMs;
      const isPatienceOver = nowMs - heldSinceMs > heldPatienceMs;
      if (attempt.state === 'taken') {
        // A service that has just started its server may not have the lock yet.
        const isServiceDead = attempt.servicePid !== null && !isProcessAlive(attempt.servicePid);
        const mayStop = isVisible && attempt.servicePid !== null && (isServiceDead || isPatienceOver);
        if (mayStop) await stopFormerServer(engine, postmaster.pid);
        await attempt.client.end().catch(() => {});
        if (mayStop) continue;
      }
      if (isPatienceOver) throw inUseError(engine, attempt.servicePid);
    }
    await wait(pollMs, undefined, { signal: stopping });
  }
}

async function stopFormerServer({ filesDir, log }: Engine, pid: number): Promise<void> {
  log.warn({ pid }, 'stopping the PostgreSQL server that a killed service left behind');
  const waitForEnd = async () => {
    while (await isPostmasterOf(pid, filesDir)) await wait(pollMs);
  };
  const kill = (signal: NodeJS.Signals) => {
    if (isProcessAlive(pid)) process.kill(pid, signal);
  };
  await stopProcess(kill, waitForEnd());
}

function inUseError({ dataDir }: Engine, servicePid: number | null): EmbeddedPostgresError {
  const user =
    servicePid === null ? 'another PostgreSQL server' : `another Badge service (process ${servicePid})`;
  return new EmbeddedPostgresError(
    `${user} uses the data directory ${dataDir}; stop it, choose another BADGE_DATA_DIR, or let both use one server by DATABASE_URL`,
  );
}

function noAnswerError({ dataDir }: Engine, pid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `a PostgreSQL server (process ${pid}) uses the data directory ${dataDir} and does not answer; wait for it or stop it with kill -INT ${pid}`,
  );
}
