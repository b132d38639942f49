import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressGroup } from '../caller-names.ts';

// Hardly any client sends a request before it has the response to the previous one.
const MAX_PIPELINED_REQUESTS = 10;
// Enough for a request with the largest headers, 16 KiB, on each of 1,000 connections.
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
// Each piece of a body costs about 1.2 µs, however small it is. A TCP segment or a chunk of a normal client carries more
// than 256 bytes. A piece counts as small if the pieces of its body, without one, have a smaller mean size.
const MIN_MEAN_PIECE_BYTES = 256;
const MAX_SMALL_PIECES_PER_SECOND = 20_000;

export interface OpenConnection {
  socket: Socket;
  client: Client;
  activeResponses: Set<ServerResponse>;
  /**
   * The socket's `bytesRead` at the end of its last response; 0 before the first. If the socket has read more since
   * then, a new request is arriving.
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
  const smallPieces = createSmallPieceCounter();

  function forget(connection: OpenConnection): void {
    if (!bySocket.delete(connection.socket)) return;
    const { client } = connection;
    client.connections -= 1;
    client.idle.delete(connection);
    if (client.connections === 0) clients.delete(client.name);
  }

  // A connection can have sent 64 KiB of small pieces that are not parsed yet. To parse them takes about 1 ms, even if they
  // are skipped.
  function closeUnlessResponding(client: Client): void {
    if (client.isTrustedProxy) return;
    for (const { socket, client: owner, activeResponses } of bySocket.values()) {
      const isResponding = activeResponses.size > 0 && [...activeResponses].every(({ req }) => req.complete);
      if (owner === client && !isResponding) socket.destroy();
    }
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket;
    // The client has reset the connection already. Node would still pass on a request that has arrived, but no address.
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
    limitPipelining(connection);
    limitSmallPieces(connection, {
      countPiece: () => smallPieces.count(name),
      onTooMany: () => closeUnlessResponding(client),
    });
    if (!isProxy && smallPieces.hasTooMany(name)) socket.destroy();
    socket.once('close', () => {
      forget(connection);
      // Node closes only the response that it is sending. The later ones on the connection hold resources too, so they are
      // closed here.
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

// Node's parser calls this method for each piece of a body. If it is not a function, the parser skips the piece.
const ON_BODY = 3;
const STOP_PARSING = 2;

// An undocumented part of Node's sockets.
interface Parser {
  /** Called for each parsed head of a request. Returns what the parser does next. */
  onIncoming?: (...args: unknown[]) => number;
  [ON_BODY]?: ((piece: Buffer) => void) | null | undefined;
}

function parserOf(socket: Socket): Parser | undefined {
  return (socket as Socket & { parser?: Parser }).parser;
}

/**
 * Closes the connection when it has too many requests in progress, or when the headers of all requests of its client are
 * too large together. Node parses up to 64 KiB at once, which can be 2,000 requests. The parser does not stop when the
 * socket is destroyed, only when `onIncoming` returns STOP_PARSING.
 */
function limitPipelining({ socket, client, activeResponses }: OpenConnection): void {
  const parser = parserOf(socket);
  const onIncoming = parser?.onIncoming;
  if (parser === undefined || onIncoming === undefined) return;
  parser.onIncoming = (...args) => {
    const fitsShare = client.isTrustedProxy || client.headerBytes < MAX_HEADER_BYTES;
    if (fitsShare && activeResponses.size < MAX_PIPELINED_REQUESTS) return onIncoming(...args);
    socket.destroy();
    return STOP_PARSING;
  };
}

// Node sets this function for every parser.
let passPiece: Parser[typeof ON_BODY];

/**
 * Closes the connection when its client has sent too many small pieces of bodies in this second. Every body counts, also
 * one that is discarded because the response has been sent. The parser does not stop when the socket is destroyed. It has
 * read up to 64 KiB, which can be 10,000 more pieces, so `onBody` makes it skip them.
 */
function limitSmallPieces(
  { socket }: OpenConnection,
  { countPiece, onTooMany }: { countPiece: () => number; onTooMany: () => void },
): void {
  const parser = parserOf(socket);
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming) return;
  passPiece ??= parser[ON_BODY];
  let pieces = 0;
  let bytes = 0;
  parser.onIncoming = (...args) => {
    pieces = 0;
    bytes = 0;
    return onIncoming(...args);
  };
  function onBody(this: Parser, piece: Buffer): void {
    pieces += 1;
    bytes += piece.length;
    const isMeanTooSmall = pieces > 1 + bytes / MIN_MEAN_PIECE_BYTES;
    const excess = isMeanTooSmall ? countPiece() - MAX_SMALL_PIECES_PER_SECOND : 0;
    if (excess <= 0) {
      passPiece?.call(this, piece);
      return;
    }
    this[ON_BODY] = null;
    socket.destroy();
    if (excess === 1) onTooMany();
  }
  parser[ON_BODY] = onBody;
  socket.once('close', () => {
    // Node uses the parser for other connections later. After a CONNECT request, another connection can already use it.
    if (parser[ON_BODY] === onBody || parser[ON_BODY] === null) parser[ON_BODY] = passPiece;
  });
}

/** Counts small pieces by client, on all its connections, in windows of a second. */
function createSmallPieceCounter() {
  let counts = new Map<string, number>();
  let sinceMs = 0;

  function enterWindow(): void {
    const nowMs = performance.now();
    if (nowMs - sinceMs <= 1_000) return;
    sinceMs = nowMs;
    counts = new Map();
  }

  return {
    /** Returns how many pieces the client has sent in this window. */
    count(clientName: string): number {
      enterWindow();
      const count = (counts.get(clientName) ?? 0) + 1;
      counts.set(clientName, count);
      return count;
    },
    hasTooMany(clientName: string): boolean {
      enterWindow();
      return (counts.get(clientName) ?? 0) > MAX_SMALL_PIECES_PER_SECOND;
    },
  };
}
