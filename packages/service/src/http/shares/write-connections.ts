import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameKeyOrAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import { stateOf } from '../request-state.ts';
import { releaseBeforeResponse } from './resources.ts';

/**
 * Lets the writes of one key wait for each other, if they have a transaction of their own. Otherwise, each of them that
 * waits for a lock in the database would hold a connection. Other writes are batched, have a share of their own, or are
 * the operator's.
 */
export function takeWriteConnection(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const { sharesWriteConnections = ['PUT', 'PATCH', 'DELETE'].includes(request.method) } =
    request.routeOptions.config;
  return sharesWriteConnections ? acquire(request, reply) : undefined;
}

async function acquire(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { writeConnections } = request.server.resources;
  const permit = await writeConnections.acquire(nameKeyOrAddress(request), 1, clientSignal(reply));
  stateOf(request).writeConnection = permit;
  releaseBeforeResponse(request, permit.release);
}
