import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from '../../domain/reader.ts';
import { Refusal } from '../../domain/refusal.ts';
import { toAddressGroup } from '../rate-limits/address-group.ts';
import { createFairSemaphore, type Permit } from './fair-semaphore.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openReader: (request: FastifyRequest, reply: FastifyReply) => Promise<ResponseReader>;
  }
}

/** What lists and tokens that are read and sent may use. An address is an IPv4 address or an IPv6 /64. */
export interface ReadLimits {
  /** The most bytes in memory, of all addresses and of one. */
  totalBytes: number;
  addressBytes: number;
  /** The most database connections, of all addresses and of one. The others of the pool are for writes and small reads. */
  totalConnections: number;
  addressConnections: number;
  /** The most reads of one address that wait for memory or a connection. */
  maxWaiting: number;
  waitMs: number;
  /** How long a client may take to read a piece, or 256 KiB of it. */
  writeMs: number;
}

export const READ_LIMITS: ReadLimits = {
  totalBytes: 64 * 1024 * 1024,
  addressBytes: 4 * 1024 * 1024,
  totalConnections: 8,
  addressConnections: 3,
  maxWaiting: 1_000,
  waitMs: 10_000,
  writeMs: 15_000,
};

/** Reads and sends one response. What it holds is released when the response is sent or the connection is closed. */
export interface ResponseReader extends Reader {
  /** Aborts when the response is sent or the connection is closed. */
  signal: AbortSignal;
  /** Call this when a result of `read` is being sent, with its size. Closes the connection if the client is too slow. */
  startWriting(bytes: number): void;
}

/** Adds `openReader` to the app. */
export function addReaders(app: FastifyInstance, limits: ReadLimits): void {
  const { maxWaiting, waitMs } = limits;
  const memory = createFairSemaphore({
    total: limits.totalBytes,
    perAddress: limits.addressBytes,
    maxWaiting,
    waitMs,
  });
  const connections = createFairSemaphore({
    total: limits.totalConnections,
    perAddress: limits.addressConnections,
    maxWaiting,
    waitMs,
  });

  app.decorate('openReader', async (request: FastifyRequest, reply: FastifyReply) => {
    const response = reply.raw;
    const address = toAddressGroup(request.ip);
    const abort = new AbortController();
    const { signal } = abort;
    let permit: Permit | undefined;
    let isReading = false;
    let writeTimer: NodeJS.Timeout | undefined;

    function release(): void {
      permit?.release();
      permit = undefined;
    }
    response.once('close', () => {
      clearTimeout(writeTimer);
      // Not an internal error.
      abort.abort(new Refusal('Unavailable', 'The client has closed the connection.'));
      if (!isReading) release();
    });
    // Node assigns the socket when the responses to earlier requests on the connection are sent.
    if (response.socket === null) {
      await once(response, 'socket', { signal }).catch(() => signal.throwIfAborted());
    }

    return {
      signal,
      read: async (maxBytes, query) => {
        clearTimeout(writeTimer);
        release();
        isReading = true;
        try {
          permit = await memory.acquire(address, maxBytes, signal);
          const connection = await connections.acquire(address, 1, signal);
          return await query().finally(connection.release);
        } finally {
          isReading = false;
          if (signal.aborted) release();
        }
      },
      startWriting: (bytes) => {
        permit?.resize(bytes);
        clearTimeout(writeTimer);
        if (!signal.aborted) writeTimer = setTimeout(() => request.raw.socket.destroy(), limits.writeMs);
      },
    };
  });
}
