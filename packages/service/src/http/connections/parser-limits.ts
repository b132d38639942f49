import type { Socket } from 'node:net';
import type { Client, OpenConnection } from './open-connections.ts';

// Hardly any client sends a request before it has the response to the previous one.
const MAX_PIPELINED_REQUESTS = 10;
// Enough for a request with the largest headers, 16 KiB, on each of 1,000 connections.
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
// Each piece of a body costs about 1.2 µs, however small it is. A TCP segment or a chunk of a normal client carries more
// than 256 bytes. A piece counts as small if the pieces of its body, without one, have a smaller mean size.
const MIN_MEAN_PIECE_BYTES = 256;
const MAX_SMALL_PIECES_PER_SECOND = 20_000;
// Node reads the rest of a body after the response has been sent. This costs about 1.5 ms per MB. The limit allows for
// three uploads of 20 MiB with a wrong key.
const MAX_DISCARDED_BYTES_PER_SECOND = 64 * 1024 * 1024;

// Node's parser calls this method for each piece of a body. If it is not a function, the parser skips the piece.
const ON_BODY = 3;
const STOP_PARSING = 2;

// An undocumented part of Node's sockets.
interface Parser {
  /** Called for each parsed head of a request. Returns what the parser does next. */
  onIncoming?: (...args: unknown[]) => number;
  [ON_BODY]?: ((piece: Buffer) => void) | null | undefined;
}

// Node sets this function for every parser.
let passPiece: Parser[typeof ON_BODY];

/**
 * Limits what the parsers of a server read: requests in progress on a connection, and by client the size of their headers,
 * small pieces of bodies, and bodies that are discarded because the response has been sent. Connections above a limit
 * are closed. Returns a function that applies the limits to a new connection.
 */
export function createParserLimits(
  openConnections: Map<Socket, OpenConnection>,
): (connection: OpenConnection) => void {
  const smallPieces = createCounter();
  const discardedBytes = createCounter();

  // Node parses up to 64 KiB at once, which can be 2,000 requests. The parser does not stop when the socket is destroyed,
  // only when `onIncoming` returns STOP_PARSING.
  function limitRequests(parser: Parser, { socket, client, activeResponses }: OpenConnection): void {
    const { onIncoming } = parser;
    parser.onIncoming = (...args) => {
      const fitsShare = client.isTrustedProxy || client.headerBytes < MAX_HEADER_BYTES;
      if (fitsShare && activeResponses.size < MAX_PIPELINED_REQUESTS) return onIncoming?.(...args) ?? 0;
      socket.destroy();
      return STOP_PARSING;
    };
  }

  // The parser does not stop when the socket is destroyed. It has read up to 64 KiB, which can be 10,000 more pieces, so
  // `onBody` makes it skip them.
  function limitBodies(parser: Parser, { socket, client, activeResponses }: OpenConnection): void {
    passPiece ??= parser[ON_BODY];
    const { onIncoming } = parser;
    let pieces = 0;
    let bytes = 0;
    parser.onIncoming = (...args) => {
      pieces = 0;
      bytes = 0;
      return onIncoming?.(...args) ?? 0;
    };
    function onBody(this: Parser, piece: Buffer): void {
      pieces += 1;
      bytes += piece.length;
      const isMeanTooSmall = pieces > 1 + bytes / MIN_MEAN_PIECE_BYTES;
      const excessPieces = isMeanTooSmall ? smallPieces.add(client.name, 1) - MAX_SMALL_PIECES_PER_SECOND : 0;
      const isDiscarded = activeResponses.size === 0 && !client.isTrustedProxy;
      const discarded = isDiscarded ? discardedBytes.add(client.name, piece.length) : 0;
      if (excessPieces <= 0 && discarded <= MAX_DISCARDED_BYTES_PER_SECOND) {
        passPiece?.call(this, piece);
        return;
      }
      this[ON_BODY] = null;
      socket.destroy();
      if (excessPieces === 1) closeUnlessResponding(client);
    }
    parser[ON_BODY] = onBody;
    socket.once('close', () => {
      // Node uses the parser for other connections later. After a CONNECT request, another connection can already use it.
      if (parser[ON_BODY] === onBody || parser[ON_BODY] === null) parser[ON_BODY] = passPiece;
    });
  }

  // A connection can have sent 64 KiB of small pieces that are not parsed yet. To parse them takes about 1 ms, even if
  // they are skipped.
  function closeUnlessResponding(client: Client): void {
    if (client.isTrustedProxy) return;
    for (const { socket, client: owner, activeResponses } of openConnections.values()) {
      const isResponding = activeResponses.size > 0 && [...activeResponses].every(({ req }) => req.complete);
      if (owner === client && !isResponding) socket.destroy();
    }
  }

  return (connection) => {
    const { socket, client } = connection;
    const { parser } = socket as Socket & { parser?: Parser };
    if (parser?.onIncoming === undefined) return;
    limitRequests(parser, connection);
    limitBodies(parser, connection);
    const hasTooManyPieces = smallPieces.get(client.name) > MAX_SMALL_PIECES_PER_SECOND;
    if (hasTooManyPieces && !client.isTrustedProxy) socket.destroy();
  };
}

/** Counts by client, on all its connections, in windows of a second. */
function createCounter() {
  let counts = new Map<string, number>();
  let sinceMs = 0;

  function enterWindow(): void {
    const nowMs = performance.now();
    if (nowMs - sinceMs <= 1_000) return;
    sinceMs = nowMs;
    counts = new Map();
  }

  function get(clientName: string): number {
    enterWindow();
    return counts.get(clientName) ?? 0;
  }

  return {
    /** Returns the client's count in this window. */
    get,
    /** Adds to the client's count, and returns it. */
    add(clientName: string, amount: number): number {
      const count = get(clientName) + amount;
      counts.set(clientName, count);
      return count;
    },
  };
}
