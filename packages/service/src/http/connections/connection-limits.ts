import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If true, `uploadPauseMs` limits the pauses of the body, and `bodyMs` does not apply. */
    isUpload?: boolean;
  }
}

/** Timeouts of connections and requests, and limits of connections and of unread bytes. */
export interface ConnectionLimits {
  /**
   * From the start of a connection until Node reads the first byte of a request, and from this byte to the end of the
   * headers. A connection's wait for its turn to be read is part of it.
   */
  headersMs: number;
  /** From the headers of a request to the last byte of its body. Does not apply to uploads. */
  bodyMs: number;
  /** How long an upload may pause between two bytes. Checked at this interval, so a pause can take almost twice as long. */
  uploadPauseMs: number;
  /** The longest time from the first byte of a request to the last byte of its body. */
  requestMs: number;
  /**
   * How long a connection may stay without a byte in either direction. Longer than the longest wait of a request, which is
   * 60 seconds for the turn of a large body.
   */
  idleMs: number;
  /** From the headers of a request until the client has read the whole response. */
  responseMs: number;
  /**
   * How long a client may take to read a token, its metadata or its web page, a piece of a list, or 256 KiB of a larger
   * piece. Other responses have only `responseMs`.
   */
  readPieceMs: number;
  /** How often Node checks `headersMs` and `requestMs`, so they can be exceeded by this time. */
  checkMs: number;
  /** The maximum number of connections of all addresses together. */
  connections: number;
  /**
   * The maximum number of connections of one address. An IPv6 address counts with its /64. The addresses of trusted proxies
   * have no such limit.
   */
  connectionsPerAddress: number;
  /**
   * The most bytes that the kernel may keep for an address: responses that the client has not read, and requests that this
   * process has not read.
   */
  unreadBytesPerAddress: number;
  /** The shortest pause between two counts of the unread bytes. During it, `unreadBytesPerAddress` can be exceeded. */
  unreadCheckMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 15_000,
  bodyMs: 30_000,
  uploadPauseMs: 15_000,
  requestMs: 120_000,
  idleMs: 75_000,
  responseMs: 600_000,
  readPieceMs: 15_000,
  checkMs: 1_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  unreadBytesPerAddress: 64 * 1024 * 1024,
  unreadCheckMs: 1_000,
};

/**
 * Enforces `bodyMs`, `uploadPauseMs` and `responseMs`. `addReaders` enforces `readPieceMs`. The other timeouts are
 * options of Node's server.
 */
export function addTimeouts(app: FastifyInstance, limits: ConnectionLimits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const timer = setTimeout(() => raw.socket.destroy(), limits.responseMs);
    timer.unref();
    reply.raw.once('close', () => clearTimeout(timer));
    if (hasBody(request)) limitBodyTime(request, reply, limits);
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function limitBodyTime(
  { raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { bodyMs, uploadPauseMs }: ConnectionLimits,
): void {
  const { isUpload = false } = routeOptions.config;
  let lastBytesRead = raw.socket.bytesRead;
  const timer = setInterval(
    () => {
      const { bytesRead } = raw.socket;
      if (isUpload && bytesRead > lastBytesRead) {
        lastBytesRead = bytesRead;
        return;
      }
      clearInterval(timer);
      if (raw.complete) return;
      // The code that reads the body gets the error and responds. If nothing reads the body, or the response has been sent,
      // the connection is closed.
      const hasReader = raw.listenerCount('error') > 0;
      if (hasReader && !reply.sent) {
        raw.emit('error', new Refusal('RequestTimeout', 'The body was not received in time.'));
      } else raw.socket.destroy();
    },
    isUpload ? uploadPauseMs : bodyMs,
  );
  // Some requests emit neither `end` nor `close`. Their timer must not delay shutdown.
  timer.unref();
  for (const event of ['end', 'close']) raw.once(event, () => clearInterval(timer));
}
