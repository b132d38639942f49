import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Wait } from '../../domain/reader.ts';
import { nameAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import { releaseOnClose } from './resources.ts';

/**
 * Returns null if the request has no `wait` or `wait=0`, or if too many other requests wait. Then the response is what is
 * there now.
 */
export function acquireWait(request: FastifyRequest, reply: FastifyReply, waitSeconds: number): Wait | null {
  if (waitSeconds === 0) return null;
  const permit = request.server.resources.waits.tryAcquire(nameAddress(request), 1);
  if (permit instanceof Error) return null;
  releaseOnClose(reply, permit);
  return { maxMs: waitSeconds * 1_000, signal: clientSignal(reply) };
}
