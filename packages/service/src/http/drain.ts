import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const LONGEST_GRACE_MS = 500;
const LONGEST_ANSWERING_MS = 25_000;
const SWEEP_EVERY_MS = 50;

interface Connection {
  requestsUnderWay: number;
  /** What had been read from it when its last answer was sent; 0 before the first. */
  bytesRead: number;
}

/**
 * Lets a server that closes lose no request that had arrived: for a short while it still answers what comes, and
 * says `Connection: close`; then it listens no more, and closes each connection once its answer is sent.
 */
export function addDraining(app: FastifyInstance): void {
  const connections = new Map<Socket, Connection>();
  let isDraining = false;

  app.server.on('connection', (socket) => {
    connections.set(socket, { requestsUnderWay: 0, bytesRead: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requestsUnderWay += 1;
    answer.once('close', () => {
      connection.requestsUnderWay -= 1;
      connection.bytesRead = socket.bytesRead;
    });
  });
  // Node's own calls a connection idle whose answer is written, but not yet read by a slow client, and cuts it.
  app.server.closeIdleConnections = () => {
    for (const [socket, { requestsUnderWay, bytesRead }] of connections) {
      if (requestsUnderWay === 0 && socket.bytesRead === bytesRead) socket.destroy();
    }
  };

  // Fastify says so to what comes after the close was asked for; this, to what had come before.
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('Connection', 'close');
  });

  app.addHook('preClose', async () => {
    isDraining = true;
    // Two turns of the event loop accept the connections that had arrived.
    await nextTurn();
    await nextTurn();
    const graceEndsMs = performance.now() + LONGEST_GRACE_MS;
    while (connections.size > 0 && performance.now() < graceEndsMs) await wait(SWEEP_EVERY_MS);

    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_EVERY_MS);
    const deadline = setTimeout(() => {
      app.log.warn({ connections: connections.size }, 'connections are cut that took too long');
      app.server.closeAllConnections();
    }, LONGEST_ANSWERING_MS);
    app.server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(deadline);
    });
  });
}
