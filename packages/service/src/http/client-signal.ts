import type { FastifyReply } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

/** Returns a signal that aborts, with a Refusal, when the client closes the connection before the response is sent. */
export function clientSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!raw.writableEnded) {
      controller.abort(new Refusal('RequestTimeout', 'The client has closed the connection.'));
    }
  };
  // The response has no `close` event any more if the connection was closed before.
  if (request.raw.socket.destroyed) abort();
  else raw.once('close', abort);
  return controller.signal;
}
