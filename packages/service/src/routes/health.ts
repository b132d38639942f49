import Type from 'typebox';
import type { Context } from '../context.ts';
import { BACKLOG_REFUSALS } from '../domain/accept-operation.ts';
import { checkMayReadMetrics } from '../domain/api-keys/authenticate.ts';
import { Refusal } from '../domain/refusal.ts';
import { readKey } from '../http/auth.ts';
import type { Metrics } from '../metrics.ts';
import { VERSION } from '../version.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const Status = Type.Object({ status: Type.String(), version: Type.String() }, { title: 'Health' });
const Readiness = Type.Object(
  { status: Type.String(), detail: Type.Optional(Type.String()) },
  { title: 'Readiness' },
);

const BACKLOG_DETAILS = {
  stalled: BACKLOG_REFUSALS.stalled,
  tooOld:
    'The oldest accepted operation has waited too long; no more are accepted from its community until it is settled.',
};

export function healthRoutes(
  app: App,
  context: Context,
  findReadinessProblem: () => Promise<string | null>,
): void {
  app.get(
    '/healthz',
    {
      config: { access: 'public', addressPolicy: 'none' },
      schema: {
        operationId: 'readHealth',
        tags: ['Health'],
        summary: 'Check liveness',
        description: 'Says that the process runs. Does not query the database.',
        response: { 200: jsonResponse('The process is running.', Status) },
      },
    },
    () => ({ status: 'ok', version: VERSION }),
  );

  app.get(
    '/readyz',
    {
      config: { access: 'public', addressPolicy: 'none' },
      schema: {
        operationId: 'readReadiness',
        tags: ['Health'],
        summary: 'Check readiness',
        description:
          'Returns 503 within three seconds unless the process can serve requests: the database is a primary, completes commits and is migrated, its pooler (if there is one) can be used, and the process is not stopping. `detail` says why it is not ready, or which operations it refuses because of the age of the backlog; it stays ready then, because reads work. It also stays ready if a newer release has migrated the database further. Probes never wait for the connections of other requests. The result can be up to a second old, so that frequent probes cause no more than one commit per second. A worker that listens serves only the calls of health.',
        response: { 200: jsonResponse('The process can serve requests.', Readiness), ...problemResponses() },
      },
    },
    async () => {
      const problem = await findReadinessProblem();
      if (problem !== null) throw new Refusal('Unavailable', problem);
      // A process that accepts no operations is still ready: the load balancer must keep sending reads to it.
      const reason = context.backlogWatcher.findOldBacklog();
      return reason === null ? { status: 'ready' } : { status: 'ready', detail: BACKLOG_DETAILS[reason] };
    },
  );
}

/** Every request counts for its address, so that keys cannot be guessed here without limit. */
export function metricsRoutes(app: App, context: Context, metrics: Metrics): void {
  app.get(
    '/metrics',
    {
      config: { access: 'public', isRateLimitDocumented: true },
      schema: {
        operationId: 'readMetrics',
        tags: ['Health'],
        summary: 'Retrieve metrics',
        description:
          "Returns metrics for Prometheus. In production this requires the operator's key, or the key that the operator has made for it (`BADGE_METRICS_KEY`), which every other call rejects. A process with `BADGE_ROLE=worker` knows the operator's key only from `BADGE_ADMIN_KEY` or `BADGE_ADMIN_KEY_FILE`.",
        response: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
          ...problemResponses(...KEY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      if (context.settings.environment === 'production') {
        await checkMayReadMetrics(context, readKey(request));
      }
      reply.header('Cache-Control', 'no-store');
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    },
  );
}
