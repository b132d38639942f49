import { ERRORS, type ErrorName, Problem } from '@badge/protocol';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { AcceptedOperation } from '../domain/accept-operation.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { operationKeyOf, toAcceptedResponse } from '../http/idempotency/idempotency.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * Returns the documentation of a route's errors, grouped by status. Adds the errors that every route can
 * have.
 */
export function problemResponses(...names: ErrorName[]) {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of new Set([...names, 'InternalError' as const, 'Unavailable' as const])) {
    const { status } = ERRORS[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [status, problemResponse(...sameStatus)]),
  );
}

/** Returns the documentation of a response with one of these errors, which have the same status. */
export function problemResponse(...names: ErrorName[]) {
  return {
    description: names.map((name) => `\`${name}\`: ${ERRORS[name].meaning}`).join('\n\n'),
    content: { 'application/problem+json': { schema: Problem } },
  };
}

/** Joins the paragraphs and the items of lists of a description, which is Markdown. */
export function paragraphs(...parts: string[]): string {
  return parts.reduce((text, part) =>
    [text, part].join(part.startsWith('- ') && text.split('\n').at(-1)?.startsWith('- ') ? '\n' : '\n\n'),
  );
}

/** The errors of every route that requires a key. `InvalidRequest`: a header with a key was sent twice. */
export const KEY_ERRORS = [
  'InvalidRequest',
  'ApiKeyRequired',
  'InvalidApiKey',
  'InvalidSession',
  'ApiKeyNotAllowed',
  'RoleNotAllowed',
] as const;

/** The errors of every route that requires a session. */
export const SESSION_ERRORS = [
  'InvalidRequest',
  'ApiKeyRequired',
  'InvalidApiKey',
  'InvalidSession',
  'ApiKeyNotAllowed',
] as const;

/** Returns the documentation of a response with a JSON body. */
export function jsonResponse<T>(description: string, schema: T) {
  return { description, content: { 'application/json': { schema } } };
}

/** Returns the documentation of a list that is also sent as CSV (`sendCsv`). */
export function listResponse<T>(description: string, schema: T) {
  return {
    description: `${description} With \`Accept: text/csv\`: all items as a CSV file. \`limit\` and \`offset\` are then ignored.`,
    content: { 'application/json': { schema }, 'text/csv': { schema: Type.String() } },
  };
}

/** The body of a response that says nothing but its status. */
export const EmptyObject = Type.Object({}, { title: 'EmptyObject' });

/** The documentation of the 202 response of every route that starts an operation. */
export const acceptedResponse = {
  description: 'Accepted. `Location` contains the path of the operation, which returns the result.',
  headers: {
    Location: { type: 'string', description: 'The path of the operation: /v1/operations/{operationId}.' },
  },
  content: { 'application/json': { schema: EmptyObject } },
};

/** Sends the 202 response of an accepted operation. */
export function sendAccepted(
  reply: FastifyReply,
  { operationId, isReplay }: AcceptedOperation,
): FastifyReply {
  if (isReplay) reply.header('Idempotency-Replayed', 'true');
  const { status, headers, body } = toAcceptedResponse(operationId);
  return reply.code(status).headers(headers).send(body);
}

/**
 * Returns what a request sends that starts an operation on a token, and the function that runs its chain
 * calls.
 */
export function tokenRequestOf<Body>(
  request: FastifyRequest & { params: { tokenId: string }; body: Body },
  reply: FastifyReply,
) {
  const { params, body } = request;
  return {
    tokenId: params.tokenId,
    body,
    key: operationKeyOf(request),
    runChainCalls: chainCallsOf(request, reply),
  };
}

export const TokenParams = Type.Object({ tokenId: Type.String({ description: 'The id of the token.' }) });

export const CommunityParams = Type.Object({
  communityId: Type.String({ description: 'The `uniqId` of the community.' }),
});

/** The errors of every route that accepts the signature of a contract wallet. */
export const SIGNATURE_ERRORS = ['InvalidSignature', 'RateLimited', 'ChainUnavailable'] as const;

/** The errors of every route that gives a token to an address. */
export const CLAIM_ERRORS: ErrorName[] = [
  'ClaimingAddressAlreadyHasToken',
  'TokenClaimExpired',
  'RecipientRefuses',
  'NoTokensLeft',
];

/**
 * Returns the schema of a route that starts an operation on a token. Adds the errors that all these routes
 * have.
 */
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
        ...SIGNATURE_ERRORS,
        'TokenNotFound',
        'TokenReplaced',
        'TooLarge',
        'UnsupportedMediaType',
        ...errors,
      ),
    },
  };
}
