import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOWED_HEADERS = ['Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key'];
const EXPOSED_HEADERS = [
  'Location',
  'Retry-After',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
];
const MAX_AGE_SECONDS = 86_400;
// If the browser asks for a longer list, the response contains only the fixed names.
const MAX_REFLECTED_CHARACTERS = 4_096;
const HTTP_TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Lets web pages of every origin call the API and read its responses, without credentials (CORS). */
export function addCorsHeaders(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
}

/** Adds the route of preflight requests, which are not limited. */
export function addPreflightRoute(app: FastifyInstance): void {
  const config = { access: 'public', addressPolicy: 'none' } as const;
  app.options('*', { schema: { hide: true }, config }, sendPreflightResponse);
}

// Also allows the headers and the method that the browser asks for. Tracing tools add headers of their own,
// and a page must be able to read the 405 for any method.
async function sendPreflightResponse(
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return reply
    .code(204)
    .headers({
      'Access-Control-Allow-Methods': addRequested(METHODS, headers['access-control-request-method']),
      'Access-Control-Allow-Headers': addRequested(
        ALLOWED_HEADERS,
        headers['access-control-request-headers'],
      ),
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
      Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    })
    .send();
}

function addRequested(names: string[], requested = ''): string {
  if (requested.length > MAX_REFLECTED_CHARACTERS) return names.join(', ');
  const known = new Set(names.map((name) => name.toLowerCase()));
  const others = requested
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HTTP_TOKEN.test(name) && !known.has(name.toLowerCase()));
  return [...names, ...new Set(others)].join(', ');
}
