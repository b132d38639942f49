/** Timeouts of connections and requests, and limits of connections. */
export interface ServerLimits {
  /** From the start of a connection or of a request to the end of the request's headers. */
  headersMs: number;
  /** From the headers of a request to the last byte of its body. Does not apply to uploads. */
  bodyMs: number;
  /**
   * How long an upload may pause between two bytes. Checked at this interval, so a pause can take almost
   * twice as long.
   */
  uploadPauseMs: number;
  /** The longest time from the first byte of a request to the last byte of its body. */
  requestMs: number;
  /**
   * How long a connection may stay without a byte in either direction. Longer than the longest wait of a
   * request, which is 30 seconds for an operation.
   */
  idleMs: number;
  /**
   * How long an idle connection stays open for the next request. Longer than the 60 seconds for which nginx
   * keeps an idle connection to a server. So nginx closes the connection first, and sends no request on one
   * that this timeout is closing.
   */
  keepAliveMs: number;
  /** From the headers of a request until the client has read the whole response. */
  responseMs: number;
  /**
   * How long a client may take to read a token, its metadata or its web page, a piece of a list, or 256 KiB
   * of a larger piece. Other responses have only `responseMs`.
   */
  readPieceMs: number;
  /** How often Node checks `headersMs` and `requestMs`, so they can be exceeded by this time. */
  checkMs: number;
  /** The maximum number of connections of all addresses together. */
  connections: number;
  /**
   * The maximum number of connections of one address. An IPv6 address counts with its /64. The addresses of
   * trusted proxies have no such limit.
   */
  connectionsPerAddress: number;
  /**
   * The longest parameter in a path. Node's own limit for the path and the headers together, so no id is
   * longer. With a lower limit, a long id would get the 404 of an unknown path, instead of the error of its
   * route.
   */
  parameterCharacters: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 15_000,
  bodyMs: 30_000,
  uploadPauseMs: 15_000,
  requestMs: 120_000,
  idleMs: 75_000,
  keepAliveMs: 72_000,
  responseMs: 600_000,
  readPieceMs: 15_000,
  checkMs: 1_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  parameterCharacters: 16 * 1024,
};

/** What a stop waits for (`connections/drain.ts`). */
export const DRAIN_LIMITS = {
  /** How long a stopping process still accepts requests. */
  graceMs: 500,
  /** The longest wait for connections that clients have opened and that are not accepted yet. */
  maxAcceptMs: 1_500,
  /**
   * How long a new connection may send nothing. A proxy sends its request directly after it has opened a
   * connection.
   */
  maxFirstRequestMs: 250,
  /** The longest wait for responses. A stop takes at most 40 seconds in all (docs/operations.md). */
  maxMs: 25_000,
  sweepMs: 50,
};

/** JSON bodies (`json-body.ts`). */
export const BODY_LIMITS = {
  /**
   * A smaller body counts as this much. So a caller can have only about 1,000 requests with a body in
   * progress. This limits how long each of them waits for the others in the database.
   */
  minRequestBytes: 16 * 1024,
  /** A caller's requests with a larger body are handled one at a time (`largeBodies` in `shares/`). */
  largeBytes: 16 * 1024,
};
