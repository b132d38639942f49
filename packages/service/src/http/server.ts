import { randomUUID } from 'node:crypto';
import { LIMITS } from '@badge/protocol';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Context } from '../context.ts';
import { authenticate } from '../domain/api-keys/authenticate.ts';
import { Refusal } from '../domain/refusal.ts';
import type { WebBuild } from '../web-build.ts';
import { addAuthentication, addOperatorCheck, apiKeyIdOf, readKey } from './auth.ts';
import { createBrokenRequestHandler } from './connections/broken-requests.ts';
import { addTimeouts, CONNECTION_LIMITS, type ConnectionLimits } from './connections/connection-limits.ts';
import { limitConnections } from './connections/connections-per-address.ts';
import { addDraining } from './connections/drain.ts';
import { addForwardedAddresses, createProxyCheck } from './connections/forwarded-for.ts';
import { trackConnections } from './connections/open-connections.ts';
import { addSmugglingChecks } from './connections/request-smuggling.ts';
import { type Turns, takeTurns } from './connections/take-turns.ts';
import { limitUnreadBytes } from './connections/unread-bytes.ts';
import { addCors } from './cors.ts';
import { addDocs } from './docs.ts';
import { createErrorPreparer, NOT_FOUND } from './errors.ts';
import { addIdempotency } from './idempotency/idempotency.ts';
import { addJsonBodies } from './json-body.ts';
import { addUnusualMethods, recordRouteMethods } from './method-not-allowed.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limits/rate-limiter.ts';
import { addReaders } from './reads/reader.ts';
import { addTokenResponses } from './reads/token-responses.ts';
import { addStandardHeaders } from './response-headers.ts';
import { airdropRoutes } from './routes/airdrops.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { claimLinkRoutes } from './routes/claim-links.ts';
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
import { addResources, type ResourceLimits } from './shares/resources.ts';
import { shareWriteConnections } from './shares/write-connections.ts';
import { addValidation, parseQuery } from './validation.ts';
import { addSandboxChain } from './web/sandbox-chain.ts';
import { addWebFiles } from './web/web-files.ts';
import { addWebPages } from './web/web-pages.ts';

// Node's own limit for the path and the headers together, so no id is longer. With a lower limit, a long id would get the
// 404 of an unknown path, instead of the error of its route.
const MAX_PARAMETER_LENGTH = 16 * 1024;

export interface ServerOptions {
  context: Context;
  metrics: Metrics;
  /** Returns null if the service is ready, otherwise the reason as a sentence. */
  findReadinessProblem: () => Promise<string | null>;
  /** Whether an error means that the database cannot execute queries now. The response is then 503, otherwise 500. */
  isDatabaseUnavailable: (error: unknown) => boolean;
  /** Whether only the health endpoints are served, as in a worker. */
  isHealthOnly: boolean;
  /** Null: no limit. */
  rateLimit: RateLimit | null;
  trustProxy: string[];
  /** The web pages; null if they are not built. */
  webBuild: WebBuild | null;
  /** Limits that replace the defaults: the configured limit of connections per address, and others in tests. */
  connectionLimits?: Partial<ConnectionLimits>;
  /** Smaller limits for tests. */
  resourceLimits?: ResourceLimits | undefined;
}

/** Builds the HTTP server. It does not listen yet. */
export async function createServer(options: ServerOptions) {
  const {
    context,
    metrics,
    findReadinessProblem,
    isDatabaseUnavailable,
    isHealthOnly,
    rateLimit,
    trustProxy,
    webBuild,
  } = options;
  const { settings } = context;
  const limits = { ...CONNECTION_LIMITS, ...options.connectionLimits };
  const prepareErrorResponse = createErrorPreparer({ settings, log: context.log, isDatabaseUnavailable });
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    reply.send(prepareErrorResponse(error, request, reply));
  const brokenRequests = createBrokenRequestHandler(settings);
  const app = createApp({ log: context.log, trustProxy, limits, errorHandler, brokenRequests });
  const isTrustedProxy = createProxyCheck(trustProxy);
  // `takeTurns` replaces the server's request listener, so it is called while there is only one. The listener of
  // `addForwardedAddresses` runs before that of `takeTurns`.
  const turns = takeTurns(app.server, isTrustedProxy);
  addForwardedAddresses(app.server, isTrustedProxy);
  brokenRequests.watch(app.server);
  // The response schemas are only documentation. Fastify's own serializer would drop the fields that they do not list.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler);
  app.setNotFoundHandler(throwNotFound);
  app.addHook('onRequest', async (request, reply) => addStandardHeaders(request, reply, settings));
  addSmugglingChecks(app);
  addUnusualMethods(app);
  addRequestLog(app);
  addMetrics(app, metrics);
  const connections = trackConnections(app.server, isTrustedProxy);
  limitConnections(app.server, {
    log: context.log,
    metrics,
    connections,
    turns,
    maxConnections: limits.connections,
    maxPerAddress: limits.connectionsPerAddress,
  });
  limitUnreadBytes(app.server, { log: context.log, metrics, connections, limits });
  addTimeouts(app, limits);
  addDraining(app, connections, turns);
  addResources(app, metrics, options.resourceLimits);
  const rateLimiter =
    rateLimit === null
      ? null
      : createRateLimiter(rateLimit, (request) => authenticate(context, readKey(request)));
  addReaders(app, limits, rateLimiter);
  if (!isHealthOnly) addTokenResponses(app, context.tokenChanges);
  addValidation(app);

  if (!isHealthOnly) await addDocs(app, settings, rateLimiter);
  // After the documentation, on whose paths other methods get 404.
  const rejectOtherMethods = recordRouteMethods(app);
  if (!isHealthOnly) {
    await app.register(
      (v1) => addV1(v1.withTypeProvider<TypeBoxTypeProvider>(), { context, rateLimiter, turns }),
      {
        prefix: '/v1',
      },
    );
    imageRoutes(app, { context, rateLimiter });
    metadataRoutes(app, { context, rateLimiter });
    await app.register((web) => addWebPages(web, { context, rateLimiter, webBuild, prepareErrorResponse }));
    await app.register((web) => addWebFiles(web, { rateLimiter, webBuild }));
    await app.register((web) => addSandboxChain(web, { settings, rateLimiter }));
  }
  healthRoutes(app, { context, metrics, findReadinessProblem, rateLimiter });
  rejectOtherMethods();
  return app;
}

interface AppOptions {
  log: Context['log'];
  trustProxy: string[];
  limits: ConnectionLimits;
  errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  brokenRequests: ReturnType<typeof createBrokenRequestHandler>;
}

/** Creates the Fastify app, without hooks and routes. */
function createApp({ log, trustProxy, limits, errorHandler, brokenRequests }: AppOptions) {
  return fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    trustProxy: trustProxy.length > 0 && trustProxy,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    // Longer than the 60 seconds for which nginx keeps an idle connection to a server. So nginx closes the connection first,
    // and sends no request on a connection that this timeout is closing.
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // addSmugglingChecks rejects a missing Host header, with a problem object.
      requireHostHeader: false,
    },
    // During a stop, requests are still served. Until a deadline, only idle connections are closed (connections/drain.ts).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => void errorHandler(error, request, reply),
    clientErrorHandler: brokenRequests.onClientError,
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function addRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request, reply),
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        apiKeyId: apiKeyIdOf(request),
      },
      'request completed',
    );
  });
}

// A client may have put a key into the URL by mistake. So the query is never logged, and the path is logged only if the
// request succeeded and its route has no wildcard. Otherwise the pattern of the route is logged.
function loggedPath({ url, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): string | undefined {
  const { url: route } = routeOptions;
  return statusCode < 400 && !route?.includes('*') ? url.split('?')[0] : route;
}

function throwNotFound(): never {
  throw NOT_FOUND;
}

interface V1Options {
  context: Context;
  rateLimiter: RateLimiter | null;
  turns: Turns;
}

// The CORS headers are added first, so that a web page can also read errors. Then the key is checked, then the body.
async function addV1(v1: App, { context, rateLimiter, turns }: V1Options): Promise<void> {
  addCors(v1);
  v1.addHook('onRequest', async ({ raw }) => {
    if (turns.isLate(raw))
      throw new Refusal('Unavailable', 'The service gets more requests than it can handle. Retry later.');
  });
  v1.setNotFoundHandler(throwNotFound);
  v1.addHook('onRoute', (route) => {
    route.config = { ...route.config, isRateLimitDocumented: true };
  });
  if (rateLimiter !== null) {
    v1.addHook('onRequest', rateLimiter.beforeAuthentication);
    v1.addHook('onSend', rateLimiter.countBody);
    v1.addHook('onSend', rateLimiter.countWrongKey);
  }
  addAuthentication(v1, context);
  if (rateLimiter !== null) v1.addHook('onRequest', rateLimiter.afterAuthentication);
  addOperatorCheck(v1);
  addJsonBodies(v1);
  addIdempotency(v1, context);
  shareWriteConnections(v1);
  const rejectOtherMethods = recordRouteMethods(v1);
  for (const addRoutes of [
    tokenRoutes,
    operationRoutes,
    walletRoutes,
    claimRoutes,
    contributorRoutes,
    claimLinkRoutes,
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
  rejectOtherMethods();
}

export type Server = Awaited<ReturnType<typeof createServer>>;
