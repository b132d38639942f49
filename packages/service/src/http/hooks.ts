import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Metrics } from '../metrics.ts';
import type { RequestCounter } from '../rate-limits/request-counter.ts';
import { addStatusListHeaders } from '../routes/credentials.ts';
import { addMetadataHeaders } from '../routes/metadata.ts';
import { addOEmbedHeaders } from '../routes/oembed.ts';
import { checkCallerKind, checkKey } from './auth.ts';
import type { createDraining } from './connections/drain.ts';
import { type ProxyCheck, prepareForwardedFor } from './connections/forwarded-for.ts';
import { checkFraming } from './connections/request-smuggling.ts';
import { limitDuration } from './connections/timeouts.ts';
import { handleCors } from './cors.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { rejectCompressedBody, requireJsonType } from './json-body.ts';
import type { ServerLimits } from './limits.ts';
import { rejectOtherMethods } from './method-not-allowed.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { logRequest, measureRequest } from './request-log.ts';
import { addStandardHeaders } from './response-headers.ts';
import { limitRoomCodes } from './room-codes.ts';
import { addPictureHeaders } from './send-picture.ts';
import { releasePermits } from './shares/resources.ts';
import { takeWriteConnection } from './shares/write-connections.ts';
import { checkBodyRules, deferBodyErrors } from './validation.ts';

interface HookOptions {
  context: Context;
  metrics: Metrics;
  limits: ServerLimits;
  isTrustedProxy: ProxyCheck;
  draining: ReturnType<typeof createDraining>;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined | void;
type Done = (error?: Error) => void;

/** Lets a request go on at once if the hook returns no promise. Fastify would wait for each async function. */
const run = (hook: Hook) => (request: FastifyRequest, reply: FastifyReply, done: Done) => {
  const promise = hook(request, reply);
  if (promise === undefined) done();
  else promise.then(() => done(), done);
};

/** The same before a response is sent. The hooks do not change its payload. */
function runOnSend(hook: Hook) {
  const runHook = run(hook);
  return (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done) =>
    runHook(request, reply, done);
}

/** Adds the hooks of every request. Hooks of one kind run in this order, and before those of the functions below. */
export function addHooks(
  app: FastifyInstance,
  { context: { settings }, metrics, limits, isTrustedProxy, draining }: HookOptions,
): void {
  app.addHook('onRoute', deferBodyErrors);
  app.addHook(
    'onRequest',
    run(({ raw }) => prepareForwardedFor(raw, isTrustedProxy)),
  );
  app.addHook(
    'onRequest',
    run((request, reply) => addStandardHeaders(request, reply, settings)),
  );
  app.addHook('onRequest', run(checkFraming));
  app.addHook(
    'onRequest',
    run((request, reply) => limitDuration(limits, request, reply)),
  );
  app.addHook('preHandler', run(checkBodyRules));
  app.addHook('onSend', runOnSend(draining.addCloseHeader));
  app.addHook('onSend', runOnSend(releasePermits));
  app.addHook('onResponse', run(logRequest));
  app.addHook(
    'onResponse',
    run((request, reply) => measureRequest(metrics, request, reply)),
  );
  app.addHook('preClose', draining.drain);
}

/**
 * Adds the hooks of requests under /v1. The CORS headers come first, so that a web page can also read errors. Then the key
 * is checked, then the body. Codes of rooms are counted last, because the code is in the body.
 */
export function addV1Hooks(
  v1: FastifyInstance,
  {
    context,
    rateLimiter,
    codeCounter,
  }: {
    context: Context;
    rateLimiter: RateLimiter | null;
    codeCounter: RequestCounter;
  },
): void {
  v1.addHook('onRoute', (route) => {
    route.config = { ...route.config, isRateLimitDocumented: true };
  });
  v1.addHook('onRoute', createIdempotency(context));
  v1.addHook('onRequest', handleCors);
  addRateLimit(v1, rateLimiter);
  v1.addHook(
    'onRequest',
    run((request, reply) => checkKey(context, request, reply)),
  );
  if (rateLimiter !== null) v1.addHook('onRequest', run(rateLimiter.afterAuthentication));
  v1.addHook('onRequest', run(checkCallerKind));
  addJsonHooks(v1);
  addMethodCheck(v1);
  v1.addHook('preHandler', run(takeWriteConnection));
  v1.addHook('preHandler', run(limitRoomCodes(context, codeCounter)));
  if (rateLimiter !== null) {
    v1.addHook('preHandler', run(rateLimiter.countWork));
    v1.addHook('onSend', runOnSend(rateLimiter.countBody));
    v1.addHook('onSend', runOnSend(rateLimiter.countWrongKey));
  }
}

/** Adds the hooks of the images and videos. The CORS headers come first, so that a web page can also read a 429. */
export function addPictureHooks(images: FastifyInstance, rateLimiter: RateLimiter | null): void {
  images.addHook('onRequest', run(addPictureHeaders));
  addRateLimit(images, rateLimiter);
}

/** Adds the hooks of the metadata, in the same order. */
export function addMetadataHooks(metadata: FastifyInstance, rateLimiter: RateLimiter | null): void {
  metadata.addHook('onRequest', run(addMetadataHeaders));
  addRateLimit(metadata, rateLimiter);
}

/** Adds the hooks of oEmbed, in the same order. */
export function addOEmbedHooks(oembed: FastifyInstance, rateLimiter: RateLimiter | null): void {
  oembed.addHook('onRequest', run(addOEmbedHeaders));
  addRateLimit(oembed, rateLimiter);
}

/** Adds the hooks of the status lists, in the same order. */
export function addStatusListHooks(lists: FastifyInstance, rateLimiter: RateLimiter | null): void {
  lists.addHook('onRequest', run(addStatusListHeaders));
  addRateLimit(lists, rateLimiter);
}

/** Adds the hooks of the documentation. */
export function addDocsHooks(docs: FastifyInstance, rateLimiter: RateLimiter | null): void {
  docs.addHook('onRoute', (route) => {
    route.config = { ...route.config, addressPolicy: 'docs' };
  });
  addRateLimit(docs, rateLimiter);
}

/** Adds the only hook of the web pages, of their files, of /metrics, and of the sandbox's chain before its body is read. */
export function addRateLimit(app: FastifyInstance, rateLimiter: RateLimiter | null): void {
  if (rateLimiter !== null) app.addHook('onRequest', run(rateLimiter.beforeAuthentication));
}

/** Adds the hook that rejects other methods, after the other hooks of this kind. Children that exist do not inherit it. */
export function addMethodCheck(app: FastifyInstance): void {
  app.addHook('onRequest', run(rejectOtherMethods));
}

/** Adds the hooks of routes that read JSON bodies. */
export function addJsonHooks(app: FastifyInstance): void {
  app.addHook('onRequest', run(rejectCompressedBody));
  app.addHook('preValidation', run(requireJsonType));
}
