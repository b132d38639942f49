import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const firstBackoffMs = 100;
const maxBackoffMs = 2_000;

/** Starts the server and starts it again whenever it ends, until it is stopped. */
export async function superviseServer(engine: Engine): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const first = await startServer(engine, stopping.signal);
  const supervision = supervise(engine, first, stopping.signal);
  return {
    stop() {
      stopping.abort();
      return supervision;
    },
  };
}

async function supervise(engine: Engine, first: ServerProcess, stopping: AbortSignal): Promise<void> {
  let server = first;
  for (;;) {
    const reason = await server.ended;
    if (stopping.aborted) return;
    const restartBeganMs = performance.now();
    engine.log.error({ reason }, 'PostgreSQL ended unexpectedly, starting it again');
    const next = await restart(engine, stopping);
    if (next === undefined) return;
    engine.log.info({ durationMs: Math.round(performance.now() - restartBeganMs) }, 'PostgreSQL runs again');
    server = next;
  }
}

async function restart(engine: Engine, stopping: AbortSignal): Promise<ServerProcess | undefined> {
  for (let backoffMs = firstBackoffMs; !stopping.aborted; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
    try {
      return await startServer(engine, stopping);
    } catch (err) {
      if (stopping.aborted) break;
      engine.log.error({ err, backoffMs }, 'PostgreSQL could not be started again yet');
      await wait(backoffMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
  return undefined;
}
