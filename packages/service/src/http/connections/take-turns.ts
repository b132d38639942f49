import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { toAddressGroup } from '../caller-names.ts';

const MAX_TURN_MS = 20;
const PERIOD_MS = 20;

/**
 * Shares the event loop by client address. In one turn of the event loop, Node passes on every request that has arrived,
 * and accepts only one connection. So requests wait in a queue of their address if
 * - the turn has taken 20 ms,
 * - this turn or the one before has accepted a connection, because more connections may be pending,
 * - or the request is pipelined.
 * Each turn of the event loop handles one request of the queues, and the addresses take turns. While connections are
 * being accepted, this happens only in every second period of 20 ms. In the other periods, more connections are accepted,
 * because accepting a connection takes less time than handling a request.
 * `server` must have one request listener.
 */
export function takeTurns(server: Server, isTrustedProxy: (address?: string) => boolean): void {
  const handle = server.listeners('request')[0] as RequestListener;
  server.removeListener('request', handle);
  // The first address has the next turn. Each queue contains the functions that handle its requests.
  const queues = new Map<string, Set<() => void>>();
  let turnStartMs: number | undefined;
  let hasAccepted = false;
  let hadAcceptedBefore = false;

  server.on('connection', () => {
    turnStartMs ??= startTurn(performance.now());
    hasAccepted = true;
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const nowMs = performance.now();
    turnStartMs ??= startTurn(nowMs);
    // Node assigns the socket to a pipelined response when the responses before it are sent.
    const isPipelined = response.socket === null;
    const mustWait = hasAccepted || hadAcceptedBefore || nowMs - turnStartMs > MAX_TURN_MS || isPipelined;
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
    const handleLater = () => {
      response.off('close', forget);
      // When a client ends its side of a connection, Node ends the other side too. Then no response can be sent.
      if (!request.socket.writableEnded) handle(request, response);
    };
    // A request of a closed connection is not handled.
    function forget(): void {
      queue.delete(handleLater);
      if (queue.size === 0) queues.delete(address);
    }
    queue.add(handleLater);
    response.once('close', forget);
  }

  function startTurn(nowMs: number): number {
    setImmediate(endTurn);
    return nowMs;
  }

  function endTurn(): void {
    turnStartMs = undefined;
    hadAcceptedBefore = hasAccepted;
    hasAccepted = false;
    const [next] = queues;
    if (next === undefined) return;
    const nowMs = performance.now();
    // Requests are waiting, so `endTurn` must also be called in the next turn.
    turnStartMs = startTurn(nowMs);
    const isPeriodOfConnections = Math.floor(nowMs / PERIOD_MS) % 2 === 0;
    if (hadAcceptedBefore && isPeriodOfConnections) return;
    const [address, queue] = next;
    queues.delete(address);
    const [handleNext] = queue;
    if (handleNext === undefined) return;
    queue.delete(handleNext);
    if (queue.size > 0) queues.set(address, queue);
    handleNext();
  }
}
