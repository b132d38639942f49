import type { FastifyInstance } from 'fastify';
import { nameKeyOrAddress } from '../caller-names.ts';
import { clientSignal } from '../client-signal.ts';
import { releaseBeforeResponse } from './resources.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests wait for a permit of `writeConnections`. Default: true for PATCH and DELETE, otherwise false. */
    sharesWriteConnections?: boolean;
  }
}

/**
 * Lets the writes of one key wait for each other, if they have a transaction of their own. Otherwise, each of them that
 * waits for a lock in the database would hold a connection. Other writes are batched, have a share of their own, or are
 * the operator's.
 */
export function shareWriteConnections(app: FastifyInstance): void {
  const { writeConnections } = app.resources;

  app.addHook('preHandler', async (request, reply) => {
    const { sharesWriteConnections = ['PATCH', 'DELETE'].includes(request.method) } =
      request.routeOptions.config;
    if (!sharesWriteConnections) return;
    const permit = await writeConnections.acquire(nameKeyOrAddress(request), 1, clientSignal(reply));
    releaseBeforeResponse(request, permit.release);
  });
}
