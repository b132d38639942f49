import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorName } from '@badge/protocol';
import { toProblem } from './problems.ts';
import { securityHeaders } from './security-headers.ts';

// Long enough for the answer to be read; a client that does not close is not waited for.
const LINGER_MS = 2_000;

const BROKEN: Record<string, [ErrorName, string]> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeout', 'The request was not sent in time.'],
};
const NO_HTTP: [ErrorName, string] = ['InvalidRequest', 'The request is not valid HTTP.'];

interface BrokenRequestOptions {
  publicUrl: () => string;
  /** The answers that are still to be sent there before any other. */
  findAnswers: (socket: Duplex) => ServerResponse[];
}

/** Answers, with a problem object too, what Node could not read as a request at all. */
export function answerBrokenRequest({ publicUrl, findAnswers }: BrokenRequestOptions) {
  return function answer(error: Error & { code?: string }, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const last = findAnswers(socket).at(-1);
    if (last !== undefined) {
      last.once('close', () => answer(error, socket));
      return;
    }
    const [name, detail] = BROKEN[error.code ?? ''] ?? NO_HTTP;
    sendProblem(socket, { publicUrl: publicUrl(), name, detail });
  };
}

/** Answers a CONNECT: there is nothing to be connected to. */
export function answerTunnel(publicUrl: () => string) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    sendProblem(socket, {
      publicUrl: publicUrl(),
      name: 'NotFound',
      detail: 'There is nothing at this path.',
    });
  };
}

function sendProblem(
  socket: Duplex,
  { publicUrl, name, detail }: { publicUrl: string; name: ErrorName; detail: string },
): void {
  const requestId = randomUUID();
  const { status, title } = ERRORS[name];
  const errors =
    name === 'InvalidRequest' ? [{ parameter: 'request', detail: 'is not valid HTTP' }] : undefined;
  const problem = toProblem(publicUrl, { name, detail, instance: `urn:uuid:${requestId}`, errors });
  const body = JSON.stringify(problem);
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
    'X-Request-Id': requestId,
    ...securityHeaders(publicUrl),
  };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
