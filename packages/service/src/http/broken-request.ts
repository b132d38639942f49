import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorName } from '@badge/protocol';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { toProblem } from './problems.ts';

/** Answers, with a problem object too, what Node could not read as a request at all. */
export function answerBrokenRequest(publicUrl: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const name: ErrorName = error.code === 'HPE_HEADER_OVERFLOW' ? 'HeadersTooLarge' : 'InvalidRequest';
    const requestId = randomUUID();
    const refusal =
      name === 'HeadersTooLarge'
        ? new Refusal(name, 'The headers are larger than 16 KiB.')
        : invalidRequest([{ parameter: 'request', detail: 'is not valid HTTP or was not sent in time' }]);
    const body = JSON.stringify(
      toProblem(publicUrl(), {
        name,
        detail: refusal.message,
        instance: `urn:uuid:${requestId}`,
        faults: refusal.faults,
      }),
    );
    socket.end(
      [
        `HTTP/1.1 ${ERRORS[name].status} ${ERRORS[name].title}`,
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}
