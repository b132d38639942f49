import type { Server } from 'node:http';
import { setImmediate as nextIteration, setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { DRAIN_LIMITS } from '../limits.ts';
import type { Connections } from './connections.ts';

const { graceMs, maxAcceptMs, maxFirstRequestMs, maxMs, sweepMs } = DRAIN_LIMITS;

/**
 * Lets a server close without losing a request that has arrived. For a short grace period it still responds,
 * with `Connection: close`. Then it stops listening, and closes each connection after its last response.
 */
export function createDraining(server: Server, connections: Connections, log: Context['log']) {
  const waitForPendingConnections = watchPendingConnections(server);
  let isDraining = false;

  // `close` calls this. Node's own version also closes connections whose response a slow client has not
  // finished reading.
  server.closeIdleConnections = () => {
    const nowMs = performance.now();
    for (const [socket, { openedAtMs, activeResponses, bytesReadAtLastResponse }] of connections) {
      const isNew = socket.bytesRead === 0 && nowMs - openedAtMs < maxFirstRequestMs;
      const isIdle = activeResponses.size === 0 && socket.bytesRead === bytesReadAtLastResponse;
      if (isIdle && !isNew) socket.destroy();
    }
  };

  return {
    /**
     * Fastify sets this header only for requests that arrive while it closes. Requests in flight need it too.
     */
    addCloseHeader: (_request: FastifyRequest, reply: FastifyReply): void => {
      if (isDraining) reply.header('Connection', 'close');
    },
    /** Runs before the server stops listening. */
    drain: async () => {
      isDraining = true;
      // A connection that has just arrived is accepted in the next iteration of the event loop, and counted
      // below.
      await nextIteration();
      const graceEndsMs = performance.now() + graceMs;
      while (connections.size > 0 && performance.now() < graceEndsMs) await wait(sweepMs);
      // The kernel resets the pending connections when the server stops listening.
      await waitForPendingConnections(maxAcceptMs);

      // Immediates run after the requests that have arrived are read. Otherwise a busy process would close a
      // connection that seems idle, but has a request.
      const sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), sweepMs);
      const deadline = setTimeout(() => {
        log.warn({ connections: connections.size }, 'closing connections that took too long');
        server.closeAllConnections();
      }, maxMs);
      server.once('close', () => {
        clearInterval(sweep);
        clearTimeout(deadline);
      });
    },
  };
}

/**
 * Returns a function that waits, for at most `maxMs`, until all connections that clients have opened are
 * accepted. Node accepts one connection in each iteration of the event loop. So when an iteration accepts
 * none, none is pending.
 */
function watchPendingConnections(server: Server): (maxMs: number) => Promise<void> {
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
