import type { Permit } from '@badge/turn-queue/fair-semaphore';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from '../../domain/reader.ts';
import { nameAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import type { ServerLimits } from '../limits.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openReader: (request: FastifyRequest, reply: FastifyReply) => ResponseReader;
  }
}

/**
 * Runs the reads of one response. The memory that it holds is released when the response is sent or the
 * client disconnects.
 */
export interface ResponseReader extends Reader {
  /** Aborts if the client closes the connection before the response is sent. */
  signal: AbortSignal;
  /** Waits until the response may hold this many bytes. Use it instead of `read` for a stored response. */
  hold(bytes: number): Promise<void>;
  /**
   * Call this before each write of a result of `read`, with the size of the result. If the client needs
   * longer than `readPieceMs` to read what is written, the connection is closed.
   */
  startWriting(bytes: number): void;
}

/**
 * Adds `openReader` to the app. A client that takes longer than `readPieceMs` to read what was written is
 * disconnected.
 */
export function addReaders(app: FastifyInstance, { readPieceMs }: Pick<ServerLimits, 'readPieceMs'>): void {
  const { responseMemory, readConnections } = app.resources;

  app.decorate('openReader', (request: FastifyRequest, reply: FastifyReply) => {
    const address = nameAddress(request);
    const signal = clientSignal(reply);
    // The memory that the response holds. Each read replaces it. It is released when the response is closed,
    // but not before a running query ends.
    let permit: Permit | undefined;
    let isReading = false;
    let writeTimer: NodeJS.Timeout | undefined;

    function releaseMemory(): void {
      permit?.release();
      permit = undefined;
    }
    reply.raw.once('close', () => {
      clearTimeout(writeTimer);
      if (!isReading) releaseMemory();
    });

    async function runWithMemory<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
      clearTimeout(writeTimer);
      releaseMemory();
      isReading = true;
      try {
        permit = await responseMemory.acquire(address, bytes, signal);
        return await work();
      } finally {
        isReading = false;
        if (signal.aborted) releaseMemory();
      }
    }

    return {
      signal,
      hold: async (bytes) => await runWithMemory(bytes, async () => undefined),
      read: (maxBytes, query) =>
        runWithMemory(maxBytes, async () => {
          const result = await readConnections.run(address, signal, query);
          // The result is not processed if the client has left meanwhile.
          signal.throwIfAborted();
          return result;
        }),
      startWriting: (bytes) => {
        permit?.resize(bytes);
        clearTimeout(writeTimer);
        if (!signal.aborted) writeTimer = setTimeout(() => request.raw.socket.destroy(), readPieceMs);
      },
    };
  });
}
