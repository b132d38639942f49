import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../../context.ts';
import { toAddressGroup } from '../caller-names.ts';
import type { Metrics } from '../metrics.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { OpenConnections } from './open-connections.ts';

/** The sockets of Linux, by protocol. Other systems have no such files, and then nothing is limited. */
const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTENING = '0A';
// The tables list every socket of the machine, so reading them can take long. The pause after a read is at least this many
// times as long as the read.
const PAUSE_PER_READ = 10;

interface UnreadSocket {
  clientName: string;
  clientPort: number;
  unreadBytes: number;
}

/**
 * Resets connections of an address for which the kernel keeps too many unread bytes:
 * - Responses. Node passes a small response to the kernel at once, and does not know whether the client reads it. The
 *   kernel keeps up to 4 MiB for each connection, even after the connection is closed.
 * - Requests. This process does not read a connection that waits for its turn, nor a body while its request waits. A client can let the kernel keep up to 32 MiB.
 *
 * When the kernel's memory for TCP is used up, it drops packets of all clients. Addresses of trusted proxies have no limit.
 */
export function limitUnreadBytes(
  server: Server,
  options: { log: Context['log']; metrics: Metrics; connections: OpenConnections; limits: ConnectionLimits },
): void {
  const { log, metrics, connections, limits } = options;
  // The clients whose closed connections alone have too many unread bytes. Their new connections are reset.
  let refused = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  server.on('connection', (socket: Socket) => {
    const { client } = connections.bySocket.get(socket) ?? {};
    if (client !== undefined && refused.has(client.name)) reset(socket);
  });
  server.once('listening', () => schedule(limits.unreadCheckMs));
  server.once('close', () => clearTimeout(timer));

  function schedule(pauseMs: number): void {
    if (server.listening) timer = setTimeout(() => void check(), pauseMs).unref();
  }

  async function check(): Promise<void> {
    const startMs = performance.now();
    const tables = await Promise.all(SOCKET_TABLES.map((file) => readFile(file, 'latin1').catch(() => '')));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const isSupported = tables.some((table) => table !== '');
    if (port === undefined || !isSupported) return;
    resetUnread(tables.flatMap((table) => parseSocketTable(table, port)));
    schedule(Math.max(limits.unreadCheckMs, PAUSE_PER_READ * (performance.now() - startMs)));
  }

  function resetUnread(sockets: UnreadSocket[]): void {
    refused = new Set();
    const byClient = Map.groupBy(sockets, ({ clientName }) => clientName);
    for (const [clientName, ofClient] of byClient) {
      const unreadBytesOfClient = ofClient.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
      if (unreadBytesOfClient <= limits.unreadBytesPerAddress) continue;
      let bytes = unreadBytesOfClient;
      let resetConnections = 0;
      // Resets the connections with the most unread bytes first, until half of the limit remains.
      ofClient.sort((a, b) => b.unreadBytes - a.unreadBytes);
      const open = findOpenSockets(clientName);
      for (const { clientPort, unreadBytes } of ofClient) {
        const socket = open.get(clientPort);
        if (socket === undefined) continue;
        reset(socket);
        resetConnections += 1;
        bytes -= unreadBytes;
        if (bytes <= limits.unreadBytesPerAddress / 2) break;
      }
      if (bytes > limits.unreadBytesPerAddress) refused.add(clientName);
      // Nothing is logged for a trusted proxy, nor if only closed connections have unread bytes.
      if (resetConnections === 0) continue;
      log.warn(
        { address: clientName, bytes: unreadBytesOfClient, resetConnections },
        'connections were reset, because their address has too many unread bytes',
      );
    }
  }

  /** Returns the client's open sockets by their port; none for a trusted proxy, which is tracked under another name. */
  function findOpenSockets(clientName: string): Map<number, Socket> {
    const open = new Map<number, Socket>();
    for (const [socket, { client }] of connections.bySocket) {
      if (client.name === clientName && socket.remotePort !== undefined) open.set(socket.remotePort, socket);
    }
    return open;
  }

  // The kernel drops what it keeps for a connection only if the connection is reset.
  function reset(socket: Socket): void {
    metrics.resetConnections.inc();
    socket.resetAndDestroy();
  }
}

// A line is `1: LOCAL:PORT REMOTE:PORT STATE SENT:RECEIVED …`, in hexadecimal after the line number. SENT are the bytes that
// the client's system has not acknowledged, RECEIVED those that this process has not read. For a listening socket, both have
// another meaning. Lines without unread bytes do not match.
const SOCKET_LINE =
  /^ *\d+: [\dA-F]+:(?<port>[\dA-F]{4}) (?<client>[\dA-F]+):(?<clientPort>[\dA-F]{4}) (?<state>[\dA-F]{2}) (?!0{8}:0{8})(?<sent>[\dA-F]{8}):(?<received>[\dA-F]{8}) /gm;

/** Returns the connections to a port, open or closed, for which the kernel keeps unread bytes. */
function parseSocketTable(table: string, port: number): UnreadSocket[] {
  const sockets: UnreadSocket[] = [];
  for (const { groups } of table.matchAll(SOCKET_LINE)) {
    const { port: localPort = '', client = '', clientPort = '', state } = groups ?? {};
    const { sent = '', received = '' } = groups ?? {};
    if (Number.parseInt(localPort, 16) !== port || state === LISTENING) continue;
    sockets.push({
      clientName: toAddressGroup(parseAddress(client)),
      clientPort: Number.parseInt(clientPort, 16),
      unreadBytes: Number.parseInt(sent, 16) + Number.parseInt(received, 16),
    });
  }
  return sockets;
}

// The address consists of 32-bit numbers, whose bytes are in the order of x64 and arm64: the last one first.
function parseAddress(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').swap32();
  return bytes.length === 4 ? bytes.join('.') : (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}
