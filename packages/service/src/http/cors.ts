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

/**
 * Lets web pages of every origin call the API and read its responses, without credentials (CORS). Responds to preflight
 * requests.
 */
export function handleCors(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
  if (request.method === 'OPTIONS') sendPreflightResponse(request, reply);
  else done();
}

/** Adds a route for preflight requests. Without it, the metrics would count them as requests to unknown paths. */
export function addPreflightRoute(app: FastifyInstance): void {
  // `handleCors` responds to every OPTIONS request, so this handler never runs.
  app.options('*', { schema: { hide: true }, config: { access: 'public' } }, () => undefined);
}

// Also allows the headers and the method that the browser asks for. Tracing tools add headers of their own, and a page
// must be able to read the 405 for any method.
function sendPreflightResponse({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply
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
