import type { FastifyReply } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

/** Returns a signal that aborts with a Refusal if the client closes the connection before the response is sent. */
export function clientSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!raw.writableEnded) {
      controller.abort(new Refusal('RequestTimeout', 'The client has closed the connection.'));
    }
  };
  // If the connection is closed already, the response emits no `close` event.
  if (request.raw.socket.destroyed) abort();
  else raw.once('close', abort);
  return controller.signal;
}
