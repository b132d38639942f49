import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Permit } from '@badge/turn-queue/fair-semaphore';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from '../../domain/reader.ts';
import { nameAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import type { ServerLimits } from '../limits.ts';
import { BYTES_PER_REQUEST, type RateLimiter } from '../rate-limiter.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openReader: (request: FastifyRequest, reply: FastifyReply) => Promise<ResponseReader>;
  }
}

/** Runs the reads of one response. The memory that it holds is released when the response is sent or the client disconnects. */
export interface ResponseReader extends Reader {
  /** Aborts if the client closes the connection before the response is sent. */
  signal: AbortSignal;
  /** Waits until the response may hold this many bytes. Use it instead of `read` for a stored response. */
  hold(bytes: number): Promise<void>;
  /** Waits until the client may read a further page of a list that is sent as one response, and counts this page. */
  startPage(): Promise<void>;
  /**
   * Call this before each write of a result of `read`, with the size of the result. If the client needs longer than
   * `readPieceMs` to read what is written, the connection is closed.
   */
  startWriting(bytes: number): void;
}

type ReadLimiter = Pick<
  RateLimiter,
  'countRead' | 'checkMayRead' | 'pauseBeforeReadMs' | 'countPage' | 'pauseBeforePageMs'
>;

/**
 * Adds `openReader` to the app. A client that takes longer than `readPieceMs` to read what was written is disconnected.
 * `readLimiter` limits the bytes that an address reads; null: no limit.
 */
export function addReaders(
  app: FastifyInstance,
  { readPieceMs }: Pick<ServerLimits, 'readPieceMs'>,
  readLimiter: ReadLimiter | null = null,
): void {
  const { listMemory, readConnections } = app.resources;

  app.decorate('openReader', async (request: FastifyRequest, reply: FastifyReply) => {
    const response = reply.raw;
    const address = nameAddress(request);
    const signal = clientSignal(reply);
    // A PATCH reads the changed object for its response after its commit, so it must not be refused then.
    const limiter = request.method === 'GET' || request.method === 'HEAD' ? readLimiter : null;
    // The memory that the response holds. Each read replaces it. It is released when the response is closed, but not
    // before a running query ends.
    let permit: Permit | undefined;
    let isReading = false;
    let isFirstRead = true;
    // Whether the bytes of the latest read are counted.
    let isCounted = false;
    // The first bytes of a response are not counted. This many of them are still free.
    let freeBytes = BYTES_PER_REQUEST;
    let writeTimer: NodeJS.Timeout | undefined;

    function releaseMemory(): void {
      permit?.release();
      permit = undefined;
    }
    response.once('close', () => {
      clearTimeout(writeTimer);
      // A running query holds its memory until it ends.
      if (!isReading) releaseMemory();
    });
    // Node assigns the socket to a pipelined response when the responses before it are sent. Until then, nothing can be
    // sent, so the database is not read.
    if (response.socket === null) {
      await once(response, 'socket', { signal }).catch(() => signal.throwIfAborted());
    }

    function countBytes(bytes: number): void {
      if (isCounted) return;
      isCounted = true;
      if (bytes > freeBytes) limiter?.countRead(request, bytes - freeBytes);
      freeBytes = Math.max(0, freeBytes - bytes);
    }

    // The first read is refused if the address has used up its quota of bytes. A later read waits for the next window,
    // because the response may have begun.
    async function acquireMemory(bytes: number): Promise<Permit> {
      for (;;) {
        if (isFirstRead) limiter?.checkMayRead(request, reply);
        const waitMs = limiter?.pauseBeforeReadMs(request) ?? 0;
        if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        const acquired = await listMemory.acquire(address, bytes, signal);
        // During the wait for memory, other requests of the address may have used up the quota.
        const isWithinQuota = (limiter?.pauseBeforeReadMs(request) ?? 0) === 0;
        if (isWithinQuota) return acquired;
        acquired.release();
      }
    }

    async function runWithMemory<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
      clearTimeout(writeTimer);
      releaseMemory();
      isReading = true;
      try {
        permit = await acquireMemory(bytes);
        isFirstRead = false;
        isCounted = false;
        return await work();
      } finally {
        isReading = false;
        if (signal.aborted) releaseMemory();
      }
    }

    return {
      signal,
      startPage: async () => {
        clearTimeout(writeTimer);
        for (;;) {
          const waitMs = limiter?.pauseBeforePageMs(request) ?? 0;
          if (waitMs === 0) break;
          await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
        limiter?.countPage(request);
      },
      hold: async (bytes) => await runWithMemory(bytes, async () => undefined),
      read: (maxBytes, query) =>
        runWithMemory(maxBytes, async () => {
          const result = await readConnections.run(address, signal, query);
          // The result is not processed if the client has left meanwhile, but it is counted.
          if (signal.aborted && limiter !== null) countBytes(JSON.stringify(result)?.length ?? 0);
          signal.throwIfAborted();
          return result;
        }),
      startWriting: (bytes) => {
        countBytes(bytes);
        permit?.resize(bytes);
        clearTimeout(writeTimer);
        if (!signal.aborted) writeTimer = setTimeout(() => request.raw.socket.destroy(), readPieceMs);
      },
    };
  });
}
