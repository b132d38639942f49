import type { FastifyInstance } from 'fastify';
import { nameKeyOrAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import { releaseOnSend } from './resources.ts';

/**
 * Lets the PATCH and DELETE requests of one key wait for each other here. If they waited for a lock in the database, each
 * would hold a connection. Other writes are batched, or have a share of their own.
 */
export function shareWriteConnections(app: FastifyInstance): void {
  const { writeConnections } = app.resources;

  app.addHook('preHandler', async (request, reply) => {
    if (!['PATCH', 'DELETE'].includes(request.method)) return;
    const permit = await writeConnections.acquire(nameKeyOrAddress(request), 1, clientSignal(reply));
    releaseOnSend(request, permit.release);
  });
}
