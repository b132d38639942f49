import type { Server } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';

/**
 * Returns a function that waits, for at most `maxMs`, until all connections that clients have opened are accepted. Node
 * accepts one connection in each iteration of the event loop. So when an iteration accepts none, none is pending.
 */
export function watchPendingConnections(server: Server): (maxMs: number) => Promise<void> {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  return async (maxMs) => {
    const endMs = performance.now() + maxMs;
    // The current iteration does not count, because the part of it that accepts a connection may be over.
    await nextIteration();
    let before: number;
    do {
      before = accepted;
      await nextIteration();
    } while (accepted > before && performance.now() < endMs);
  };
}
