import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';
import { apiKeyIdOf } from './auth.ts';

// Other methods get 405 or 404. Each of them would add a series to each route, so they share the label `other`.
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/** Logs a request after its response. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      path: loggedPath(request, reply),
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      apiKeyId: apiKeyIdOf(request),
    },
    'request completed',
  );
}

// A client may have put a key into the URL by mistake. So the query is never logged, and the path is logged only if the
// request succeeded and its route has no wildcard. Otherwise the pattern of the route is logged.
function loggedPath({ url, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): string | undefined {
  const { url: route } = routeOptions;
  return statusCode < 400 && !route?.includes('*') ? url.split('?')[0] : route;
}

/** Measures the duration of a request after its response. */
export function measureRequest(
  { requestSeconds }: Metrics,
  { method, routeOptions }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
): void {
  const labels = {
    method: METHODS.includes(method) ? method : 'other',
    route: routeOptions.url ?? 'none',
    status: String(statusCode),
  };
  requestSeconds.observe(labels, elapsedTime / 1_000);
}
