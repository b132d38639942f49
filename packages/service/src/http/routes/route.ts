import { ERRORS, type ErrorName, Problem } from '@badge/protocol';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import Type, { type TSchema } from 'typebox';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Documents the errors of a route, grouped by status. */
export function problemResponses(...names: ErrorName[]) {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of new Set([...names, 'InternalError' as const, 'Unavailable' as const])) {
    const { status } = ERRORS[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((name) => `\`${name}\`: ${ERRORS[name].meaning}`).join('\n\n'),
        content: { 'application/problem+json': { schema: Problem } },
      },
    ]),
  );
}

/** The errors of every route that requires a key. `InvalidRequest`: a header with a key was sent twice. */
export const KEY_ERRORS = ['InvalidRequest', 'ApiKeyRequired', 'InvalidApiKey', 'ApiKeyNotAllowed'] as const;

/** Documents a response with a JSON body. */
export function jsonResponse<T>(description: string, schema: T) {
  return { description, content: { 'application/json': { schema } } };
}

/** Documents the response of every route that starts an operation. */
export const acceptedResponse = {
  description: 'Accepted. `Location` contains the URL of the operation, which produces the result.',
  headers: {
    Location: { type: 'string', description: 'The path of the operation: /v1/operations/{operationId}.' },
  },
  content: { 'application/json': { schema: Type.Object({}) } },
};

/** Sends the 202 response of an accepted operation. */
export function sendAccepted(reply: FastifyReply, operationId: string): FastifyReply {
  return reply.code(202).header('Location', `/v1/operations/${operationId}`).send({});
}

export const TokenParams = Type.Object({ tokenId: Type.String({ description: 'The id of the token.' }) });

export const CommunityParams = Type.Object({
  communityId: Type.String({ description: 'The `uniqId` of the community.' }),
});

export const CLAIM_ERRORS: ErrorName[] = [
  'ClaimingAddressAlreadyHasToken',
  'TokenClaimExpired',
  'NoTokensLeft',
];

/** The schema of a route that starts an operation on a token. `errors` are those that not all such routes have. */
export function tokenOperationSchema<Body extends TSchema>({
  errors,
  ...schema
}: {
  operationId: string;
  summary: string;
  description?: string;
  body: Body;
  errors: ErrorName[];
}) {
  return {
    ...schema,
    tags: ['Claims'],
    params: TokenParams,
    response: {
      202: acceptedResponse,
      ...problemResponses(
        'InvalidRequest',
        'InvalidSignature',
        'TokenNotFound',
        'TooLarge',
        'UnsupportedMediaType',
        ...errors,
      ),
    },
  };
}
