import { Address, ERRORS, EVENT_SCHEMAS, EVENT_TYPES, LIMITS, toEventTitle } from '@badge/protocol';
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';
import Type from 'typebox';
import { acceptsIdempotencyKey } from '../http/idempotency/idempotency.ts';
import { problemResponse } from '../routes/route.ts';
import type { Json } from './examples.ts';

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
    description: 'Requests left (`r`) and seconds until the window ends (`t`): `"key";r=0;t=3`.',
  },
  'RateLimit-Policy': {
    type: 'string',
    description: 'The quota (`q`) and the length of its window in seconds (`w`): `"key";q=500;w=5`.',
  },
};

// The types of ids in paths, which generators of clients need. The service itself treats any other text as an
// unknown id (404), so the schemas of the routes allow every text.
const UUID = { type: 'string', format: 'uuid' };
const TEXT_ID = { type: 'string', minLength: 1, maxLength: LIMITS.idCharacters };
const PATH_PARAMETERS: Record<string, object> = {
  tokenId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  communityId: TEXT_ID,
  nftTypeId: TEXT_ID,
  address: { ...Address },
  operationId: UUID,
  claimLinkId: UUID,
  invitationId: UUID,
  webhookId: UUID,
  deliveryId: UUID,
  apiKeyId: UUID,
};

function describePathParameters(params: unknown) {
  const { properties = {} } = (params ?? {}) as { properties?: Record<string, { description?: string }> };
  const described = Object.entries(properties).map(([name, schema]) => [
    name,
    { ...(PATH_PARAMETERS[name] ?? schema), description: schema.description },
  ]);
  return { type: 'object', required: Object.keys(properties), properties: Object.fromEntries(described) };
}

/** What a caller of the route needs. Undefined: nothing, or it depends on the request. */
function nameRequiredAccess({ access, role }: FastifyContextConfig = {}): string | undefined {
  switch (access) {
    case 'community':
      return role === undefined ? 'a key or a session' : `the role \`${role}\``;
    case 'operator':
      return "the operator's key";
    case 'session':
      return 'a session';
    default:
      return undefined;
  }
}

type Responses = Record<string, { description: string; headers?: object }>;

/**
 * Adds to the schema of a route what many routes share: who can call it, the `Idempotency-Key`, and the
 * responses 408, 409, 422 and 429.
 */
export function addSharedDocumentation(schema: FastifySchema, route: RouteOptions): FastifySchema {
  if (schema.hide) return schema;
  const required = nameRequiredAccess(route.config);
  const access =
    required === undefined
      ? {}
      : { description: `Requires ${required}. ${schema.description}`, 'x-required-access': required };
  const params = schema.params === undefined ? {} : { params: describePathParameters(schema.params) };
  const responses: Responses = { ...(schema.response as Responses) };
  if (schema.body !== undefined) responses[408] = problemResponse('RequestTimeout');
  if (route.config?.isRateLimitDocumented) {
    responses[429] = { ...problemResponse('RateLimited'), headers: RATE_LIMIT_HEADERS };
  }
  // Every request can have too many headers.
  if (!Object.keys(responses).some((status) => status.startsWith('4'))) {
    responses[431] = problemResponse('HeadersTooLarge');
  }
  if (!acceptsIdempotencyKey(route)) return { ...schema, ...access, ...params, response: responses };
  for (const name of ['IdempotencyKeyInUse', 'IdempotencyKeyReused'] as const) {
    const added = problemResponse(name);
    const { status } = ERRORS[name];
    // The route may have other errors with this status.
    const description = [responses[status]?.description, added.description].filter(Boolean).join('\n\n');
    responses[status] = { ...added, description };
  }
  return { ...schema, ...access, ...params, response: responses, headers: IDEMPOTENCY_KEY };
}

const WEBHOOK_HEADERS = {
  'webhook-id': 'The `eventId`. It is the same when the event is sent again.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'One or two signatures `v1,…`, as Standard Webhooks says.',
};

/** Describes the request that a webhook gets, for each type of event. */
export function describeWebhooks(): Record<string, object> {
  const parameters = Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    in: 'header',
    name,
    description,
    required: true,
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    EVENT_TYPES.map((type, index) => [
      type,
      {
        post: {
          operationId: `on${toEventTitle(type)}`,
          tags: ['Webhooks'],
          summary: `An event of the type ${type}`,
          description:
            'The service sends it to each webhook of the community that has chosen this type. Any 2xx response within 15 seconds is a success; anything else is retried for three days.',
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: EVENT_SCHEMAS[index] } },
          },
          responses: {
            204: { description: 'Received. Every other 2xx status counts too.' },
            410: { description: 'The webhook is disabled.' },
          },
        },
      },
    ]),
  );
}

/**
 * Moves every schema that has a title to `components.schemas` of the document, and replaces it with a `$ref`.
 * Schemas with the same title are equal.
 */
export function nameSchemas<Document extends { paths?: object; webhooks?: object; components?: object }>(
  document: Document,
): Document {
  const schemas: Record<string, Json> = {};

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { title } = value;
    // Most schemas occur in many responses. To walk through each of them again would take most of the time.
    if (typeof title !== 'string' || !Object.hasOwn(schemas, title)) {
      const walked = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child)]));
      if (typeof title !== 'string') return walked;
      schemas[title] = walked;
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  // First, because in `paths` the `const` of a type is an `enum`.
  const webhooks = document.webhooks && walk(document.webhooks as Json);
  const paths = walk((document.paths ?? {}) as Json);
  return {
    ...document,
    paths,
    ...(webhooks !== undefined && { webhooks }),
    components: { ...document.components, schemas },
  };
}
