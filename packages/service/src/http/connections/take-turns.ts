import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
// The time for late requests in one iteration.
const MAX_LATE_MS = 5;

// This is an undocumented part of Node.
interface ReadSocket extends Socket {
  _handle: { readStart(): void; readStop(): void } | null;
}

/** Says for a server what its turns do to a connection or a request. */
export interface Turns {
  /** Whether a request must be refused, because it has waited longer than `MAX_WAIT_MS` in an overload. */
  isLate(request: IncomingMessage): boolean;
  /** Whether nothing has been read from a connection, because it waits for its turn. */
  isUnread(socket: Socket): boolean;
}

/**
 * Shares the event loop by client address. In one iteration of the event loop, Node passes on every request that has
 * arrived, and accepts only one connection. So requests wait in a queue of their address if
 * - the iteration has taken 20 ms,
 * - this iteration or the one before has accepted a connection, because more connections may be pending,
 * - the request is pipelined,
 * - or an earlier request of the address is waiting.
 *
 * If the iteration before has accepted a connection too, a new connection is not read until it has its turn. Its first
 * requests could take as long as accepting several other connections. Connections of trusted proxies are read at once.
 *
 * Each iteration starts to read one waiting connection and handles one waiting request, and the addresses take turns. While
 * connections are being accepted, this happens only in every second period of 20 ms. The other periods only accept
 * connections, because accepting one takes less time than handling a request.
 *
 * `server` must have one request listener.
 */
export function takeTurns(server: Server, isTrustedProxy: (address?: string) => boolean): Turns {
  const handle = server.listeners('request')[0] as RequestListener;
  server.removeListener('request', handle);
  const requests = createRoundRobinQueue<WaitingRequest>();
  const connections = createRoundRobinQueue<ReadSocket>();
  const unread = new WeakSet<Socket>();
  const late = new WeakSet<IncomingMessage>();
  let iterationStartMs: number | undefined;
  // Whether this iteration has accepted a connection.
  let hasAccepted = false;
  // Whether the iteration before has accepted a connection.
  let hadAcceptedBefore = false;

  server.on('connection', (socket: ReadSocket) => {
    iterationStartMs ??= startIteration(performance.now());
    hasAccepted = true;
    const { remoteAddress } = socket;
    if (hadAcceptedBefore && remoteAddress !== undefined && !isTrustedProxy(remoteAddress)) {
      deferReading(socket, toAddressGroup(remoteAddress));
    }
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const nowMs = performance.now();
    iterationStartMs ??= startIteration(nowMs);
    // Node assigns the socket to a pipelined response when the responses before it are sent.
    const isPipelined = response.socket === null;
    const mustWait =
      hasAccepted || hadAcceptedBefore || nowMs - iterationStartMs > MAX_ITERATION_MS || isPipelined;
    if (!mustWait && requests.size() === 0) {
      handle(request, response);
      return;
    }
    const address = toAddressGroup(proxyAddr(request, isTrustedProxy));
    // A later request of an address never overtakes an earlier one.
    if (mustWait || requests.size(address) > 0) enqueue(address, request, response);
    else handle(request, response);
  });

  function deferReading(socket: ReadSocket, address: string): void {
    socket._handle?.readStop();
    unread.add(socket);
    connections.add(address, socket);
    socket.once('close', () => connections.remove(address, socket));
  }

  function startReading(socket: ReadSocket): void {
    socket._handle?.readStart();
    // Node reads from the connection before the next immediates.
    setImmediate(() => unread.delete(socket));
  }

  function enqueue(address: string, request: IncomingMessage, response: ServerResponse): void {
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
    const forget = () => requests.remove(address, waiting);
    requests.add(address, waiting);
    response.once('close', forget);
  }

  function startIteration(nowMs: number): number {
    setImmediate(endIteration);
    return nowMs;
  }

  function endIteration(): void {
    iterationStartMs = undefined;
    hadAcceptedBefore = hasAccepted;
    hasAccepted = false;
    if (requests.size() === 0 && connections.size() === 0) return;
    const nowMs = performance.now();
    // Something is waiting, so `endIteration` must also be called in the next iteration.
    iterationStartMs = startIteration(nowMs);
    const isPeriodOfConnections = Math.floor(nowMs / PERIOD_MS) % 2 === 0;
    if (hadAcceptedBefore && isPeriodOfConnections) return;
    const connection = connections.takeNext();
    if (connection !== undefined) startReading(connection.item);
    handleRequests(nowMs + MAX_LATE_MS);
  }

  // Most late requests are refused, which takes less time than handling them. So after a late one, the next one is handled
  // in the same iteration.
  function handleRequests(endMs: number): void {
    const next = requests.takeNext();
    if (next === undefined) return;
    const { request, sinceMs, handle: handleNow } = next.item;
    const isOverload = requests.size() > MAX_BURST && requests.size(next.key) > MAX_SMALL_QUEUE;
    const isLate = isOverload && performance.now() - sinceMs > MAX_WAIT_MS;
    if (isLate) late.add(request);
    handleNow();
    // Most of the work is done in microtasks and ticks. `endMs` applies to it too, so the next request comes after them.
    if (isLate) queueMicrotask(() => process.nextTick(continueUntil, endMs));
  }

  function continueUntil(endMs: number): void {
    if (performance.now() < endMs) handleRequests(endMs);
  }

  return { isLate: (request) => late.has(request), isUnread: (socket) => unread.has(socket) };
}

interface WaitingRequest {
  request: IncomingMessage;
  sinceMs: number;
  handle: () => void;
}

/** Creates a queue whose items each have a key. The keys take turns, and the items of a key stay in order. */
function createRoundRobinQueue<T extends object>() {
  // The first key has the next turn.
  const itemsByKey = new Map<string, Set<T>>();
  let total = 0;

  function remove(key: string, item: T): void {
    const items = itemsByKey.get(key);
    if (!items?.delete(item)) return;
    total -= 1;
    if (items.size === 0) itemsByKey.delete(key);
  }

  return {
    add(key: string, item: T): void {
      const items = itemsByKey.get(key) ?? new Set();
      itemsByKey.set(key, items.add(item));
      total += 1;
    },
    /** Removes an item. Does nothing if it has been removed already. */
    remove,
    /** Removes the next item. Returns it with its key; undefined if the queue is empty. */
    takeNext(): { key: string; item: T } | undefined {
      const [[key, items] = []] = itemsByKey;
      const [item] = items ?? [];
      if (key === undefined || items === undefined || item === undefined) return undefined;
      // The other keys have their turns before the next one of this key.
      itemsByKey.delete(key);
      itemsByKey.set(key, items);
      remove(key, item);
      return { key, item };
    },
    /** The number of items of a key or, without a key, of all keys. */
    size: (key?: string): number => (key === undefined ? total : (itemsByKey.get(key)?.size ?? 0)),
  };
}
