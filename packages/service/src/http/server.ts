import { randomUUID } from 'node:crypto';
import { LIMITS } from '@badge/protocol';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Context } from '../context.ts';
import { addStandardHeaders, createErrorDescriber, type DescribeError, NOT_FOUND } from './answer-error.ts';
import { addAuthentication, apiKeyIdOf } from './auth.ts';
import { addBodyRules } from './body-rules.ts';
import { answerBrokenRequest } from './broken-request.ts';
import {
  addConnectionBounds,
  CONNECTION_BOUNDS,
  type ConnectionBounds,
  watchAnswers,
} from './connections.ts';
import { addDocs } from './docs.ts';
import { addDraining } from './drain.ts';
import { addFraming } from './framing.ts';
import { addIdempotency } from './idempotency.ts';
import { addJsonBodies } from './json-body.ts';
import { addUnusualMethods, noteMethods } from './method-not-allowed.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limit.ts';
import { airdropRoutes } from './routes/airdrops.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { claimRoutes } from './routes/claims.ts';
import { communityRoutes } from './routes/communities.ts';
import { communityTokenRoutes } from './routes/community-tokens.ts';
import { contributorRoutes } from './routes/contributors.ts';
import { environmentRoutes } from './routes/environment.ts';
import { healthRoutes } from './routes/health.ts';
import { imageRoutes } from './routes/images.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { nftTypeRoutes } from './routes/nft-types.ts';
import { operationRoutes } from './routes/operations.ts';
import type { App } from './routes/route.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { walletRoutes } from './routes/wallets.ts';
import { validatorCompiler } from './validation.ts';

// Node bounds it with the headers, 16 KiB in all; a handler then says what is wrong with a long id.
const LONGEST_PATH = 16 * 1024;

export interface ServerOptions {
  context: Context;
  metrics: Metrics;
  /** What keeps the service from being ready, as a sentence. */
  findUnreadiness: () => Promise<string | null>;
  isOutOfReach: (error: unknown) => boolean;
  /** A worker answers only about its health. */
  isHealthOnly: boolean;
  /** Null: not limited. */
  rateLimit: RateLimit | null;
  trustProxy: string[];
  /** Other bounds than usual, for tests that shall not wait. */
  bounds?: Partial<ConnectionBounds>;
}

/** Builds the HTTP server; it does not listen yet. */
export async function createServer(options: ServerOptions) {
  const { context, metrics, findUnreadiness, isOutOfReach, isHealthOnly, rateLimit, trustProxy } = options;
  const bounds = { ...CONNECTION_BOUNDS, ...options.bounds };
  const publicUrl = () => context.settings.publicUrl;
  const describeError = createErrorDescriber({ publicUrl, isOutOfReach });
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    reply.send(describeError(error, request, reply));
  const app = fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    trustProxy: trustProxy.length > 0 && trustProxy,
    requestTimeout: bounds.requestMs,
    connectionTimeout: bounds.silenceMs,
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: bounds.headersMs,
      connectionsCheckingInterval: bounds.checkMs,
      // Checked with the other errors of a Host, and answered as they are.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PATH },
    frameworkErrors: (error, request, reply) => void errorHandler(error, request, reply),
    clientErrorHandler: answerBrokenRequest({ publicUrl, findAnswers: (socket) => findAnswers(socket) }),
  }).withTypeProvider<TypeBoxTypeProvider>();
  const findAnswers = watchAnswers(app);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler);
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', async (request, reply) => {
    addStandardHeaders(request, reply, publicUrl());
  });
  addFraming(app);
  addUnusualMethods(app);
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request, reply),
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        apiKeyId: apiKeyIdOf(request),
      },
      'answered',
    );
  });
  addMetrics(app, metrics);
  addConnectionBounds(app, { context, metrics, bounds });
  addDraining(app);
  const rateLimiter = rateLimit === null ? null : createRateLimiter(rateLimit);

  if (!isHealthOnly) await addDocs(app, context);
  const answerOtherMethods = noteMethods(app);
  if (!isHealthOnly) {
    await app.register(
      (v1) => addV1(v1.withTypeProvider<TypeBoxTypeProvider>(), { context, describeError, rateLimiter }),
      { prefix: '/v1' },
    );
    imageRoutes(app, context);
    metadataRoutes(app, context);
  }
  healthRoutes(app, { context, metrics, findUnreadiness, rateLimiter });
  answerOtherMethods();
  return app;
}

// A client may have put a key into the path or the query by mistake. What a path names is known to be harmless
// once it was found: of a refusal, and of a path that has any end, the route alone is logged.
function loggedPath({ url, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): string | undefined {
  const { url: route } = routeOptions;
  return statusCode < 400 && !route?.includes('*') ? url.split('?')[0] : route;
}

function answerNotFound(): never {
  throw NOT_FOUND;
}

interface V1Options {
  context: Context;
  describeError: DescribeError;
  rateLimiter: RateLimiter | null;
}

// CORS comes first, so that a browser may read a refusal too; then the key, then the body.
async function addV1(v1: App, { context, describeError, rateLimiter }: V1Options): Promise<void> {
  await v1.register(cors, {
    origin: '*',
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key'],
    exposedHeaders: [
      'Location',
      'Retry-After',
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotency-Replayed',
    ],
    maxAge: 86_400,
  });
  v1.setNotFoundHandler(answerNotFound);
  if (rateLimiter !== null) {
    v1.addHook('onRequest', rateLimiter.beforeKey);
    v1.addHook('onSend', rateLimiter.countWrongKey);
  }
  addAuthentication(v1, context);
  if (rateLimiter !== null) v1.addHook('onRequest', rateLimiter.afterKey);
  addJsonBodies(v1);
  addBodyRules(v1);
  addIdempotency(v1, context, describeError);
  const answerOtherMethods = noteMethods(v1);
  for (const addRoutes of [
    tokenRoutes,
    operationRoutes,
    walletRoutes,
    claimRoutes,
    contributorRoutes,
    airdropRoutes,
    communityRoutes,
    communityTokenRoutes,
    apiKeyRoutes,
    auditLogRoutes,
    nftTypeRoutes,
    environmentRoutes,
  ]) {
    await addRoutes(v1, context);
  }
  answerOtherMethods();
}

export type Server = Awaited<ReturnType<typeof createServer>>;
