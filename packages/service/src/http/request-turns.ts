import type { Server } from 'node:http';
import { createTurnQueue } from '@badge/turn-queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { nameAddress } from './caller-names.ts';
import { TURN_LIMITS } from './limits.ts';
import { stateOf } from './request-state.ts';

const { iterationMs, periodMs, maxWaitMs, maxBurst, maxSmallQueue, lateMs } = TURN_LIMITS;

interface WaitingRequest {
  request: FastifyRequest;
  sinceMs: number;
  handle: () => void;
}

/**
 * Returns a hook that shares the event loop by client address. In one iteration of the event loop, Node passes on every
 * request that has arrived, and accepts one connection. So requests wait in a queue if the iteration has taken 20 ms, or if
 * it or the one before has accepted a connection, because more may be pending. The addresses take turns: one request per
 * iteration, or several if they are late. While connections are being accepted, requests are handled only in every second
 * period of 20 ms, because accepting a connection takes less time than handling a request.
 *
 * In an overload, a request that has waited 500 ms is late: `refuseLateRequest` refuses it, so that the waits do not grow.
 */
export function createTurns(server: Server) {
  const queue = createTurnQueue<WaitingRequest>();
  let iterationStartMs: number | undefined;
  // Whether this iteration, or the one before, has accepted a connection.
  let hasAccepted = false;
  let hadAcceptedBefore = false;

  server.on('connection', () => {
    iterationStartMs ??= startIteration(performance.now());
    hasAccepted = true;
  });

  function takeTurn(request: FastifyRequest, reply: FastifyReply, handle: () => void): void {
    const nowMs = performance.now();
    iterationStartMs ??= startIteration(nowMs);
    const isBusy = hasAccepted || hadAcceptedBefore || nowMs - iterationStartMs > iterationMs;
    // A later request of an address does not overtake an earlier one.
    if (!isBusy && (queue.size === 0 || queue.sizeOf(nameAddress(request)) === 0)) {
      handle();
      return;
    }
    const address = nameAddress(request);
    const waiting = { request, sinceMs: nowMs, handle };
    queue.add(address, waiting);
    // A request of a closed connection is not handled.
    reply.raw.once('close', () => queue.remove(address, waiting));
  }

  function startIteration(nowMs: number): number {
    setImmediate(endIteration);
    return nowMs;
  }

  function endIteration(): void {
    iterationStartMs = undefined;
    hadAcceptedBefore = hasAccepted;
    hasAccepted = false;
    if (queue.size === 0 && !hadAcceptedBefore) return;
    const nowMs = performance.now();
    // The next iteration must call `endIteration` too, also if nothing arrives.
    iterationStartMs = startIteration(nowMs);
    const isPeriodOfConnections = hadAcceptedBefore && Math.floor(nowMs / periodMs) % 2 === 0;
    if (!isPeriodOfConnections) handleNext(nowMs + lateMs);
  }

  // Most late requests are refused, which takes less time than handling them. So after a late one, the next one is handled
  // in the same iteration.
  function handleNext(endMs: number): void {
    const next = queue.take();
    if (next === undefined) return;
    const { key: address, item } = next;
    const isOverload = queue.size > maxBurst && queue.sizeOf(address) > maxSmallQueue;
    const isLate = isOverload && performance.now() - item.sinceMs > maxWaitMs;
    stateOf(item.request).isLate = isLate;
    // When a client ends its side of a connection, Node ends the other side too. Then no response can be sent.
    if (!item.request.raw.socket.writableEnded) item.handle();
    if (!isLate) return;
    // Most of the work is done in microtasks. The next request starts after them, so `endMs` counts their time.
    queueMicrotask(() => process.nextTick(() => performance.now() < endMs && handleNext(endMs)));
  }

  return takeTurn;
}

/** Refuses a request that has waited too long for its turn in an overload. */
export function refuseLateRequest(request: FastifyRequest): void {
  if (!stateOf(request).isLate) return;
  throw new Refusal('Unavailable', 'The service gets more requests than it can handle. Retry later.');
}
