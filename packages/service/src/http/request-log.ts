import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';
import { apiKeyIdOf } from './auth.ts';
import { stateOf } from './request-state.ts';

// Other methods get 405 or 404. Each of them would add a series to each route, so they share the label
// `other`.
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/** Logs a request after its response. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { errorName, operationErrorName } = stateOf(request);
  request.log.info(
    {
      method: request.method,
      path: loggedPath(request, reply),
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      apiKeyId: apiKeyIdOf(request),
      error: errorName ?? undefined,
      operationError: operationErrorName ?? undefined,
    },
    'request completed',
  );
}

// A client may have put a key into the URL by mistake. So the query is never logged, and the path is logged
// only if the request succeeded and its route has no wildcard. Otherwise the pattern of the route is logged.
function loggedPath(request: FastifyRequest, { statusCode }: FastifyReply): string | undefined {
  const pattern = findPattern(request);
  return statusCode < 400 && !pattern?.includes('*') ? request.url.split('?')[0] : pattern;
}

/** Returns the pattern of the path, also if its routes have other methods. */
function findPattern(request: FastifyRequest): string | undefined {
  return request.routeOptions.url ?? request.server.findKnownPath(request)?.pattern;
}

/** Measures the duration of a request after its response. */
export function measureRequest(
  { requestSeconds, errors }: Metrics,
  request: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
): void {
  const labels = {
    method: METHODS.includes(request.method) ? request.method : 'other',
    route: findPattern(request) ?? 'none',
    status: String(statusCode),
  };
  requestSeconds.observe(labels, elapsedTime / 1_000);
  const { errorName } = stateOf(request);
  if (errorName !== null) errors.inc({ name: errorName });
}
