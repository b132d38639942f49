import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.ts';
import type { ServerLimits } from '../limits.ts';

/**
 * Enforces `bodyMs`, `uploadPauseMs` and `responseMs`. `addReaders` enforces `readPieceMs`. The other
 * timeouts are options of Node's server.
 */
export function limitDuration(limits: ServerLimits, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  const timer = setTimeout(() => raw.socket.destroy(), limits.responseMs);
  timer.unref();
  reply.raw.once('close', () => clearTimeout(timer));
  if (hasBody(request)) limitBodyTime(request, reply, limits);
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function limitBodyTime(
  { raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { bodyMs, uploadPauseMs }: ServerLimits,
): void {
  const { isUpload = false } = routeOptions.config;
  let lastBytesRead = raw.socket.bytesRead;
  const timer = setInterval(
    () => {
      const { bytesRead } = raw.socket;
      if (isUpload && bytesRead > lastBytesRead) {
        lastBytesRead = bytesRead;
        return;
      }
      clearInterval(timer);
      if (raw.complete) return;
      // The code that reads the body gets the error and responds. If nothing reads the body, or the response
      // has been sent, the connection is closed.
      const hasListener = raw.listenerCount('error') > 0;
      if (hasListener && !reply.sent) {
        raw.emit('error', new Refusal('RequestTimeout', 'The body was not received in time.'));
      } else raw.socket.destroy();
    },
    isUpload ? uploadPauseMs : bodyMs,
  );
  // Some requests emit neither `end` nor `close`. Their timer must not delay shutdown.
  timer.unref();
  for (const event of ['end', 'close']) raw.once(event, () => clearInterval(timer));
}
