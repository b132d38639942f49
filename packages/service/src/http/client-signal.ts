import type { FastifyReply } from 'fastify';
import type { Wait } from '../domain/reader.ts';
import { Refusal } from '../domain/refusal.ts';

/**
 * Returns a signal that aborts with a Refusal if the client closes the connection before the response is
 * sent.
 */
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

/**
 * Returns how long a request with `?wait=` waits; null if it does not. nginx limits how many requests of an
 * address do.
 */
export function waitOf(reply: FastifyReply, waitSeconds: number): Wait | null {
  return waitSeconds === 0 ? null : { maxMs: waitSeconds * 1_000, signal: clientSignal(reply) };
}
