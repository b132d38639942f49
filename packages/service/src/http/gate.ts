import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { authenticate } from '../domain/api-keys/authenticate.ts';
import type { Metrics } from '../metrics.ts';
import type { RequestCounter } from '../rate-limits/request-counter.ts';
import { checkCallerKind, hasKey, isKeyChecked, readKey } from './auth.ts';
import type { createDraining } from './connections/drain.ts';
import { checkFraming, type ProxyCheck, prepareForwardedFor } from './connections/proxy-headers.ts';
import { limitDuration } from './connections/timeouts.ts';
import { checkJsonHeaders } from './json-body.ts';
import type { ServerLimits } from './limits.ts';
import { hasUnknownPath, rejectOtherMethods } from './method-not-allowed.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { logRequest, measureRequest } from './request-log.ts';
import { stateOf } from './request-state.ts';
import { addStandardHeaders } from './response-headers.ts';
import { limitRoomCodes } from './room-codes.ts';
import type { AddressPolicy } from './route-config.ts';
import { releasePermits } from './shares/resources.ts';
import { takeWriteConnection } from './shares/write-connections.ts';
import { checkBodyRules, deferBodyErrors } from './validation.ts';

interface GateOptions {
  context: Context;
  metrics: Metrics;
  limits: ServerLimits;
  isTrustedProxy: ProxyCheck;
  draining: ReturnType<typeof createDraining>;
  rateLimiter: RateLimiter;
  codeCounter: RequestCounter;
}

/** Adds the headers of every response, before all checks, so that a web page can also read errors. */
export type AddHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

/** What the routes of a Fastify scope have in common. */
export interface Area {
  addHeaders?: AddHeaders | undefined;
  /** The policy of routes without one. Default: `address`. */
  addressPolicy?: AddressPolicy;
}

declare module 'fastify' {
  interface FastifyInstance {
    area: Area;
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
type Done = (error?: Error) => void;

/**
 * Lets a request go on at once if the hook returns no promise. Fastify would wait for each async function.
 */
const run = (hook: Hook) => (request: FastifyRequest, reply: FastifyReply, done: Done) => {
  const promise = hook(request, reply);
  if (promise === undefined) done();
  else promise.then(() => done(), done);
};

/**
 * Adds the hooks of all requests, in their order. They are the gate: `receive`, then `admit` before the body
 * is read and `admitBody` after it, and `leave` before the response is sent. The `config` of a route declares
 * what they check (`route-config.ts`), the `area` of a scope what its routes share.
 */
export function addGate(app: FastifyInstance, options: GateOptions): void {
  const { context, metrics, limits, isTrustedProxy, draining, rateLimiter, codeCounter } = options;
  const checkRoomCode = limitRoomCodes(context, codeCounter);

  /** Rejects what a proxy could read differently, and limits the time of everything that follows. */
  async function receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    prepareForwardedFor(request.raw, isTrustedProxy);
    addStandardHeaders(request, reply, context.settings);
    await checkFraming(request);
    limitDuration(limits, request, reply);
  }

  /**
   * Counts the request for its caller, says who this is and whether it may call the route, and looks at the
   * headers.
   */
  function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { area } = request.server;
    area.addHeaders?.(request, reply);
    const { addressPolicy: policy = area.addressPolicy ?? 'address' } = request.routeOptions.config;
    if (isKeyChecked(request)) return admitKey(request, reply, policy);
    // An unknown path costs little and always gets a 404.
    if (!hasUnknownPath(request)) rateLimiter.countAddress(request, reply, policy);
    checkHeaders(request, reply);
    return undefined;
  }

  async function admitKey(
    request: FastifyRequest,
    reply: FastifyReply,
    policy: AddressPolicy,
  ): Promise<void> {
    if (!hasKey(request)) rateLimiter.countAddress(request, reply, policy);
    const credential = await rateLimiter.checkKey(request, reply, async () =>
      authenticate(context, readKey(request)),
    );
    const caller = { ...credential, neededRole: request.routeOptions.config.role ?? 'editor' };
    stateOf(request).caller = caller;
    reply.header('Cache-Control', 'no-store');
    rateLimiter.countKey(request, reply, caller);
    checkCallerKind(request);
    checkHeaders(request, reply);
  }

  function checkHeaders(request: FastifyRequest, reply: FastifyReply): void {
    checkJsonHeaders(request);
    rejectOtherMethods(request, reply);
  }

  /**
   * Checks the rules of the body, counts the work that it asks for, and waits for what the request must not
   * use at once.
   */
  function admitBody(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    checkBodyRules(request);
    rateLimiter.countWork(request, reply);
    if (!usesWriteConnection(request)) return checkRoomCode(request, reply);
    return takeWriteConnection(request, reply).then(() => checkRoomCode(request, reply));
  }

  function leave(request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done): void {
    draining.addCloseHeader(request, reply);
    releasePermits(request);
    rateLimiter.countBody(request, reply);
    done();
  }

  function record(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    logRequest(request, reply);
    measureRequest(metrics, request, reply);
    done();
  }

  app.decorate('area', {});
  app.addHook('onRoute', deferBodyErrors);
  app.addHook('onRequest', receive);
  app.addHook('onRequest', run(admit));
  app.addHook('preHandler', run(admitBody));
  app.addHook('onSend', leave);
  app.addHook('onResponse', record);
  app.addHook('preClose', draining.drain);
}

function usesWriteConnection({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return config.usesWriteConnection ?? ['PUT', 'PATCH', 'DELETE'].includes(method);
}
