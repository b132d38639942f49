import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { toAddressGroup } from '../caller-names.ts';

const MAX_ITERATION_MS = 20;
const PERIOD_MS = 20;
// In an overload, a request that has waited this long is refused, so that the waits do not grow.
const MAX_WAIT_MS = 500;
// Up to this many waiting requests and connections are not an overload. So a burst of this size is handled completely.
const MAX_BURST = 500;
// While at most this many requests and connections of an address are waiting, none of its requests is refused, because
// others cause their wait.
const MAX_SMALL_QUEUE = 50;
// After this time, an iteration starts no further late request.
const MAX_LATE_MS = 5;
// Reading waiting connections takes about this long in one iteration, which reads at most `MAX_READS` of them.
const MAX_READ_MS = 5;
const MAX_READS = 16;

// `_handle` is an undocumented part of Node.
interface SocketWithHandle extends Socket {
  _handle: { readStart(): void; readStop?(): void } | null;
}

/** What `takeTurns` knows about requests and connections. */
export interface Turns {
  /** Whether a request must be refused, because it has waited longer than `MAX_WAIT_MS` in an overload. */
  isLate(request: IncomingMessage): boolean;
  /** Whether a connection waits for its turn to be read, or its turn has just begun. */
  isUnread(socket: Socket): boolean;
}

/**
 * Shares the event loop by client address. In one iteration of the event loop, Node passes on every request that has
 * arrived, and accepts only one connection. So requests wait in a queue of their address if
 * - the iteration has taken 20 ms,
 * - this iteration or the one before has accepted a connection, because more connections may be pending,
 * - the connection has waited for its turn to be read,
 * - the request is pipelined,
 * - or an earlier request of the address is waiting.
 *
 * If the iteration before has accepted a connection too, a new connection is not read until it has its turn. Reading and
 * parsing its requests can take as long as accepting several connections. Connections of trusted proxies are read at once.
 *
 * The addresses take turns. One iteration starts to read some waiting connections, and the next one only accepts, so that
 * Node sees whether their clients have left. The iteration after it handles one waiting request, or several if they are
 * late. While connections are being accepted, this happens only in every second period of 20 ms. The other periods only
 * accept connections, because accepting one takes less time than handling a request.
 *
 * `server` must have one request listener.
 */
export function takeTurns(server: Server, isTrustedProxy: (address?: string) => boolean): Turns {
  const listener = server.listeners('request')[0] as RequestListener;
  server.removeListener('request', listener);
  const requests = createTurnQueue<WaitingRequest>();
  const connections = createTurnQueue<SocketWithHandle>();
  // Since when a connection has been waiting to be read.
  const unreadSinceMs = new WeakMap<Socket, number>();
  const late = new WeakSet<IncomingMessage>();
  let iterationStartMs: number | undefined;
  // Whether this iteration has accepted a connection.
  let hasAccepted = false;
  // Whether the iteration before has accepted a connection.
  let hadAcceptedBefore = false;
  // How many connections the last iteration has started to read.
  let startedReads = 0;
  // How many connections an iteration may start to read. It depends on how long the last reads took.
  let allowedReads = 1;
  // When the last waiting request was handled.
  let handledAtMs = 0;

  server.on('connection', (socket: SocketWithHandle) => {
    const nowMs = performance.now();
    iterationStartMs ??= startIteration(nowMs);
    hasAccepted = true;
    const { remoteAddress } = socket;
    if (!hadAcceptedBefore || remoteAddress === undefined || isTrustedProxy(remoteAddress)) return;
    deferReading(socket, toAddressGroup(remoteAddress), nowMs);
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const nowMs = performance.now();
    iterationStartMs ??= startIteration(nowMs);
    // Node assigns the socket to a pipelined response when the responses before it are sent.
    const isPipelined = response.socket === null;
    const mustWait =
      nowMs - iterationStartMs > MAX_ITERATION_MS ||
      hasAccepted ||
      hadAcceptedBefore ||
      unreadSinceMs.has(request.socket) ||
      isPipelined;
    if (!mustWait && requests.size() === 0) {
      handle(request, response);
      return;
    }
    const address = toAddressGroup(proxyAddr(request, isTrustedProxy));
    // A later request of an address never overtakes an earlier one.
    if (mustWait || requests.size(address) > 0) enqueue(address, request, response);
    else handle(request, response);
  });

  // When a client ends its side of a connection, Node ends the other side too. It also does this after a timeout. Then no
  // response can be sent.
  function handle(request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.writableEnded) listener(request, response);
  }

  function deferReading(socket: SocketWithHandle, address: string, nowMs: number): void {
    if (socket._handle?.readStop === undefined) return;
    socket._handle.readStop();
    unreadSinceMs.set(socket, nowMs);
    connections.add(address, socket);
    socket.once('close', () => connections.remove(address, socket));
  }

  function startReading(socket: SocketWithHandle): void {
    if (!socket.writableEnded) socket._handle?.readStart();
    // Node reads from the connection before the next immediates.
    setImmediate(() => unreadSinceMs.delete(socket));
  }

  function enqueue(address: string, request: IncomingMessage, response: ServerResponse): void {
    const waiting = {
      request,
      sinceMs: unreadSinceMs.get(request.socket) ?? performance.now(),
      handle: () => {
        response.off('close', forget);
        handle(request, response);
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
    const isWaiting = requests.size() > 0 || connections.size() > 0;
    if (!isWaiting && !hadAcceptedBefore) return;
    const nowMs = performance.now();
    // The next iteration must call `endIteration` too, also if nothing arrives.
    iterationStartMs = startIteration(nowMs);
    const isPeriodOfConnections = Math.floor(nowMs / PERIOD_MS) % 2 === 0;
    const isAfterReading = startedReads > 0;
    if (isAfterReading) adaptAllowedReads(nowMs - handledAtMs);
    startedReads = 0;
    if (isAfterReading || (hadAcceptedBefore && isPeriodOfConnections)) return;
    handledAtMs = nowMs;
    handleRequests(nowMs + MAX_LATE_MS);
    while (startedReads < allowedReads) {
      const next = connections.takeNext();
      if (next === undefined) return;
      startReading(next.item);
      startedReads += 1;
    }
  }

  function adaptAllowedReads(tookMs: number): void {
    if (tookMs > MAX_READ_MS) allowedReads = Math.ceil((startedReads * MAX_READ_MS) / tookMs);
    else if (startedReads === allowedReads) allowedReads = Math.min(2 * allowedReads, MAX_READS);
  }

  // Most late requests are refused, which takes less time than handling them. So after a late one, the next one is handled
  // in the same iteration.
  function handleRequests(endMs: number): void {
    const next = requests.takeNext();
    if (next === undefined) return;
    const { key: address, item } = next;
    const isOverload =
      requests.size() + connections.size() > MAX_BURST &&
      requests.size(address) + connections.size(address) > MAX_SMALL_QUEUE;
    const isLate = isOverload && performance.now() - item.sinceMs > MAX_WAIT_MS;
    if (isLate) late.add(item.request);
    item.handle();
    handledAtMs = performance.now();
    // Most of the work is done in microtasks. The next request starts after them, so `endMs` counts their time.
    if (isLate) queueMicrotask(() => process.nextTick(continueUntil, endMs));
  }

  function continueUntil(endMs: number): void {
    if (performance.now() < endMs) handleRequests(endMs);
  }

  return { isLate: (request) => late.has(request), isUnread: (socket) => unreadSinceMs.has(socket) };
}

interface WaitingRequest {
  request: IncomingMessage;
  sinceMs: number;
  handle: () => void;
}

/** Creates a queue whose items each have a key. The keys take turns, and the items of a key stay in order. */
function createTurnQueue<T extends object>() {
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
