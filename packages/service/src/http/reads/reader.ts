import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from '../../domain/reader.ts';
import { nameAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import type { ConnectionLimits } from '../connections/connection-limits.ts';
import type { Permit } from '../shares/fair-semaphore.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openReader: (request: FastifyRequest, reply: FastifyReply) => Promise<ResponseReader>;
  }
}

/**
 * Reads and sends one response. The memory of the response is released when it is sent or the client disconnects.
 */
export interface ResponseReader extends Reader {
  /** Aborts if the client closes the connection before the response is sent. */
  signal: AbortSignal;
  /**
   * Call this before each write of a result of `read`, with the size of the result. If the client does not read what is
   * written within `listPieceMs`, the connection is closed.
   */
  startWriting(bytes: number): void;
}

/**
 * Adds `openReader` to the app. A client that needs longer than `listPieceMs` to read a piece, or 256 KiB of a larger
 * piece, is disconnected.
 */
export function addReaders(
  app: FastifyInstance,
  { listPieceMs }: Pick<ConnectionLimits, 'listPieceMs'>,
): void {
  const { listMemory, readConnections } = app.resources;

  app.decorate('openReader', async (request: FastifyRequest, reply: FastifyReply) => {
    const response = reply.raw;
    const address = nameAddress(request);
    const signal = clientSignal(reply);
    let permit: Permit | undefined;
    let isReading = false;
    let writeTimer: NodeJS.Timeout | undefined;

    function release(): void {
      permit?.release();
      permit = undefined;
    }
    response.once('close', () => {
      clearTimeout(writeTimer);
      // A running query holds its memory until it ends.
      if (!isReading) release();
    });
    // Node assigns the socket to a pipelined response when the responses before it are sent. The database is not read
    // before, because nothing can be sent.
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
          permit = await listMemory.acquire(address, maxBytes, signal);
          return await readConnections.run(address, signal, query);
        } finally {
          isReading = false;
          if (signal.aborted) release();
        }
      },
      startWriting: (bytes) => {
        permit?.resize(bytes);
        clearTimeout(writeTimer);
        if (!signal.aborted) writeTimer = setTimeout(() => request.raw.socket.destroy(), listPieceMs);
      },
    };
  });
}
