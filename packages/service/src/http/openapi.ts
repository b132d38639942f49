import { ERRORS } from '@badge/protocol';
import type { FastifySchema, RouteOptions } from 'fastify';
import Type from 'typebox';
import { problemResponse } from '../routes/route.ts';
import { acceptsIdempotencyKey } from './idempotency/idempotency.ts';

const IDEMPOTENCY_KEY = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]*$',
      description:
        'Makes retries safe: a request with the same key and body within 24 hours has no second effect. It gets the first 2xx response again, with `Idempotency-Replayed: true`, unless the description of the call says something else. Another key is another request, even if the body is equal.',
    }),
  ),
});

const RATE_LIMIT_HEADERS = {
  'Retry-After': { type: 'string', description: 'Seconds to wait before the next request.' },
  RateLimit: {
    type: 'string',
    description:
      'Requests left (`r`; for the policy `read`: KiB left) and seconds until the window ends (`t`): `"key";r=0;t=3`.',
  },
  'RateLimit-Policy': {
    type: 'string',
    description: 'The quota (`q`) and the length of its window in seconds (`w`): `"key";q=500;w=5`.',
  },
};

type Responses = Record<string, { description: string; headers?: object }>;

/** Adds to the schema of a route what many routes share: the `Idempotency-Key`, and the responses 408, 409, 422 and 429. */
export function addSharedDocumentation(schema: FastifySchema, route: RouteOptions): FastifySchema {
  if (schema.hide) return schema;
  const responses: Responses = { ...(schema.response as Responses) };
  if (schema.body !== undefined) responses[408] = problemResponse('RequestTimeout');
  if (route.config?.isRateLimitDocumented) {
    responses[429] = { ...problemResponse('RateLimited'), headers: RATE_LIMIT_HEADERS };
  }
  if (!acceptsIdempotencyKey(route)) return { ...schema, response: responses };
  for (const name of ['IdempotencyKeyInUse', 'IdempotencyKeyReused'] as const) {
    const added = problemResponse(name);
    const { status } = ERRORS[name];
    // The route may have other errors with this status.
    const description = [responses[status]?.description, added.description].filter(Boolean).join('\n\n');
    responses[status] = { ...added, description };
  }
  return { ...schema, response: responses, headers: IDEMPOTENCY_KEY };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Moves every schema that has a title to `components.schemas` of the document, and replaces it with a `$ref`. */
export function nameSchemas<Document extends { paths?: object; components?: object }>(
  document: Document,
): Document {
  const schemas: Record<string, Json> = {};

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const walked = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child)]));
    if (typeof value.title !== 'string') return walked;
    schemas[value.title] = walked;
    return { $ref: `#/components/schemas/${value.title}` };
  }

  const paths = walk(JSON.parse(JSON.stringify(document.paths ?? {})));
  return { ...document, paths, components: { ...document.components, schemas } };
}
