import type { Socket } from 'node:net';
import type { Client, OpenConnection } from './open-connections.ts';

// Hardly any client sends a request before it has the response to the previous one.
const MAX_PIPELINED_REQUESTS = 10;
// Enough for a request with the largest headers, 16 KiB, on each of 1,000 connections.
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
// Each piece of a body costs up to 9 µs, however small it is. So the small pieces of each client are limited. A body may
// have one piece, and one more for each 4 KiB that have arrived. While it has more than that, each new piece counts as
// small. A client with TCP segments of 1,460 bytes can still send 29 MB per second. A proxy that many clients share may send
// smaller pieces.
const MIN_MEAN_PIECE_BYTES = 4_096;
const MIN_MEAN_PIECE_BYTES_OF_PROXY = 256;
const MAX_SMALL_PIECES_PER_SECOND = 20_000;
// Node reads the rest of a body after the response has been sent, and any number of empty lines before a request. This
// costs about 1.5 ms per MB. The limit allows for three uploads of 20 MiB with a wrong key.
const MAX_OTHER_BYTES_PER_SECOND = 64 * 1024 * 1024;

// Node's parser calls the function in this property for each piece of a body. Without a function, it skips the piece.
const ON_BODY = 3;
// Node's parser calls the function in this property after it has parsed what was read from the socket.
const ON_EXECUTE = 5;
const STOP_PARSING = 2;

// These are undocumented parts of Node.
interface ParsedSocket extends Socket {
  parser?: Parser;
  _handle: { readStop(): void } | null;
}

interface Parser {
  /** Called for each parsed head of a request. Returns what the parser does next. */
  onIncoming?: (...args: unknown[]) => number;
  [ON_BODY]?: ((piece: Buffer) => void) | null | undefined;
  [ON_EXECUTE]?: ((result: number | Error) => void) | null | undefined;
}

// Node's own function for a piece, which is the same for every parser.
let passPiece: Parser[typeof ON_BODY];

/**
 * Limits what the parsers of a server read. Connections above a limit are closed.
 * - Each connection has a limit of requests in progress.
 * - Each client has three limits: the header bytes of its requests in progress, the small pieces of bodies, and the bytes
 *   that are not part of the body of a request in progress. A trusted proxy has only the limit of small pieces.
 *
 * After something that is not HTTP, no more is read from a connection.
 *
 * Returns a function that applies the limits to a new connection.
 */
export function createParserLimits(
  openConnections: Map<Socket, OpenConnection>,
): (connection: OpenConnection) => void {
  const smallPieces = createCounter();
  const otherBytes = createCounter();

  // Node parses up to 64 KiB at once, which can be 2,000 requests. The parser does not stop when the socket is destroyed,
  // only when `onIncoming` returns STOP_PARSING.
  function limitRequests(
    parser: Parser,
    { socket, client, activeResponses }: OpenConnection,
    startBody: () => void,
  ): void {
    const { onIncoming } = parser;
    parser.onIncoming = (...args) => {
      const mayAddHeaders = client.isTrustedProxy || client.headerBytes < MAX_HEADER_BYTES;
      if (mayAddHeaders && activeResponses.size < MAX_PIPELINED_REQUESTS) {
        startBody();
        return onIncoming?.(...args) ?? 0;
      }
      socket.destroy();
      return STOP_PARSING;
    };
  }

  // The parser does not stop when the socket is destroyed. It has read up to 64 KiB, which can be 10,000 more pieces, so
  // `onBody` makes it skip them. Returns a function to call for each request, before its body.
  function limitBodies(parser: Parser, { socket, client }: OpenConnection): () => void {
    passPiece ??= parser[ON_BODY];
    const minMeanBytes = client.isTrustedProxy ? MIN_MEAN_PIECE_BYTES_OF_PROXY : MIN_MEAN_PIECE_BYTES;
    let pieces = 0;
    let bytes = 0;
    function onBody(this: Parser, piece: Buffer): void {
      pieces += 1;
      bytes += piece.length;
      const isMeanTooSmall = pieces > 1 + bytes / minMeanBytes;
      const smallCount = isMeanTooSmall ? smallPieces.add(client.name, 1) : 0;
      if (smallCount <= MAX_SMALL_PIECES_PER_SECOND) {
        passPiece?.call(this, piece);
        return;
      }
      this[ON_BODY] = null;
      socket.destroy();
      // Called once in a window, because `closeOthersOf` goes through all open connections.
      if (smallCount === MAX_SMALL_PIECES_PER_SECOND + 1) closeOthersOf(client);
    }
    parser[ON_BODY] = onBody;
    socket.once('close', () => {
      // Node uses the parser for other connections later. After a CONNECT request, another connection can already use it.
      if (parser[ON_BODY] === onBody || parser[ON_BODY] === null) parser[ON_BODY] = passPiece;
    });
    return () => {
      pieces = 0;
      bytes = 0;
    };
  }

  // Counts the heads of requests, empty lines, and bodies that arrive after their response. Other limits apply to the body
  // of a request in progress.
  function limitReads(parser: Parser, { socket, client, activeResponses }: OpenConnection): void {
    const onExecute = parser[ON_EXECUTE];
    let readBytes = 0;
    let isBodyIncomplete = false;
    let isBroken = false;
    parser[ON_EXECUTE] = (result) => {
      const newBytes = socket.bytesRead - readBytes;
      const wasBodyIncomplete = isBodyIncomplete;
      readBytes = socket.bytesRead;
      isBodyIncomplete = [...activeResponses].some(({ req }) => !req.complete);
      const isInBody = wasBodyIncomplete || isBodyIncomplete;
      const isLimited = !isInBody && !client.isTrustedProxy;
      if (isLimited && otherBytes.add(client.name, newBytes) > MAX_OTHER_BYTES_PER_SECOND) {
        socket.destroy();
        return;
      }
      // Node would report each further read as an error of its own, and keep its bytes until the connection is closed.
      if (isBroken) (socket as ParsedSocket)._handle?.readStop();
      else onExecute?.(result);
      isBroken = result instanceof Error;
    };
  }

  // Closes the client's connections, because each can have 64 KiB of small pieces left to parse. This takes about 1 ms, even
  // if the pieces are skipped. A connection stays open if its requests are complete and wait for their responses.
  function closeOthersOf(client: Client): void {
    if (client.isTrustedProxy) return;
    for (const { socket, client: owner, activeResponses } of openConnections.values()) {
      const isResponding = activeResponses.size > 0 && [...activeResponses].every(({ req }) => req.complete);
      if (owner === client && !isResponding) socket.destroy();
    }
  }

  return (connection) => {
    const { socket, client } = connection;
    const { parser } = socket as ParsedSocket;
    if (parser?.onIncoming === undefined) return;
    const startBody = limitBodies(parser, connection);
    limitRequests(parser, connection, startBody);
    limitReads(parser, connection);
    const hasTooManyPieces = smallPieces.get(client.name) > MAX_SMALL_PIECES_PER_SECOND;
    if (hasTooManyPieces && !client.isTrustedProxy) socket.destroy();
  };
}

/** Creates a counter that has a count for each client. After a second, all counts start again from 0. */
function createCounter() {
  let counts = new Map<string, number>();
  let windowStartMs = 0;

  function enterWindow(): void {
    const nowMs = performance.now();
    if (nowMs - windowStartMs <= 1_000) return;
    windowStartMs = nowMs;
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
