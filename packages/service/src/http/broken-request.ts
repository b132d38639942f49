import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorName } from '@badge/protocol';
import { toProblem } from './problems.ts';
import { securityHeaders } from './security-headers.ts';

/** Answers, with a problem object too, what Node could not read as a request at all. */
export function answerBrokenRequest(publicUrl: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const name: ErrorName = error.code === 'HPE_HEADER_OVERFLOW' ? 'HeadersTooLarge' : 'InvalidRequest';
    const requestId = randomUUID();
    const body = JSON.stringify(
      toProblem(publicUrl(), {
        name,
        detail:
          name === 'HeadersTooLarge'
            ? 'The headers are larger than 16 KiB.'
            : 'The request is not valid HTTP or was not sent in time.',
        instance: `urn:uuid:${requestId}`,
      }),
    );
    const headers = { 'X-Request-Id': requestId, ...securityHeaders(publicUrl()) };
    socket.end(
      [
        `HTTP/1.1 ${ERRORS[name].status} ${ERRORS[name].title}`,
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        'Connection: close',
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '',
        body,
      ].join('\r\n'),
    );
  };
}
