import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Context } from '../context.ts';
import { beginKeyUse, type KeyUse } from '../domain/idempotency/begin-key-use.ts';
import { deleteOldKeys } from '../domain/idempotency/delete-old-keys.ts';
import { finishKeyUse } from '../domain/idempotency/finish-key-use.ts';
import { findIdempotencyKeyErrors, identifyKeyUse } from '../domain/idempotency/rules.ts';
import { checkNoErrors } from '../domain/refusal.ts';
import type { DescribeError } from './answer-error.ts';
import { optionalCallerOf } from './auth.ts';
import { bodyHashOf } from './json-body.ts';

const KEPT_HEADERS = ['content-type', 'location'];
const USES_A_CLEAN_UP = 100;
// An upload is streamed, and its boundary differs each time: its body is not compared.
const NO_HASH = createHash('sha256').digest();

/** Whether a route takes an `Idempotency-Key`: every POST, but the one whose answer is a secret told once. */
export function takesIdempotencyKey({ method, url }: Pick<RouteOptions, 'method' | 'url'>): boolean {
  return method === 'POST' && !url.endsWith('/apiKeys');
}

/**
 * Executes a request with an `Idempotency-Key` once, and answers it again as it was answered.
 * The key is looked at last, so that only what was about to be executed takes it.
 */
export function addIdempotency(app: FastifyInstance, context: Context, describeError: DescribeError): void {
  const uses = new WeakMap<FastifyRequest, KeyUse>();
  let usesBegun = 0;

  app.addHook('onRoute', (route) => {
    if (!takesIdempotencyKey(route)) return;
    route.preHandler = [route.preHandler ?? [], begin].flat();
    route.onSend = [route.onSend ?? [], finish].flat();
  });

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { 'idempotency-key': key } = request.headers;
    if (key === undefined) return;
    checkNoErrors(findIdempotencyKeyErrors(String(key)));
    if (usesBegun % USES_A_CLEAN_UP === 0) await deleteOldKeys(context);
    usesBegun += 1;

    const use = {
      scope: identifyKeyUse(String(key), placeOf(request)),
      bodyHash: bodyHashOf(request) ?? NO_HASH,
      requestId: request.id,
    };
    const kept = await beginKeyUse(context, use);
    if (kept === null) {
      uses.set(request, use);
      return;
    }
    return reply
      .code(kept.status)
      .headers({ ...kept.headers, 'Idempotency-Replayed': 'true' })
      .send(kept.body.replace(`urn:uuid:${kept.requestId}`, `urn:uuid:${request.id}`));
  }

  async function finish(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> {
    const use = uses.get(request);
    if (use === undefined) return body;
    uses.delete(request);
    try {
      await finishKeyUse(context, use, {
        status: reply.statusCode,
        headers: keptHeadersOf(reply),
        body: typeof body === 'string' ? body : '',
      });
      return body;
    } catch (error) {
      // An answer that was not kept could not be given again, so it is not given now.
      for (const name of KEPT_HEADERS) reply.removeHeader(name);
      return JSON.stringify(describeError(error, request, reply));
    }
  }
}

function placeOf(request: FastifyRequest) {
  const { method, ip, params, routeOptions } = request;
  return { caller: optionalCallerOf(request), address: ip, method, route: routeOptions.url ?? '', params };
}

function keptHeadersOf(reply: FastifyReply): Record<string, string> {
  const headers = KEPT_HEADERS.map((name) => [name, reply.getHeader(name)] as const);
  return Object.fromEntries(
    headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
