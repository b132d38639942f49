import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { toAddressGroup } from '../caller-names.ts';

export interface OpenConnection {
  socket: Socket;
  client: Client;
  activeRequests: number;
  /**
   * The socket's `bytesRead` at the end of its last response; 0 before the first. If the socket has read more since
   * then, a new request is arriving.
   */
  bytesRead: number;
}

/** An address or, for IPv6, its /64. The address of a trusted proxy is always a client of its own. */
export interface Client {
  name: string;
  isTrustedProxy: boolean;
  connections: number;
  /** The connections without an active request. The one that has been idle longest is first. */
  idle: Set<OpenConnection>;
}

export interface OpenConnections {
  bySocket: Map<Socket, OpenConnection>;
  /** The clients that have a connection. */
  clients: Map<string, Client>;
  /** Closes a connection, and no longer counts it. */
  close(connection: OpenConnection): void;
}

/** Tracks the open connections of a server. */
export function trackConnections(server: Server, trustProxy: string[]): OpenConnections {
  const isInTrustedRange = proxyAddr.compile(trustProxy);
  const bySocket = new Map<Socket, OpenConnection>();
  const clients = new Map<string, Client>();

  function forget(connection: OpenConnection): void {
    if (!bySocket.delete(connection.socket)) return;
    const { client } = connection;
    client.connections -= 1;
    client.idle.delete(connection);
    if (client.connections === 0) clients.delete(client.name);
  }

  server.on('connection', (socket: Socket) => {
    const [address = ''] = (socket.remoteAddress ?? '').split('%');
    const isTrustedProxy = isIP(address) !== 0 && isInTrustedRange(address, 0);
    const name = isTrustedProxy ? `proxy ${address}` : toAddressGroup(address);
    const client = clients.get(name) ?? { name, isTrustedProxy, connections: 0, idle: new Set() };
    const connection = { socket, client, activeRequests: 0, bytesRead: 0 };
    clients.set(name, client);
    client.connections += 1;
    client.idle.add(connection);
    bySocket.set(socket, connection);
    socket.once('close', () => forget(connection));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(socket);
    if (connection === undefined) return;
    connection.activeRequests += 1;
    connection.client.idle.delete(connection);
    response.once('close', () => {
      connection.activeRequests -= 1;
      connection.bytesRead = socket.bytesRead;
      if (connection.activeRequests === 0 && bySocket.has(socket)) connection.client.idle.add(connection);
    });
  });

  return {
    bySocket,
    clients,
    close: (connection) => {
      forget(connection);
      connection.socket.destroy();
    },
  };
}
