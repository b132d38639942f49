import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Context, Repetition } from '../../context.ts';
import { invalidRequest, Refusal } from '../../domain/refusal.ts';
import {
  deleteExpiredKeys,
  type KeyState,
  type KeyUse,
  lockKey,
  type OperationKey,
  type RecordResponse,
  recordResponse,
  releaseKey,
  replaceResponseBody,
  type StoredResponse,
} from '../../storage/idempotency-keys.ts';
import { optionalCallerOf } from '../auth.ts';
import { stateOf } from '../request-state.ts';

const USES_PER_CLEANUP = 100;
const MAX_KEYS_PER_CLEANUP = 1_000;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
// The body of an upload is not compared: it is streamed, and its multipart boundary differs each time.
const NO_BODY_HASH = createHash('sha256').digest();

/** Whether a route accepts an `Idempotency-Key`: every POST, unless its configuration is `ignore`. */
export function acceptsIdempotencyKey({ method, config }: Pick<RouteOptions, 'method' | 'config'>): boolean {
  return method === 'POST' && config?.idempotency !== 'ignore';
}

/**
 * Returns the idempotency key that is recorded with the operation of a request; null if the request has none.
 */
export function operationKeyOf(request: FastifyRequest): OperationKey | null {
  return stateOf(request).idempotency.operationKey ?? null;
}

/** Returns the 202 response of an accepted operation, as it is sent and stored. */
export function toAcceptedResponse(operationId: string): StoredResponse {
  return {
    status: 202,
    headers: { ...JSON_TYPE, location: `/v1/operations/${operationId}` },
    body: '{}',
  };
}

/**
 * Returns the function that records the response of a request that locked a key; undefined for other
 * requests.
 */
export function responseRecorderOf(request: FastifyRequest): RecordResponse | undefined {
  return stateOf(request).idempotency.recordResponse;
}

/**
 * Returns what a request whose response is not stored does for its idempotency key; undefined if it has none.
 */
export function repetitionOf(request: FastifyRequest): Repetition | undefined {
  return stateOf(request).idempotency.repetition;
}

/**
 * Executes a request with an `Idempotency-Key` once, and sends the stored response to its repetitions. The
 * key is looked up after the checks of the API key and of a JSON body. So a request that fails one of them
 * does not use up its key. The returned hook changes the handlers of the routes that accept a key.
 */
export function createIdempotency({ database, lookUps, log }: Context): (route: RouteOptions) => void {
  let useCount = 0;

  function runRouteOnce(route: RouteOptions): void {
    if (!acceptsIdempotencyKey(route)) return;
    const { handler } = route;
    const { idempotency } = route.config ?? {};
    const runOnce =
      idempotency === 'lock' ? runLocked : idempotency === 'repeat' ? runRepeated : runOperation;
    route.handler = async function (request, reply) {
      const execute = async () => await handler.call(this, request, reply);
      const key = readIdempotencyKey(request);
      if (key === undefined) return await execute();
      if (useCount++ % USES_PER_CLEANUP === 0) await deleteExpiredKeys(database, MAX_KEYS_PER_CLEANUP);
      const use = {
        scope: identifyScope(request, key),
        bodyHash: stateOf(request).bodyHash ?? NO_BODY_HASH,
        requestId: request.id,
      };
      return await runOnce({ request, reply, use, execute });
    };
  }

  interface Run {
    request: FastifyRequest;
    reply: FastifyReply;
    use: KeyUse;
    execute: () => Promise<unknown>;
  }

  async function runOperation({ request, reply, use, execute }: Run): Promise<unknown> {
    const state = await lookUps.findKeyState(use);
    if (state !== null) return replay(reply, state);
    stateOf(request).idempotency = { operationKey: { ...use, toResponse: toAcceptedResponse } };
    try {
      return await execute();
    } catch (error) {
      // No second lookup after other errors: if the database does not respond, the client would wait twice as
      // long.
      if (!(error instanceof Refusal)) throw error;
      // A concurrent request with the same key may have been accepted, and may be the cause of this refusal.
      // If the second lookup fails, the cause is unknown, so the error of the lookup is sent.
      const lateState = await lookUps.findKeyState(use);
      if (lateState === null) throw error;
      return replay(reply, lateState);
    }
  }

  async function runLocked({ request, reply, use, execute }: Run): Promise<unknown> {
    const state = await lockKey(database, use);
    if (state !== 'locked') return replay(reply, state);
    stateOf(request).idempotency = { recordResponse: recorderOf(use) };
    return await executeLocked(use, execute);
  }

  // Does not replay the stored response, which contains only ids, but executes a repeated request as well.
  async function runRepeated({ request, reply, use, execute }: Run): Promise<unknown> {
    const state = await lockKey(database, use);
    if (state === 'locked') {
      const record = recorderOf(use);
      const repetition: Repetition = { earlierIds: null, record: async (tx, ids) => await record(tx, ids) };
      stateOf(request).idempotency = { repetition };
      return await executeLocked(use, execute);
    }
    if (typeof state === 'string') return replay(reply, state);
    const repetition: Repetition = {
      earlierIds: JSON.parse(state.body) as string[],
      record: async (tx, ids) => {
        const change = { scope: use.scope, earlierBody: state.body, body: JSON.stringify(ids) };
        if (!(await replaceResponseBody(tx, change))) throw takenOver();
      },
    };
    stateOf(request).idempotency = { repetition };
    return await execute();
  }

  function recorderOf(use: KeyUse): RecordResponse {
    return async (tx, created) => {
      const response = { status: 201, headers: JSON_TYPE, body: JSON.stringify(created) };
      if (!(await recordResponse(tx, use, response))) throw takenOver();
    };
  }

  async function executeLocked(use: KeyUse, execute: Run['execute']): Promise<unknown> {
    try {
      return await execute();
    } catch (error) {
      await releaseKey(database, use).catch((reason: unknown) => {
        log.warn({ err: reason }, 'an idempotency key stays locked for up to three minutes');
      });
      throw error;
    }
  }

  return runRouteOnce;
}

function takenOver(): Refusal {
  return new Refusal('IdempotencyKeyInUse', 'Another request with this Idempotency-Key has taken over.');
}

function replay(reply: FastifyReply, state: KeyState): FastifyReply {
  if (state === 'otherBody') {
    throw new Refusal('IdempotencyKeyReused', 'This Idempotency-Key was already used with another body.');
  }
  if (state === 'running') {
    throw new Refusal('IdempotencyKeyInUse', 'A request with this Idempotency-Key is still running.');
  }
  return reply
    .code(state.status)
    .headers({ ...state.headers, 'Idempotency-Replayed': 'true' })
    .send(state.body);
}

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const { 'idempotency-key': key } = headers;
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(String(key))) return String(key);
  throw invalidRequest([
    { parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' },
  ]);
}

// Each caller and path has its own keys: the same text from another caller, or for another path, is another
// key.
function identifyScope(request: FastifyRequest, key: string): Buffer {
  const { method, params, routeOptions } = request;
  return createHash('sha256')
    .update(JSON.stringify([identifyCaller(request), method, routeOptions.url ?? '', params, key]))
    .digest();
}

// Without an API key, the caller is the address.
function identifyCaller(request: FastifyRequest): unknown[] {
  const caller = optionalCallerOf(request);
  if (caller === null) return ['address', request.ip];
  if (caller.kind === 'session') {
    const { address, walletChainId } = caller;
    return ['session', address.toString('hex'), ...(walletChainId === null ? [] : [walletChainId])];
  }
  if (caller.kind === 'emailSession') return ['email', caller.emailHash.toString('hex')];
  // Stored hashes contain this `false`, so it must stay.
  return caller.kind === 'operator' ? ['operator', false] : ['community', caller.apiKeyId];
}
