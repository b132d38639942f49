import { ERRORS, type ErrorName, type Problem } from '@badge/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { toProblem } from './problems.ts';
import { securityHeaders } from './security-headers.ts';
import { toRequestErrors } from './validation.ts';

interface ErrorAnswerer {
  publicUrl: () => string;
  isOutOfReach: (error: unknown) => boolean;
}

/** The headers of every answer; an answer that has them keeps its own. */
export function addStandardHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  if (reply.hasHeader('X-Request-Id')) return;
  reply.headers({ 'X-Request-Id': request.id, ...securityHeaders(publicUrl) });
}

// An unknown path is not found whatever was sent there, a malformed body too.
export const NOT_FOUND = new Refusal('NotFound', 'There is nothing at this path.');

const PASSING: ErrorName[] = ['Unavailable', 'IdempotencyKeyInUse'];

/** Turns whatever was thrown into the answer's status, its headers and the problem object, which is returned. */
export type DescribeError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Problem;

/** Makes the one function that describes errors. */
export function createErrorDescriber({ publicUrl, isOutOfReach }: ErrorAnswerer): DescribeError {
  return (error, request, reply) => {
    // An error of Fastify's own may come before any hook.
    addStandardHeaders(request, reply, publicUrl());
    const refusal = request.is404 && !isBadUrl(error) ? NOT_FOUND : toRefusal(error, isOutOfReach);
    if (refusal.errorName === 'InternalError') request.log.error({ err: error }, 'an internal error');
    if (refusal.errorName === 'Unavailable') {
      request.log.warn({ err: error }, 'the service cannot answer now');
    }
    if (PASSING.includes(refusal.errorName)) reply.header('Retry-After', '1');
    if (ERRORS[refusal.errorName].status === 401) reply.header('WWW-Authenticate', 'Bearer');
    // Closed at once, as Fastify asks for a body that is too large, the connection would be reset under a client
    // that still sends, and the answer lost. Node reads the rest, for as long as a request may take.
    if (refusal.errorName === 'TooLarge') reply.removeHeader('Connection');
    if (refusal.errorName === 'RequestTimeout') reply.header('Connection', 'close');
    reply
      .code(ERRORS[refusal.errorName].status)
      .type('application/problem+json')
      .header('Cache-Control', 'no-store');
    return toProblem(publicUrl(), {
      name: refusal.errorName,
      detail: refusal.message,
      instance: `urn:uuid:${request.id}`,
      errors: refusal.errors,
    });
  };
}

// Fastify's own errors that a client can cause; all else it throws is an internal error.
const FASTIFY_ERRORS: Record<string, [ErrorName, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['TooLarge', 'The body is larger than this call accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UnsupportedMediaType', 'The body must be sent as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['InvalidRequest', 'The body is not as long as Content-Length says.'],
  FST_STATIC_FORBIDDEN_PATH: ['NotFound', 'There is nothing at this path.'],
  FST_ERR_ASYNC_CONSTRAINT: ['NotFound', 'There is nothing at this path.'],
};

function isBadUrl(error: unknown): boolean {
  return (error as Partial<FastifyError>).code === 'FST_ERR_BAD_URL';
}

function toRefusal(error: unknown, isOutOfReach: (error: unknown) => boolean): Refusal {
  if (error instanceof Refusal) return error;
  if (isBadUrl(error)) return invalidRequest([{ parameter: 'path', detail: 'is not a valid URL path' }]);
  const fastifyError = error as Partial<FastifyError>;
  if (fastifyError.validation !== undefined) return invalidRequest(toRequestErrors(fastifyError));
  const known = FASTIFY_ERRORS[fastifyError.code ?? ''];
  if (known !== undefined) {
    const [name, detail] = known;
    return new Refusal(name, detail);
  }
  if (isOutOfReach(error)) return new Refusal('Unavailable', 'The service cannot reach its database now.');
  return new Refusal('InternalError', 'An internal error. The request id finds it in the log.');
}
