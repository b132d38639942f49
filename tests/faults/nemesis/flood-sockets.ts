import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { JournaledRequest } from '../journal.ts';

const TICK_MS = 20;
const MAX_RESPONSE_WAIT_MS = 20_000;

/** The response to one request. */
export interface FloodResponse {
  status: number;
  location: string | null;
  /** The name of the error. */
  name: string | null;
}

export interface FloodOptions {
  url: string;
  /** Complete requests (`toBytes`). Each is sent at most once. */
  requests: Buffer[];
  sockets: number;
  /**
   * Sends at this rate. Without a rate, each socket waits for a response before it sends the next request.
   */
  requestsPerSecond?: number;
  /** Stops sending after this time. */
  durationMs: number;
}

export interface FloodOutcome {
  /** In the order of the requests that were sent; null if no response came. */
  responses: (FloodResponse | null)[];
  sent: number;
  /**
   * With a rate, the time until the last request was sent. Without a rate, the time until the last response,
   * or until the wait for responses timed out.
   */
  tookMs: number;
}

/** What the connections of a flood share. */
interface Flood {
  url: string;
  requests: Buffer[];
  responses: (FloodResponse | null)[];
  sent: number;
  /** Whether a connection sends its next request as soon as it has a response. */
  sendsAfterResponse: boolean;
  isOver(): boolean;
}

interface Connection {
  socket: Socket;
  /** Sends the next request. Returns false if the connection is closed, or if every request was sent. */
  send(): boolean;
  /** Resolves when the connection has its last response, or is closed. */
  done: Promise<void>;
  /** Returns true if it waits for no response. */
  isIdle(): boolean;
  isOpen(): boolean;
}

/** Sends many requests over few sockets. */
export async function sendFlood(options: FloodOptions): Promise<FloodOutcome> {
  const { url, requests, sockets, requestsPerSecond, durationMs } = options;
  const beganMs = performance.now();
  const flood: Flood = {
    url,
    requests,
    responses: requests.map(() => null),
    sent: 0,
    sendsAfterResponse: requestsPerSecond === undefined,
    isOver: () => performance.now() - beganMs > durationMs,
  };
  const connections = Array.from({ length: sockets }, () => openConnection(flood));
  await Promise.all(connections.map(({ socket }) => once(socket, 'connect').catch(() => undefined)));
  if (requestsPerSecond === undefined) for (const connection of connections) connection.send();
  else await sendAtRate(flood, connections, { requestsPerSecond, beganMs });
  const sentMs = performance.now() - beganMs;
  // Without a rate, the sockets are still sending during `durationMs`.
  const sendingMs = requestsPerSecond === undefined ? durationMs : 0;
  await waitForResponses(connections, MAX_RESPONSE_WAIT_MS + sendingMs);
  const tookMs = requestsPerSecond === undefined ? performance.now() - beganMs : sentMs;
  for (const { socket } of connections) socket.destroy();
  return { responses: flood.responses.slice(0, flood.sent), sent: flood.sent, tookMs };
}

function openConnection(flood: Flood): Connection {
  const { hostname, port } = new URL(flood.url);
  const socket: Socket = connect(Number(port), hostname);
  // The indices of the requests that have no response yet.
  const waiting: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = true;
  const done = Promise.withResolvers<void>();

  function send(): boolean {
    const request = flood.requests[flood.sent];
    if (!isOpen || request === undefined) return false;
    waiting.push(flood.sent);
    flood.sent += 1;
    socket.write(request);
    return true;
  }

  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const found = takeResponse(rest);
      if (found === undefined) break;
      rest = found.rest;
      const index = waiting.shift();
      if (index !== undefined) flood.responses[index] = found.response;
      if (flood.sendsAfterResponse && !flood.isOver()) send();
    }
    const mustSendMore = flood.sent < flood.requests.length && !flood.isOver();
    if (waiting.length === 0 && !mustSendMore) done.resolve();
  });
  const close = () => {
    isOpen = false;
    done.resolve();
  };
  socket.on('error', close).on('close', close);
  return { socket, send, done: done.promise, isIdle: () => waiting.length === 0, isOpen: () => isOpen };
}

/** Sends requests at this rate. The connections take turns. */
async function sendAtRate(
  flood: Flood,
  connections: Connection[],
  { requestsPerSecond, beganMs }: { requestsPerSecond: number; beganMs: number },
): Promise<void> {
  const { requests, isOver } = flood;
  let next = 0;
  const hasOpenConnection = () => connections.some((connection) => connection.isOpen());
  while (flood.sent < requests.length && !isOver() && hasOpenConnection()) {
    const seconds = (performance.now() - beganMs) / 1_000;
    const due = Math.min(seconds * requestsPerSecond, requests.length);
    // Skips closed connections, and stops if all are closed.
    for (let closedInARow = 0; flood.sent < due && closedInARow < connections.length; next += 1) {
      const hasSent = connections[next % connections.length]?.send();
      closedInARow = hasSent ? 0 : closedInARow + 1;
    }
    await wait(TICK_MS);
  }
}

/** Waits until no connection waits for a response, or until the timeout. */
async function waitForResponses(connections: Connection[], timeoutMs: number): Promise<void> {
  const unfinished = connections.filter((connection) => !connection.isIdle()).map(({ done }) => done);
  const timeout = new AbortController();
  await Promise.race([
    Promise.all(unfinished),
    wait(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
  ]);
  timeout.abort();
}

/** Returns the first response and the bytes after it. Undefined if it is not complete yet. */
function takeResponse(bytes: Buffer): { response: FloodResponse; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const [, length = '0'] = /^content-length: (\d+)/im.exec(head) ?? [];
  const end = headEnd + 4 + Number(length);
  if (bytes.length < end) return undefined;
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, location = null] = /^location: (\S+)/im.exec(head) ?? [];
  const [, name = null] = /"name":"(\w+)"/.exec(bytes.toString('utf8', headEnd + 4, end)) ?? [];
  return { response: { status: Number(status), location, name }, rest: bytes.subarray(end) };
}

/** A POST as bytes. */
export function toBytes(
  { path, body, idempotencyKey }: Pick<JournaledRequest, 'path' | 'body' | 'idempotencyKey'>,
  apiKey: string,
): Buffer {
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Authorization: Bearer ${apiKey}`,
      ...(idempotencyKey === null ? [] : [`Idempotency-Key: ${idempotencyKey}`]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
