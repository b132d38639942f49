import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../../context.ts';
import type { Metrics } from '../metrics.ts';
import type { Client, OpenConnection, OpenConnections } from './open-connections.ts';
import type { Turns } from './take-turns.ts';

const LOG_INTERVAL_MS = 10_000;
// File descriptors that are reserved for the database, files and uploads.
const OTHER_DESCRIPTORS = 500;

interface LimitOptions {
  log: Context['log'];
  metrics: Metrics;
  connections: OpenConnections;
  turns: Turns;
  maxConnections: number;
  maxPerAddress: number;
}

/**
 * Limits the connections of each address, and of all addresses together. When a new connection exceeds a limit, one
 * address loses the connection that has been idle longest:
 * - If the address of the new connection has too many connections, it is this address.
 * - If all addresses together have too many, it is the one with the most connections among those with an idle connection. A
 *   trusted proxy is chosen only if no other address has an idle connection.
 *
 * A connection that waits for its turn to be read counts as idle too, but it may hold a request. If the address has only
 * such connections, it loses the newest one, which may be the new connection itself.
 */
export function limitConnections(server: Server, options: LimitOptions): void {
  const { log, metrics, connections, turns, maxPerAddress } = options;
  const maxConnections = Math.min(options.maxConnections, readMaxDescriptors() - OTHER_DESCRIPTORS);
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  server.on('connection', (socket: Socket) => {
    const client = connections.bySocket.get(socket)?.client;
    if (client === undefined) return;
    if (client.connections > maxPerAddress && !client.isTrustedProxy) closeOne(client, socket);
    else if (connections.bySocket.size > maxConnections) closeOne(findLargestClient(), socket);
  });

  function closeOne(client: Client | undefined, newSocket: Socket): void {
    const connection = chooseIdle(client, newSocket);
    if (connection === undefined) return;
    const isNew = connection.socket === newSocket;
    (isNew ? metrics.droppedConnections : metrics.replacedConnections).inc();
    connections.close(connection);
    if (performance.now() - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.warn({ connections: connections.bySocket.size }, 'too many connections: idle or new ones are closed');
  }

  // The connection that is idle longest. If none has been read, the newest.
  function chooseIdle(client: Client | undefined, newSocket: Socket): OpenConnection | undefined {
    let newest: OpenConnection | undefined;
    for (const connection of client?.idle ?? []) {
      newest = connection;
      if (connection.socket !== newSocket && !turns.isUnread(connection.socket)) return connection;
    }
    return newest;
  }

  // A proxy keeps idle connections on purpose. They are closed last.
  function findLargestClient(): Client | undefined {
    let largest: Client | undefined;
    let largestSize = -1;
    for (const client of connections.clients.values()) {
      if (client.idle.size === 0) continue;
      const size = client.isTrustedProxy ? 0 : client.connections;
      if (size > largestSize) [largest, largestSize] = [client, size];
    }
    return largest;
  }
}

/**
 * Returns how many files and sockets the process may have open; infinity on systems without `/proc`. Node raises its limit
 * to the maximum at the start.
 */
function readMaxDescriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
