import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RunWrite } from '../../domain/check-signature.ts';
import { nameKeyOrAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import { releaseBeforeResponse } from './resources.ts';

/**
 * Lets the writes of one key wait for each other, if they have a transaction of their own. Otherwise, each of
 * them that waits for a lock in the database would hold a connection. Other writes are batched, or are the
 * operator's.
 */
export async function takeWriteConnection(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { writeConnections } = request.server.resources;
  const permit = await writeConnections.acquire(nameKeyOrAddress(request), 1, clientSignal(reply));
  releaseBeforeResponse(request, permit.release);
}

/**
 * Returns the function that runs the transaction of a request that asks a chain before. Other writes of the
 * key do not wait for the chain.
 */
export function writeOf(request: FastifyRequest, reply: FastifyReply): RunWrite {
  const { writeConnections } = request.server.resources;
  return (work) => writeConnections.run(nameKeyOrAddress(request), clientSignal(reply), work);
}
