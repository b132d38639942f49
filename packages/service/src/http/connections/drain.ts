import { setImmediate as nextIteration, setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { OpenConnections } from './open-connections.ts';
import { watchPendingConnections } from './pending-connections.ts';
import type { Turns } from './take-turns.ts';

const MAX_GRACE_MS = 500;
const MAX_ACCEPT_MS = 1_500;
// A stop takes at most 40 seconds in all (docs/guides/production.md). This is a part of them.
const MAX_DRAIN_MS = 25_000;
const SWEEP_INTERVAL_MS = 50;

/**
 * Lets the server close without losing a request that has arrived. For a short grace period it still responds, with
 * `Connection: close`. Then it stops listening, and closes each connection after its last response.
 */
export function addDraining(
  app: FastifyInstance,
  { bySocket: connections }: OpenConnections,
  { isUnread }: Turns,
): void {
  const waitForPendingConnections = watchPendingConnections(app.server);
  let isDraining = false;

  // Node's own version also closes connections whose response a slow client has not finished reading.
  app.server.closeIdleConnections = () => {
    for (const [socket, { activeResponses, bytesReadAtLastResponse }] of connections) {
      const isIdle = activeResponses.size === 0 && socket.bytesRead === bytesReadAtLastResponse;
      if (isIdle && !isUnread(socket)) socket.destroy();
    }
  };

  // Fastify sets `Connection: close` only for requests that arrive while it closes. Requests in flight need it too.
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('Connection', 'close');
  });

  app.addHook('preClose', async () => {
    isDraining = true;
    // A connection that has just arrived is accepted in the next iteration of the event loop, and counted below.
    await nextIteration();
    const graceEndsMs = performance.now() + MAX_GRACE_MS;
    while (connections.size > 0 && performance.now() < graceEndsMs) await wait(SWEEP_INTERVAL_MS);
    // The kernel resets the pending connections when the server stops listening.
    await waitForPendingConnections(MAX_ACCEPT_MS);
    // Node reads from a new connection in the iteration after the one that accepts it. `isUnread` protects those that wait
    // for their turn.
    await nextIteration();

    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
    const deadline = setTimeout(() => {
      app.log.warn({ connections: connections.size }, 'closing connections that took too long');
      app.server.closeAllConnections();
    }, MAX_DRAIN_MS);
    app.server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(deadline);
    });
  });
}
