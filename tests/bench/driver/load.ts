import { percentile } from '../statistics.ts';
import { type Connection, createConnection, type LoadResponse } from './connection.ts';

/** Requests to send to one port of this machine. */
export interface Load {
  port: number;
  connections: number;
  /** Complete HTTP/1.1 requests. */
  requests: Buffer[];
  /**
   * Sends the requests in their order for this time, and begins again after the last. Without it, sends each
   * request once.
   */
  durationMs?: number;
  /**
   * This many requests are due per second. A request that is due while no connection is idle waits for one,
   * and its response time includes this wait. Without a rate, each connection sends its next request when a
   * response has arrived.
   */
  ratePerSecond?: number;
  /**
   * If this is n, reads the operation of every n-th request that returned 202, with `?wait`. Default: reads
   * none.
   */
  waitForEvery?: number;
}

export interface Times {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** The results of a load. Reads of operations count only in `settled` and `unsettled`. */
export interface LoadResult {
  /** When the first request was sent. */
  startedTimestamp: number;
  /** From the first request to the last response, except responses to reads of operations. */
  durationMs: number;
  /** The number of responses with each status. 0: no complete response arrived. */
  statuses: Record<number, number>;
  /** Response times of statuses below 400. With a rate, the time begins when the request was due. */
  accepted: Times;
  /** Response times of the other statuses, including 0. */
  refused: Times;
  /** Responses with 429 or 503 that had no `Retry-After`. */
  refusedWithoutRetryAfter: number;
  /** From the 202 to the response that says that the operation has succeeded. */
  settled: Times;
  /** Awaited operations that did not succeed. */
  unsettled: number;
}

// A service limits what one address may use. Real clients have many addresses. Without configuration, Linux
// has the whole network 127.0.0.0/8, and macOS only 127.0.0.1.
const ADDRESSES = process.platform === 'linux' ? 16 : 1;
const TICK_MS = 1;

/** Sends a load, and measures its responses. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { port, connections, requests, durationMs, ratePerSecond, waitForEvery } = load;
  const open = Array.from({ length: connections }, (_, index) =>
    createConnection(port, `127.0.0.${1 + (index % ADDRESSES)}`),
  );
  const statuses: Record<number, number> = {};
  const acceptedMs: number[] = [];
  const refusedMs: number[] = [];
  const settledMs: number[] = [];
  const idle = [...open];
  /** The requests that were due when no connection was idle. */
  const due: { request: Buffer; dueMs: number }[] = [];
  const done = Promise.withResolvers<void>();
  const startMs = performance.now();
  const maxRequests = durationMs === undefined ? requests.length : Number.POSITIVE_INFINITY;
  let sent = 0;
  let inFlight = 0;
  let acceptedOperations = 0;
  let unsettled = 0;
  let refusedWithoutRetryAfter = 0;
  let lastResponseMs = startMs;
  /** True when no further request becomes due. Those in `due` are still sent. */
  let isOver = false;

  function finishIfDone(): void {
    if (isOver && inFlight === 0 && due.length === 0) done.resolve();
  }

  /** Returns the next request, or undefined if the load is over. */
  function nextRequest(): Buffer | undefined {
    const isTimeOver = durationMs !== undefined && performance.now() - startMs >= durationMs;
    if (sent >= maxRequests || isTimeOver) {
      isOver = true;
      return undefined;
    }
    sent += 1;
    return requests[(sent - 1) % requests.length];
  }

  /** Sends a request. Its response time begins at `dueMs`. */
  function send(connection: Connection, request: Buffer, dueMs = performance.now()): void {
    inFlight += 1;
    connection.send(request, false, (response) => {
      lastResponseMs = performance.now();
      record(response, lastResponseMs - dueMs);
      const isAwaited =
        response.status === 202 && waitForEvery !== undefined && acceptedOperations % waitForEvery === 0;
      if (isAwaited) waitForOperation(connection, locationOf(response), lastResponseMs);
      else release(connection);
    });
  }

  function waitForOperation(connection: Connection, location: string, acceptanceMs: number): void {
    const request = Buffer.from(`GET ${location}?wait=10 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    connection.send(request, true, ({ body }) => {
      if (body.includes('"status":"success"')) settledMs.push(performance.now() - acceptanceMs);
      else unsettled += 1;
      release(connection);
    });
  }

  function record({ status, head }: LoadResponse, responseMs: number): void {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 202) acceptedOperations += 1;
    if (status > 0 && status < 400) acceptedMs.push(responseMs);
    else refusedMs.push(responseMs);
    if ((status === 429 || status === 503) && !/\r\nretry-after:/i.test(head)) refusedWithoutRetryAfter += 1;
  }

  /** Sends the next request on a connection whose response has arrived, or makes the connection idle. */
  function release(connection: Connection): void {
    inFlight -= 1;
    const waiting = due.shift();
    if (waiting !== undefined) {
      send(connection, waiting.request, waiting.dueMs);
      return;
    }
    const request = ratePerSecond === undefined ? nextRequest() : undefined;
    if (request !== undefined) {
      send(connection, request);
      return;
    }
    idle.push(connection);
    finishIfDone();
  }

  /** Sends the requests that are due by now, and calls itself again after a tick. */
  function sendDue(rate: number): void {
    const dueCount = ((performance.now() - startMs) * rate) / 1_000;
    while (sent < dueCount) {
      const dueMs = startMs + (sent * 1_000) / rate;
      const request = nextRequest();
      if (request === undefined) {
        finishIfDone();
        return;
      }
      const connection = idle.pop();
      if (connection === undefined) due.push({ request, dueMs });
      else send(connection, request, dueMs);
    }
    setTimeout(sendDue, TICK_MS, rate);
  }

  if (ratePerSecond !== undefined) sendDue(ratePerSecond);
  else {
    for (const connection of idle.splice(0)) {
      const request = nextRequest();
      if (request !== undefined) send(connection, request);
    }
  }
  await done.promise;
  for (const connection of open) connection.close();
  return {
    startedTimestamp: performance.timeOrigin + startMs,
    durationMs: lastResponseMs - startMs,
    statuses,
    accepted: toTimes(acceptedMs),
    refused: toTimes(refusedMs),
    refusedWithoutRetryAfter,
    settled: toTimes(settledMs),
    unsettled,
  };
}

function locationOf({ head }: LoadResponse): string {
  return /\r\nlocation: *(\S+)/i.exec(head)?.[1] ?? '';
}

function toTimes(values: number[]): Times {
  return {
    count: values.length,
    p50Ms: percentile(values, 0.5),
    p99Ms: percentile(values, 0.99),
    maxMs: percentile(values, 1),
  };
}
