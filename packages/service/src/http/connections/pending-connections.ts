import type { Server } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';

/**
 * Returns a function that waits until the connections that clients have opened are accepted, for at most `maxMs`. Node
 * accepts one connection in each iteration of the event loop. So when an iteration accepts none, none is pending.
 */
export function watchPendingConnections(server: Server): (maxMs: number) => Promise<void> {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  return async (maxMs) => {
    const endMs = performance.now() + maxMs;
    // A part of the current iteration may be over, so it does not count.
    await nextIteration();
    let before: number;
    do {
      before = accepted;
      await nextIteration();
    } while (accepted > before && performance.now() < endMs);
  };
}
