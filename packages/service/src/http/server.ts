import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
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
import type { Context, Settings } from '../context.ts';
import type { Metrics } from '../metrics.ts';
import { addDocs, readOpenApi } from '../openapi/docs.ts';
import type { RequestCounter } from '../rate-limits/request-counter.ts';
import { airdropRoutes } from '../routes/airdrops.ts';
import { apiKeyRoutes } from '../routes/api-keys.ts';
import { auditLogRoutes } from '../routes/audit-log.ts';
import { claimLinkRoutes } from '../routes/claim-links.ts';
import { claimRoutes } from '../routes/claims.ts';
import { communityRoutes } from '../routes/communities.ts';
import { communityTokenRoutes } from '../routes/community-tokens.ts';
import { contributorRoutes } from '../routes/contributors.ts';
import { addStatusListHeaders, credentialRoutes, statusListRoutes } from '../routes/credentials.ts';
import { ensNameRoutes } from '../routes/ens-names.ts';
import { environmentRoutes } from '../routes/environment.ts';
import { eventRoutes } from '../routes/events.ts';
import { gateRoutes } from '../routes/gates.ts';
import { healthRoutes, metricsRoutes } from '../routes/health.ts';
import { imageRoutes } from '../routes/images.ts';
import { invitationRoutes } from '../routes/invitations.ts';
import { managedCreatorRoutes } from '../routes/managed-creators.ts';
import { memberRoutes } from '../routes/members.ts';
import { addMetadataHeaders, metadataRoutes } from '../routes/metadata.ts';
import { nftTypeRoutes } from '../routes/nft-types.ts';
import { addOEmbedHeaders, oembedRoutes } from '../routes/oembed.ts';
import { operationRoutes } from '../routes/operations.ts';
import { ownBadgeRoutes } from '../routes/own-badges.ts';
import { ownerRoutes } from '../routes/owners.ts';
import { recipientRoutes } from '../routes/recipients.ts';
import { reminderRoutes } from '../routes/reminders.ts';
import { reservationRoutes } from '../routes/reservations.ts';
import { resubscriptionRoutes } from '../routes/resubscriptions.ts';
import type { App } from '../routes/route.ts';
import { sessionRoutes } from '../routes/sessions.ts';
import { tokenRoutes } from '../routes/tokens.ts';
import { downloadRoutes, transferRoutes } from '../routes/transfers.ts';
import { walletRoutes } from '../routes/wallets.ts';
import { webhookRoutes } from '../routes/webhooks.ts';
import { addEmbedPage } from '../web/embed-page.ts';
import { addSandboxChain } from '../web/sandbox-chain.ts';
import { addUnsubscribePage } from '../web/unsubscribe-page.ts';
import { addWebFiles } from '../web/web-files.ts';
import { addWebPages, createNotFoundHandler } from '../web/web-pages.ts';
import type { WebBuild } from '../web-build.ts';
import { addChainCallCounter } from './chain-calls.ts';
import { rejectBrokenRequest, rejectConnect } from './connections/broken-requests.ts';
import { type Connections, trackConnections } from './connections/connections.ts';
import { createDraining } from './connections/drain.ts';
import { createProxyCheck } from './connections/proxy-headers.ts';
import { addCorsHeaders, addPreflightRoute } from './cors.ts';
import { createErrorPreparer, NOT_FOUND, type PrepareErrorResponse } from './errors.ts';
import { type AddHeaders, addGate } from './gate.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { addJsonParser } from './json-body.ts';
import { SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { addUnusualMethods, recordPaths } from './method-not-allowed.ts';
import { createRateLimiter, NO_RATE_LIMIT, type RateLimit } from './rate-limiter.ts';
import { addReaders } from './reads/reader.ts';
import { addTokenResponses } from './reads/token-responses.ts';
import { addPictureHeaders } from './send-picture.ts';
import { addResources, type ResourceLimits } from './shares/resources.ts';
import { parseQuery, validatorCompiler } from './validation.ts';

export interface ServerOptions {
  context: Context;
  metrics: Metrics;
  /** Returns null if the service is ready, otherwise the reason as a sentence. */
  findReadinessProblem: () => Promise<string | null>;
  /**
   * Whether an error means that the database cannot execute queries now. The response then has the status
   * 503, otherwise 500.
   */
  isDatabaseUnavailable: (error: unknown) => boolean;
  /** Whether only the health endpoints are served, as in a worker. */
  isHealthOnly: boolean;
  /** Null: no limit. */
  rateLimit: RateLimit | null;
  /** Counts the wrong codes of rooms, and the uses of right ones, in windows of `CODE_WINDOW_SECONDS`. */
  codeCounter: RequestCounter;
  /** Counts calls of contract wallets, in windows of `CHAIN_CALL_WINDOW_SECONDS`. */
  chainCallCounter: RequestCounter;
  trustProxy: string[];
  /** The web pages; null if they are not built. */
  webBuild: WebBuild | null;
  /**
   * Limits that replace the defaults: the configured limit of connections per address, and others in tests.
   */
  serverLimits?: Partial<ServerLimits>;
  /** Describes the routes that are added after it. By default, openapi.json does. */
  addOpenApi?: (app: FastifyInstance) => Promise<void>;
  /** Smaller limits for tests. */
  resourceLimits?: ResourceLimits | undefined;
}

/** Builds the HTTP server. It does not listen yet. */
export async function createServer(options: ServerOptions) {
  const { context, metrics, trustProxy, rateLimit } = options;
  const { settings, log } = context;
  const limits = { ...SERVER_LIMITS, ...options.serverLimits };
  const prepareErrorResponse = createErrorPreparer({
    settings,
    log,
    isDatabaseUnavailable: options.isDatabaseUnavailable,
  });
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    reply.send(prepareErrorResponse(error, request, reply));
  const connections: Connections = new Map();
  const app = createApp({ log, trustProxy, limits, errorHandler, connections, settings });
  app.setNotFoundHandler(createNotFoundHandler(options.webBuild, prepareErrorResponse));
  const isTrustedProxy = createProxyCheck(trustProxy);
  trackConnections(app.server, connections, { log, metrics, isTrustedProxy, limits });
  const draining = createDraining(app.server, connections, log);
  const rateLimiter = rateLimit === null ? NO_RATE_LIMIT : createRateLimiter(rateLimit);
  const { codeCounter } = options;
  addGate(app, { context, metrics, limits, isTrustedProxy, draining, rateLimiter, codeCounter });
  addResources(app, metrics, options.resourceLimits);
  addReaders(app, limits);
  if (!options.isHealthOnly) {
    addTokenResponses(app, context.tokenChanges);
    await addDocsRoutes(app, options);
  }
  // After the documentation, on whose paths other methods get 404.
  recordPaths(app, limits);
  if (!options.isHealthOnly) {
    await app.register((v1: App) => addV1(v1, options), { prefix: '/v1' });
    await addPublicRoutes(app, { ...options, prepareErrorResponse });
  }
  healthRoutes(app, context, options.findReadinessProblem);
  metricsRoutes(app, context, metrics);
  return app;
}

interface AppOptions {
  log: Context['log'];
  trustProxy: string[];
  limits: ServerLimits;
  errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  connections: Connections;
  settings: Settings;
}

/** Creates the Fastify app, without hooks and routes. */
function createApp({ log, trustProxy, limits, errorHandler, connections, settings }: AppOptions) {
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    trustProxy: trustProxy.length > 0 && trustProxy,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // `checkFraming` rejects a missing Host header, with a problem object.
      requireHostHeader: false,
    },
    // During a stop, requests are still served. Until a deadline, only idle connections are closed
    // (connections/drain.ts).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: limits.parameterCharacters,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => void errorHandler(error, request, reply),
    clientErrorHandler: (error, socket) => rejectBrokenRequest(error, socket, { connections, settings }),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Treats a request with an unknown Expect header like any other, as RFC 9110, 10.1.1 allows. Node would
  // send a 417 without a problem object.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => rejectConnect(socket as Socket, settings));
  // The response schemas are only documentation. Fastify's own serializer would drop the fields that they do
  // not list.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(errorHandler);
  addUnusualMethods(app);
  return app;
}

function throwNotFound(): never {
  throw NOT_FOUND;
}

async function addDocsRoutes(
  app: FastifyInstance,
  { context: { settings }, addOpenApi = readOpenApi }: ServerOptions,
): Promise<void> {
  await addOpenApi(app);
  await app.register(async (docs) => {
    docs.decorate('area', { addressPolicy: 'docs' });
    await addDocs(docs, settings);
  });
}

async function addV1(v1: App, { context, chainCallCounter }: ServerOptions): Promise<void> {
  v1.decorate('area', { addHeaders: addCorsHeaders });
  v1.addHook('onRoute', (route) => {
    route.config = { ...route.config, isRateLimitDocumented: true };
  });
  v1.addHook('onRoute', createIdempotency(context));
  addChainCallCounter(v1, chainCallCounter);
  v1.setNotFoundHandler(throwNotFound);
  addJsonParser(v1);
  addPreflightRoute(v1);
  for (const addRoutes of [
    tokenRoutes,
    operationRoutes,
    walletRoutes,
    ensNameRoutes,
    claimRoutes,
    ownerRoutes,
    contributorRoutes,
    recipientRoutes,
    claimLinkRoutes,
    invitationRoutes,
    reminderRoutes,
    reservationRoutes,
    resubscriptionRoutes,
    airdropRoutes,
    gateRoutes,
    communityRoutes,
    communityTokenRoutes,
    memberRoutes,
    managedCreatorRoutes,
    credentialRoutes,
    webhookRoutes,
    apiKeyRoutes,
    sessionRoutes,
    ownBadgeRoutes,
    auditLogRoutes,
    eventRoutes,
    nftTypeRoutes,
    transferRoutes,
    environmentRoutes,
  ]) {
    await addRoutes(v1, context);
  }
}

interface PublicRouteOptions extends ServerOptions {
  prepareErrorResponse: PrepareErrorResponse;
}

/** Adds the routes outside of /v1, except the documentation, health and metrics. */
async function addPublicRoutes(app: FastifyInstance, options: PublicRouteOptions): Promise<void> {
  const { context, webBuild, prepareErrorResponse } = options;
  const addScope = (add: (scope: App) => unknown, addHeaders?: AddHeaders) =>
    app.register(async (scope: App) => {
      scope.decorate('area', { addHeaders });
      await add(scope);
    });
  await addScope((images) => imageRoutes(images, context), addPictureHeaders);
  await addScope((metadata) => metadataRoutes(metadata, context), addMetadataHeaders);
  await addScope((oembed) => oembedRoutes(oembed, context), addOEmbedHeaders);
  await addScope((lists) => statusListRoutes(lists, context), addStatusListHeaders);
  await addScope((exports) => downloadRoutes(exports, context));
  await addScope((web) => addWebPages(web, { context, webBuild, prepareErrorResponse }));
  await addScope((web) => addEmbedPage(web, { context, prepareErrorResponse }));
  await addScope((web) => addUnsubscribePage(web, { context, prepareErrorResponse }));
  await addScope((files) => addWebFiles(files, webBuild));
  await addScope((chain) => addSandboxChain(chain, context.settings));
}

export type Server = Awaited<ReturnType<typeof createServer>>;
