import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from '../../domain/reader.ts';
import { Refusal } from '../../domain/refusal.ts';
import { nameAddress } from '../caller-names.ts';
import type { ConnectionLimits } from '../connections/connection-limits.ts';
import type { Permit } from '../shares/fair-semaphore.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openReader: (request: FastifyRequest, reply: FastifyReply) => Promise<ResponseReader>;
  }
}

/** Reads and sends one response. What it holds is released when the response is sent or the connection is closed. */
export interface ResponseReader extends Reader {
  /** Aborts when the response is sent or the connection is closed. */
  signal: AbortSignal;
  /** Call this when a result of `read` is being sent, with its size. Closes the connection if the client is too slow. */
  startWriting(bytes: number): void;
}

/** Adds `openReader` to the app. A client may take `listPieceMs` to read a piece, or 256 KiB of it. */
export function addReaders(
  app: FastifyInstance,
  { listPieceMs }: Pick<ConnectionLimits, 'listPieceMs'>,
): void {
  const { listMemory, readConnections } = app.resources;

  app.decorate('openReader', async (request: FastifyRequest, reply: FastifyReply) => {
    const response = reply.raw;
    const address = nameAddress(request);
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
