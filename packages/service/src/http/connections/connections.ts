import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../../context.ts';
import type { Metrics } from '../../metrics.ts';
import { toAddressGroup } from '../caller-names.ts';
import type { ServerLimits } from '../limits.ts';
import type { ProxyCheck } from './proxy-headers.ts';

const LOG_INTERVAL_MS = 10_000;
// File descriptors that are reserved for the database, files and uploads.
const OTHER_DESCRIPTORS = 500;

export interface Connection {
  openedAtMs: number;
  activeResponses: Set<ServerResponse>;
  /**
   * The socket's `bytesRead` at the end of its last response; 0 before the first. If the socket has read more
   * since then, a new request may be arriving.
   */
  bytesReadAtLastResponse: number;
}

/** The open connections of a server. */
export type Connections = Map<Socket, Connection>;

interface ConnectionOptions {
  log: Context['log'];
  metrics: Pick<Metrics, 'droppedConnections'>;
  isTrustedProxy: ProxyCheck;
  limits: Pick<ServerLimits, 'connections' | 'connectionsPerAddress'>;
}

/**
 * Keeps the open connections of a server in `connections`. Closes a new connection if its address, or all
 * addresses together, have too many. An IPv6 address counts with its /64. Trusted proxies have no limit per
 * address.
 */
export function trackConnections(
  server: Server,
  connections: Connections,
  { log, metrics, isTrustedProxy, limits }: ConnectionOptions,
): void {
  const countByAddress = new Map<string, number>();
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  function onDropped(): void {
    metrics.droppedConnections.inc();
    if (performance.now() - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    log.warn({ connections: connections.size }, 'too many connections: new ones are closed');
  }

  function count(address: string, difference: 1 | -1): number {
    const connectionCount = (countByAddress.get(address) ?? 0) + difference;
    if (connectionCount === 0) countByAddress.delete(address);
    else countByAddress.set(address, connectionCount);
    return connectionCount;
  }

  server.maxConnections = Math.min(limits.connections, readMaxDescriptors() - OTHER_DESCRIPTORS);
  server.on('drop', onDropped);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // The address is unknown if the client has already reset the connection. A request that has arrived on it
    // is dropped.
    if (remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const address = toAddressGroup(remoteAddress);
    const isOverLimit = count(address, 1) > limits.connectionsPerAddress && !isTrustedProxy(remoteAddress);
    const connection = {
      openedAtMs: performance.now(),
      activeResponses: new Set<ServerResponse>(),
      bytesReadAtLastResponse: 0,
    };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      count(address, -1);
      // Node emits `close` only for the response that it is sending. The pipelined responses after it have no
      // socket yet. They hold resources too, which `close` releases.
      for (const response of connection.activeResponses) {
        if (response.socket === null) response.emit('close');
      }
    });
    if (!isOverLimit) return;
    onDropped();
    socket.destroy();
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.activeResponses.add(response);
    response.once('close', () => {
      connection.activeResponses.delete(response);
      connection.bytesReadAtLastResponse = socket.bytesRead;
    });
  });
}

/**
 * Returns how many files and sockets the process may have open; infinity on systems without `/proc`. Node
 * raises its limit to the maximum at the start.
 */
function readMaxDescriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
