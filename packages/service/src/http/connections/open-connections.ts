import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressGroup } from '../caller-names.ts';
import { createParserLimits } from './parser-limits.ts';

export interface OpenConnection {
  socket: Socket;
  client: Client;
  activeResponses: Set<ServerResponse>;
  /**
   * The socket's `bytesRead` at the end of its last response; 0 before the first. If the socket has read more since
   * then, a new request may be arriving.
   */
  bytesReadAtLastResponse: number;
}

/** An address or, for IPv6, its /64. The address of a trusted proxy is always a client of its own. */
export interface Client {
  name: string;
  isTrustedProxy: boolean;
  connections: number;
  /** The size of the headers of all active requests. */
  headerBytes: number;
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
export function trackConnections(
  server: Server,
  isTrustedProxy: (address?: string) => boolean,
): OpenConnections {
  const bySocket = new Map<Socket, OpenConnection>();
  const clients = new Map<string, Client>();
  const limitParser = createParserLimits(bySocket);

  function forget(connection: OpenConnection): void {
    if (!bySocket.delete(connection.socket)) return;
    const { client } = connection;
    client.connections -= 1;
    client.idle.delete(connection);
    if (client.connections === 0) clients.delete(client.name);
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket;
    // The address is unknown if the client has already reset the connection. A request that has arrived on it is dropped.
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const isProxy = isTrustedProxy(address);
    const name = isProxy ? `proxy ${address}` : toAddressGroup(address);
    const client = clients.get(name) ?? {
      name,
      isTrustedProxy: isProxy,
      connections: 0,
      headerBytes: 0,
      idle: new Set(),
    };
    const connection = {
      socket,
      client,
      activeResponses: new Set<ServerResponse>(),
      bytesReadAtLastResponse: 0,
    };
    clients.set(name, client);
    client.connections += 1;
    client.idle.add(connection);
    bySocket.set(socket, connection);
    limitParser(connection);
    socket.once('close', () => {
      forget(connection);
      // Node emits `close` only for the response that it is sending. The pipelined responses after it have no socket yet.
      // They hold resources too, which `close` releases.
      for (const response of connection.activeResponses) {
        if (response.socket === null) response.emit('close');
      }
    });
  });
  server.on('request', ({ socket, rawHeaders }: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(socket);
    if (connection === undefined) return;
    const headerBytes = rawHeaders.reduce((bytes, text) => bytes + text.length, 0);
    connection.client.headerBytes += headerBytes;
    connection.activeResponses.add(response);
    connection.client.idle.delete(connection);
    response.once('close', () => {
      connection.client.headerBytes -= headerBytes;
      connection.activeResponses.delete(response);
      connection.bytesReadAtLastResponse = socket.bytesRead;
      if (connection.activeResponses.size === 0 && bySocket.has(socket))
        connection.client.idle.add(connection);
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
