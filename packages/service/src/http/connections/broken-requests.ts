import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorName } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import { NOT_FOUND, toProblem } from '../errors.ts';
import { standardHeaders } from '../response-headers.ts';
import type { Connection } from './connections.ts';

// How long the client has to read the response before the connection is destroyed.
const LINGER_MS = 2_000;

const NODE_ERRORS: Record<string, [ErrorName, string]> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeout', 'The request was not received in time.'],
};
const NOT_HTTP: [ErrorName, string] = ['InvalidRequest', 'The request is not valid HTTP.'];

interface Options {
  connections: ReadonlyMap<Socket, Connection>;
  settings: Settings;
}

/**
 * Responds with a problem object to a request that Node could not parse or did not receive in time. If
 * responses to earlier requests of the connection are unfinished, they are sent first.
 */
export function rejectBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  options: Options,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const lastResponse = findUnfinishedResponses(options.connections.get(socket)).at(-1);
  if (lastResponse !== undefined) {
    lastResponse.once('close', () => rejectBrokenRequest(error, socket, options));
    return;
  }
  const [name, detail] = NODE_ERRORS[error.code ?? ''] ?? NOT_HTTP;
  sendProblem(socket, options.settings, { name, detail });
}

/** Responds to CONNECT with a problem object. */
export function rejectConnect(socket: Socket, settings: Settings): void {
  socket.on('error', () => socket.destroy());
  sendProblem(socket, settings, { name: 'NotFound', detail: NOT_FOUND.message });
}

// Leaves out a response that has not begun and whose request is incomplete. This request is the broken one,
// so its response may never begin.
function findUnfinishedResponses({ activeResponses }: Partial<Connection> = {}): ServerResponse[] {
  return [...(activeResponses ?? [])].filter(({ req, headersSent }) => req.complete || headersSent);
}

function sendProblem(
  socket: Socket,
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
