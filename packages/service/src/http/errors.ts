import { ERRORS, type ErrorName, type Problem, type RequestError } from '@badge/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Settings } from '../context.ts';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { limitRepeatedLines } from '../log.ts';
import { hasUnknownPath } from './method-not-allowed.ts';
import { stateOf } from './request-state.ts';
import { addStandardHeaders } from './response-headers.ts';
import { toRequestErrors } from './validation.ts';

/** Builds the problem object (RFC 9457) of an error. Status and title come from the error table. */
export function toProblem(
  { publicUrl }: Settings,
  error: {
    name: ErrorName;
    detail: string;
    instance: string;
    errors?: RequestError[] | undefined;
    replacedByTokenId?: number | undefined;
  },
): Problem {
  const { status, title } = ERRORS[error.name];
  return {
    type: `${publicUrl}/docs/errors#${error.name}`,
    title,
    status,
    detail: error.detail,
    instance: error.instance,
    name: error.name,
    error: error.detail,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...(error.replacedByTokenId === undefined ? {} : { replacedByTokenId: error.replacedByTokenId }),
  };
}

/**
 * Sets the status and headers of the response to an error, and returns the problem object to send. Logs
 * internal errors and outages.
 */
export type PrepareErrorResponse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Problem;

interface ErrorOptions {
  settings: Settings;
  log: Context['log'];
  isDatabaseUnavailable: (error: unknown) => boolean;
}

export function createErrorPreparer({
  settings,
  log,
  isDatabaseUnavailable,
}: ErrorOptions): PrepareErrorResponse {
  const logUnavailable = limitRepeatedLines((err, repeated) =>
    log.warn({ err, repeated }, 'service unavailable'),
  );

  return (error, request, reply) => {
    // An unknown path gets 404, even if its body is malformed too. A malformed URL gets 400.
    const refusal =
      hasUnknownPath(request) && !isBadUrl(error)
        ? NOT_FOUND
        : toRefusal(error, request, isDatabaseUnavailable);
    stateOf(request).errorName = refusal.errorName;
    if (refusal.errorName === 'InternalError') request.log.error({ err: error }, 'internal error');
    if (refusal.errorName === 'Unavailable') {
      // If the client closes the connection, reading the body fails with ECONNRESET. This looks like a lost
      // connection to the database, but is no outage.
      if (request.raw.socket.destroyed) request.log.debug('the client has closed the connection');
      else logUnavailable(error);
    }
    // If Fastify rejects a request early, no hook has added the standard headers.
    addStandardHeaders(request, reply, settings);
    setErrorHeaders(reply, refusal);
    return toProblem(settings, {
      name: refusal.errorName,
      detail: refusal.message,
      instance: `urn:uuid:${request.id}`,
      errors: refusal.errors,
      replacedByTokenId: refusal.replacedByTokenId,
    });
  };
}

export const NOT_FOUND = new Refusal('NotFound', 'This path does not exist.');

// The errors of Fastify that a client can cause, besides invalid URLs and violated schemas. Any other error
// of Fastify is an internal error.
const FASTIFY_ERRORS: Record<string, [ErrorName, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['TooLarge', 'The body is larger than this endpoint accepts.'],
  FST_STATIC_FORBIDDEN_PATH: ['NotFound', NOT_FOUND.message],
};

function toRefusal(
  error: unknown,
  request: FastifyRequest,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Refusal {
  if (error instanceof Refusal) return error;
  if (isBadUrl(error)) return invalidRequest([{ parameter: 'path', detail: 'is not a valid URL path' }]);
  const fastifyError = error as Partial<FastifyError>;
  if (fastifyError.validation !== undefined) return invalidRequest(toRequestErrors(fastifyError));
  if (fastifyError.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const { bodyTypes = ['application/json'] } = request.routeOptions.config;
    return new Refusal('UnsupportedMediaType', `The body must be sent as ${bodyTypes.join(' or ')}.`);
  }
  const nameAndDetail = FASTIFY_ERRORS[fastifyError.code ?? ''];
  if (nameAndDetail !== undefined) return new Refusal(...nameAndDetail);
  if (isDatabaseUnavailable(error))
    return new Refusal('Unavailable', 'The database is unavailable. Retry later.');
  return new Refusal('InternalError', 'An internal error occurred. The request id identifies it in the log.');
}

function isBadUrl(error: unknown): boolean {
  return (error as Partial<FastifyError>).code === 'FST_ERR_BAD_URL';
}

function setErrorHeaders(reply: FastifyReply, { errorName: name, retryAfterSeconds = 1 }: Refusal): void {
  const { status } = ERRORS[name];
  // With a custom serializer, Fastify does not add a charset. RFC 9457 defines none for this content type.
  reply
    .code(status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .header('Cache-Control', 'no-store')
    // It is that of the body that could not be sent.
    .removeHeader('ETag');
  // If the rate limiter has refused the request, it has set its own Retry-After.
  const isRetryable = ['Unavailable', 'ChainUnavailable', 'IdempotencyKeyInUse', 'RateLimited'].includes(
    name,
  );
  if (isRetryable && !reply.hasHeader('Retry-After')) {
    reply.header('Retry-After', String(retryAfterSeconds));
  }
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  // By default, Fastify closes the connection if the body parser fails. A client that is still sending would
  // get a reset and lose the response. So the connection stays open, and Node reads the rest of the body.
  if (['TooLarge', 'RateLimited', 'Unavailable'].includes(name)) reply.removeHeader('Connection');
  // The rest of this request has not arrived, so the connection cannot be used for another one.
  if (name === 'RequestTimeout') reply.header('Connection', 'close');
}
