import Type from 'typebox';
import type { Context } from '../../context.ts';
import { authenticate } from '../../domain/api-keys/authenticate.ts';
import { Refusal } from '../../domain/refusal.ts';
import { readKey } from '../auth.ts';
import type { Metrics } from '../metrics.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

interface HealthOptions {
  context: Context;
  metrics: Metrics;
  isReady: () => Promise<boolean>;
  rateLimiter: RateLimiter | null;
}

const Status = Type.Object({ status: Type.String() });

export function healthRoutes(app: App, { context, metrics, isReady, rateLimiter }: HealthOptions): void {
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readHealth',
        tags: ['Health'],
        summary: 'Whether the process is alive',
        response: { 200: jsonResponse('It is.', Status) },
      },
    },
    () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readReadiness',
        tags: ['Health'],
        summary: 'Whether the database is reachable and migrated',
        response: { 200: jsonResponse('It is.', Status), ...problemResponses() },
      },
    },
    async () => {
      if (!(await isReady()))
        throw new Refusal('Unavailable', 'The database is out of reach or not migrated.');
      return { status: 'ready' };
    },
  );

  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      // Keys are told right from wrong here too.
      onRequest: rateLimiter === null ? [] : [rateLimiter.beforeKey],
      schema: {
        operationId: 'readMetrics',
        tags: ['Health'],
        summary: "Prometheus metrics; in production with the operator's key",
        response: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
          ...problemResponses(...KEY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      if (context.settings.environment === 'production') {
        const caller = await authenticate(context, readKey(request));
        if (caller.kind !== 'operator')
          throw new Refusal('ApiKeyNotAllowed', "The metrics need the operator's key.");
      }
      reply.header('Cache-Control', 'no-store');
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    },
  );
}
