import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { toAddressGroup } from '../caller-names.ts';

const MAX_ITERATION_MS = 20;
const PERIOD_MS = 20;
// In an overload, a request that has waited this long is refused, so that the waits do not grow.
const MAX_WAIT_MS = 500;
// Up to this many waiting requests are not an overload. So a burst of this size is handled completely.
const MAX_BURST = 500;
// While at most this many requests of an address are waiting, none of them is refused, because others cause their wait.
const MAX_SMALL_QUEUE = 50;

/**
 * Shares the event loop by client address. In one iteration of the event loop, Node passes on every request that has
 * arrived, and accepts only one connection. So requests wait in a queue of their address if
 * - the iteration has taken 20 ms,
 * - this iteration or the one before has accepted a connection, because more connections may be pending,
 * - the request is pipelined,
 * - or an earlier request of the address is waiting.
 *
 * Each iteration handles one waiting request in all, and the addresses take turns. While connections are being accepted,
 * requests of the queues are handled only in every second period of 20 ms. The other periods only accept connections,
 * because accepting a connection takes less time than handling a request.
 *
 * `server` must have one request listener. Returns a function that says whether a request must be refused because it
 * has waited longer than `MAX_WAIT_MS` in an overload.
 */
export function takeTurns(
  server: Server,
  isTrustedProxy: (address?: string) => boolean,
): (request: IncomingMessage) => boolean {
  const handle = server.listeners('request')[0] as RequestListener;
  server.removeListener('request', handle);
  // The first address has the next turn. Each queue contains its requests, oldest first.
  const queues = new Map<string, Set<WaitingRequest>>();
  let waitingCount = 0;
  const late = new WeakSet<IncomingMessage>();
  let iterationStartMs: number | undefined;
  // Whether this iteration has accepted a connection.
  let hasAccepted = false;
  // Whether the iteration before has accepted a connection.
  let hadAcceptedBefore = false;

  server.on('connection', () => {
    iterationStartMs ??= startIteration(performance.now());
    hasAccepted = true;
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const nowMs = performance.now();
    iterationStartMs ??= startIteration(nowMs);
    // Node assigns the socket to a pipelined response when the responses before it are sent.
    const isPipelined = response.socket === null;
    const mustWait =
      hasAccepted || hadAcceptedBefore || nowMs - iterationStartMs > MAX_ITERATION_MS || isPipelined;
    if (!mustWait && queues.size === 0) {
      handle(request, response);
      return;
    }
    const address = toAddressGroup(proxyAddr(request, isTrustedProxy));
    // A later request of an address never overtakes an earlier one.
    if (mustWait || queues.has(address)) enqueue(address, request, response);
    else handle(request, response);
  });

  function enqueue(address: string, request: IncomingMessage, response: ServerResponse): void {
    const queue = queues.get(address) ?? new Set();
    queues.set(address, queue);
    const waiting = {
      request,
      sinceMs: performance.now(),
      handle: () => {
        response.off('close', forget);
        // When a client ends its side of a connection, Node ends the other side too. Then no response can be sent.
        if (!request.socket.writableEnded) handle(request, response);
      },
    };
    // A request of a closed connection is not handled.
    const forget = () => remove(address, queue, waiting);
    queue.add(waiting);
    waitingCount += 1;
    response.once('close', forget);
  }

  function remove(address: string, queue: Set<WaitingRequest>, waiting: WaitingRequest): void {
    queue.delete(waiting);
    waitingCount -= 1;
    if (queue.size === 0) queues.delete(address);
  }

  function startIteration(nowMs: number): number {
    setImmediate(endIteration);
    return nowMs;
  }

  function endIteration(): void {
    iterationStartMs = undefined;
    hadAcceptedBefore = hasAccepted;
    hasAccepted = false;
    if (queues.size === 0) return;
    const nowMs = performance.now();
    // Requests are waiting, so `endIteration` must also be called in the next iteration.
    iterationStartMs = startIteration(nowMs);
    const isPeriodOfConnections = Math.floor(nowMs / PERIOD_MS) % 2 === 0;
    if (hadAcceptedBefore && isPeriodOfConnections) return;
    // To refuse a request takes less time than to handle it, so several requests can be refused in one iteration.
    while (handleNext().isRefused && performance.now() - nowMs < MAX_ITERATION_MS);
  }

  function handleNext(): { isRefused: boolean } {
    // The address whose turn it is, and its oldest request.
    const [[address, queue] = []] = queues;
    const [next] = queue ?? [];
    if (address === undefined || queue === undefined || next === undefined) return { isRefused: false };
    // The other addresses have their turns before the next one of this address.
    queues.delete(address);
    queues.set(address, queue);
    remove(address, queue, next);
    const isOverload = waitingCount > MAX_BURST && queue.size > MAX_SMALL_QUEUE;
    const isLate = isOverload && performance.now() - next.sinceMs > MAX_WAIT_MS;
    if (isLate) late.add(next.request);
    next.handle();
    return { isRefused: isLate };
  }

  return (request) => late.has(request);
}

interface WaitingRequest {
  request: IncomingMessage;
  sinceMs: number;
  handle: () => void;
}
