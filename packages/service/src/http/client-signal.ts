import type { FastifyReply } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

/** Returns a signal that aborts, with a Refusal, when the client closes the connection before the response is sent. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) {
      controller.abort(new Refusal('RequestTimeout', 'The client has closed the connection.'));
    }
  });
  return controller.signal;
}
