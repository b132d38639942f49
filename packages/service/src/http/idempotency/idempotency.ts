import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Context } from '../../context.ts';
import { invalidRequest, Refusal } from '../../domain/refusal.ts';
import { optionalCallerOf } from '../auth.ts';
import type { PrepareErrorResponse } from '../errors.ts';
import { bodyHashOf } from '../json-body.ts';
import {
  beginKeyUse,
  deleteExpiredKeys,
  type KeyUse,
  releaseKey,
  storeResponse,
} from './idempotency-keys.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a POST whose response contains a secret, which must not be stored. */
    ignoresIdempotencyKey?: boolean;
  }
}

const STORED_HEADERS = ['content-type', 'location'];
const USES_PER_CLEANUP = 100;
const MAX_KEYS_PER_CLEANUP = 1_000;
// The body of an upload is not compared: it is streamed, and its multipart boundary differs each time.
const NO_BODY_HASH = createHash('sha256').digest();
// The request was not executed, so the corrected request may use the same key.
const NOT_EXECUTED = [400, 401, 408, 413, 415, 429];

/** Whether a route accepts an `Idempotency-Key`: every POST, unless it opts out. */
export function acceptsIdempotencyKey({ method, config }: Pick<RouteOptions, 'method' | 'config'>): boolean {
  return method === 'POST' && config?.ignoresIdempotencyKey !== true;
}

/**
 * Executes a request with an `Idempotency-Key` once, and sends the stored response to its repetitions.
 * The key is looked up after all checks of the request, so a request that fails them does not use it up.
 */
export function addIdempotency(
  app: FastifyInstance,
  { database, log }: Context,
  prepareErrorResponse: PrepareErrorResponse,
): void {
  const uses = new WeakMap<FastifyRequest, KeyUse>();
  let useCount = 0;

  app.addHook('onRoute', (route) => {
    if (!acceptsIdempotencyKey(route)) return;
    route.preHandler = [route.preHandler ?? [], begin].flat();
    route.onSend = [route.onSend ?? [], finish].flat();
  });

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const key = readIdempotencyKey(request);
    if (key === undefined) return;
    if (useCount % USES_PER_CLEANUP === 0) await deleteExpiredKeys(database, MAX_KEYS_PER_CLEANUP);
    useCount += 1;

    const use = {
      scope: identifyScope(request, key),
      bodyHash: bodyHashOf(request) ?? NO_BODY_HASH,
      requestId: request.id,
    };
    const outcome = await beginKeyUse(database, use);
    if (outcome === 'begun') {
      uses.set(request, use);
      return;
    }
    if (outcome === 'otherBody') {
      throw new Refusal('IdempotencyKeyReused', 'This Idempotency-Key was already used with another body.');
    }
    if (outcome === 'running') {
      throw new Refusal('IdempotencyKeyInUse', 'A request with this Idempotency-Key is still running.');
    }
    return (
      reply
        .code(outcome.status)
        .headers({ ...outcome.headers, 'Idempotency-Replayed': 'true' })
        // With a serializer, Fastify adds no charset to the stored content type.
        .serializer(String)
        .send(outcome.body.replace(`urn:uuid:${outcome.requestId}`, `urn:uuid:${request.id}`))
    );
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> {
    const use = uses.get(request);
    if (use === undefined) return body;
    uses.delete(request);
    if (reply.statusCode >= 500 || NOT_EXECUTED.includes(reply.statusCode)) {
      await releaseKey(database, use).catch((error: unknown) => {
        log.warn({ err: error }, 'an idempotency key stays locked for three minutes');
      });
      return body;
    }
    try {
      const isStored = await storeResponse(database, use, {
        status: reply.statusCode,
        headers: storedHeadersOf(reply),
        body: typeof body === 'string' ? body : '',
      });
      if (isStored) return body;
      throw new Refusal('IdempotencyKeyInUse', 'Another request with this Idempotency-Key has taken over.');
    } catch (error) {
      // A response that was not stored must not be sent: a retry would get another one.
      for (const name of STORED_HEADERS) reply.removeHeader(name);
      return JSON.stringify(prepareErrorResponse(error, request, reply));
    }
  }
}

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const { 'idempotency-key': key } = headers;
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(String(key))) return String(key);
  throw invalidRequest([
    { parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' },
  ]);
}

// The same key of another caller, or on another path, is another key. Without a caller the address counts.
function identifyScope(request: FastifyRequest, key: string): Buffer {
  const { method, ip, params, routeOptions } = request;
  const caller = optionalCallerOf(request);
  const who = caller === null ? ['address', ip] : [caller.kind, 'apiKeyId' in caller && caller.apiKeyId];
  return createHash('sha256')
    .update(JSON.stringify([who, method, routeOptions.url ?? '', params, key]))
    .digest();
}

function storedHeadersOf(reply: FastifyReply): Record<string, string> {
  const headers = STORED_HEADERS.map((name) => [name, reply.getHeader(name)] as const);
  return Object.fromEntries(
    headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
