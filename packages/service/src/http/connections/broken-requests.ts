import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorName } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import { NOT_FOUND, toProblem } from '../errors.ts';
import { standardHeaders } from '../response-headers.ts';

// How long the client has to read the response before the connection is destroyed.
const LINGER_MS = 2_000;

const NODE_ERRORS: Record<string, [ErrorName, string]> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeout', 'The request was not received in time.'],
};
const NOT_HTTP: [ErrorName, string] = ['InvalidRequest', 'The request is not valid HTTP.'];

/** Sends problem objects for requests that Node rejects, and for CONNECT requests. */
export interface BrokenRequestHandler {
  /** Sends an error for a request that Node could not parse or did not receive in time. */
  onClientError(error: Error & { code?: string }, socket: Duplex): void;
  /** Rejects CONNECT, and tracks unfinished responses, so that an error is sent after them. */
  watch(server: Server): void;
}

export function createBrokenRequestHandler(settings: Settings): BrokenRequestHandler {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>();

  function onClientError(error: Error & { code?: string }, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const lastResponse = findUnfinishedResponses(socket).at(-1);
    if (lastResponse !== undefined) {
      // Pipelined requests came before the broken one, so their responses are sent first.
      lastResponse.once('close', () => onClientError(error, socket));
      return;
    }
    const [name, detail] = NODE_ERRORS[error.code ?? ''] ?? NOT_HTTP;
    sendProblem(socket, settings, { name, detail });
  }

  // Leaves out a response that has not begun and whose request is incomplete. This request is the broken one, so its
  // response may never begin.
  function findUnfinishedResponses(socket: Duplex): ServerResponse[] {
    return [...(responses.get(socket) ?? [])].filter(({ req, headersSent }) => req.complete || headersSent);
  }

  function watch(server: Server): void {
    server.on('request', ({ socket }, response) => {
      const unfinished = responses.get(socket) ?? new Set();
      responses.set(socket, unfinished.add(response));
      response.once('close', () => unfinished.delete(response));
    });
    server.on('connect', (_request, socket) => {
      socket.on('error', () => socket.destroy());
      sendProblem(socket, settings, { name: 'NotFound', detail: NOT_FOUND.message });
    });
  }

  return { onClientError, watch };
}

function sendProblem(
  socket: Duplex,
  settings: Settings,
  { name, detail }: { name: ErrorName; detail: string },
): void {
  const requestId = randomUUID();
  const { status, title } = ERRORS[name];
  const errors =
    name === 'InvalidRequest' ? [{ parameter: 'request', detail: 'is not valid HTTP' }] : undefined;
  const problem = toProblem(settings, { name, detail, instance: `urn:uuid:${requestId}`, errors });
  const body = JSON.stringify(problem);
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...standardHeaders(requestId, settings),
  };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
