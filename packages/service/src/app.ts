import { join } from 'node:path';
import { createImageRenderer, type ImageRenderer } from '@badge/badge-images';
import { EIP712_DOMAIN_NAME } from '@badge/protocol';
import type { Logger } from 'pino';
import { readBackupStatus } from './backup-status.ts';
import { type Chain, createChain } from './chain/chain.ts';
import { createEns, ENS_CHAIN_ID, type Ens } from './chain/ens.ts';
import { type Config, isReachable, urlsOf } from './config.ts';
import type { Context, MailService, Settings } from './context.ts';
import { createWebhookSender } from './delivery/webhook-sender.ts';
import { hashKey } from './domain/api-keys/rules.ts';
import { prepareDemo } from './domain/communities/prepare-demo.ts';
import { createFetchUrl } from './domain/imports/create-fetch-url.ts';
import { createEncryption } from './encryption.ts';
import { CHAIN_CALL_WINDOW_SECONDS } from './http/chain-calls.ts';
import type { ServerLimits } from './http/limits.ts';
import { CODE_WINDOW_SECONDS } from './http/room-codes.ts';
import { createServer, type Server } from './http/server.ts';
import { createLog, limitRepeatedLines } from './log.ts';
import { createKeptMails } from './mail/kept-mails.ts';
import { createSmtpTransport } from './mail/mail-transport.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { stderr } from './output.ts';
import { type PreparedDatabase, prepareDatabase, waitForDatabase } from './prepare-database.ts';
import { startExchange } from './rate-limits/exchange-request-counts.ts';
import { createRequestCounter, type RequestCounter } from './rate-limits/request-counter.ts';
import { estimateKeyBits, findExposedFiles, readSecrets, type Secrets } from './secrets.ts';
import { parseAddress, toChecksumAddress } from './signatures/address.ts';
import { curve } from './signatures/curve.ts';
import { createIssuerKeys } from './signatures/issuer-keys.ts';
import { createKeptAddresses } from './signatures/kept-addresses.ts';
import { createManagedCreators } from './signatures/managed-creators.ts';
import { createTypedDataHasher } from './signatures/typed-data-hash.ts';
import { readWholeAsset } from './storage/assets.ts';
import { type BacklogWatcher, watchBacklog } from './storage/backlog-watcher.ts';
import { createCredentialInserter } from './storage/credentials.ts';
import { type Database, isSocket, MONITOR_CONNECTIONS, openDatabase } from './storage/database.ts';
import { findTimeout, isDatabaseUnavailable } from './storage/database-errors.ts';
import { openDedicatedSession } from './storage/dedicated-session.ts';
import { createLookUps } from './storage/look-ups.ts';
import { createOperationInserter } from './storage/operations.ts';
import { checkPooler } from './storage/pooler.ts';
import { readBacklog } from './storage/queue.ts';
import { type ReadinessWatcher, watchReadiness } from './storage/readiness.ts';
import { createReplacement, type Replacement } from './storage/replacement.ts';
import { createSignals, type Signals } from './storage/signals.ts';
import { createTokenChangeReader, type TokenChangeReader } from './storage/token-changes.ts';
import { createWaits, type Waits } from './storage/waits.ts';
import { VERSION } from './version.ts';
import { readInstalledWebBuild, type WebBuild } from './web-build.ts';
import { startTransfers } from './worker/run-transfers.ts';
import { startSendingMessages } from './worker/send-messages.ts';
import { createTransferParts } from './worker/transfer-parts.ts';
import { startWorker } from './worker/worker.ts';

const CACHE_WARNING_INTERVAL_MS = 600_000;
const MIN_ADMIN_KEY_BITS = 64;
const READINESS_TIMEOUT_MS = 3_000;
const MONITOR_STATEMENT_TIMEOUT_MS = 2_000;
// The age at which a monitor connection over TCP is replaced. A new one leads to the server that is the
// primary now.
const MONITOR_MAX_AGE_SECONDS = 3;
// Node's default of 511 is too small when many clients connect at the same time, such as after a restart of a
// proxy.
const LISTEN_BACKLOG = 4_096;

export interface Service {
  context: Context;
  /** Undefined for a worker that does not listen. */
  port: number | undefined;
  adminKeyFile: string | undefined;
  demoApiKey: string | undefined;
  /** Whether the web pages are built. False for a worker. */
  hasWebPages: boolean;
  /** Finishes the requests in flight and the current batch, then stops everything that was started. */
  stop(): Promise<void>;
}

/**
 * Starts the parts of the service that its role needs. `serverLimits` replaces the default limits, for tests.
 * `stopSignal` ends the wait for the database.
 */
export async function startService(
  config: Config,
  serverLimits?: Partial<ServerLimits>,
  stopSignal?: AbortSignal,
): Promise<Service> {
  const start = beginStart(config, stopSignal);
  const { log, stop } = start;
  try {
    const storage = await openStorage(start);
    const { readiness, backlogWatcher } = await startMonitoring(start, storage);
    const { metrics, images } = createMetricsAndPictures(start, storage);
    const secrets = await readSecretsAndWarn(start);
    const settings = createSettings(config, secrets);
    const { database, signals, tokenChanges, waits } = storage;
    const context: Context = {
      settings,
      log,
      typedData: createTypedDataHasher(settings.domain),
      database,
      transaction: (work) => database.transaction().execute(work),
      lookUps: createLookUps(database),
      insertOperation: createOperationInserter(database, () => signals.send('badge_operations_accepted')),
      insertCredential: createCredentialInserter(database),
      tokenChanges,
      waits,
      backlogWatcher,
      images,
      count: {
        backlogRefusal: () => metrics.refusedOperations.inc(),
        webhookRequest: (result) => metrics.webhookRequests.inc({ result }),
        mail: (result) => metrics.mails.inc({ result }),
      },
      issuerKeys: secrets.issuerSeed === undefined ? null : createIssuerKeys(secrets.issuerSeed),
      keptAddresses: secrets.holderSeed === undefined ? null : createKeptAddresses(secrets.holderSeed),
      managedCreators: secrets.creatorSeed === undefined ? null : createManagedCreators(secrets.creatorSeed),
      encryption: secrets.encryptionKey === undefined ? null : createEncryption(secrets.encryptionKey),
      mail: createMailService(start),
      chains: createChains(start, metrics),
      ens: await createEnsIfConfigured(start, metrics),
      webhookSender: createWebhookSender({
        allowedRanges: config.webhookAllow,
        isHttpAllowed: config.environment === 'sandbox',
      }),
    };
    warnIfSignaturesAreSlow(log);
    warnIfUnprotected(config, log);
    if (secrets.demoApiKey !== undefined) await prepareDemo(context, secrets.demoApiKey);
    if (config.role !== 'api') startSettling(start, { context, metrics, signals });

    const webBuild = config.role === 'worker' ? null : await readInstalledWebBuild();
    const findReadinessProblem = async () =>
      start.isStopping() ? 'The service is stopping.' : await readiness.findProblem();
    const parts = { context, metrics, findReadinessProblem, webBuild, serverLimits };
    const port = config.port === undefined ? undefined : await startServer(start, config.port, parts);
    // A worker has no seeds, and the URL of the service is known only now.
    if (config.role !== 'worker') startTransferring(start, { context, signals });
    log.info({ role: config.role, port, publicUrl: settings.publicUrl }, 'ready');
    return {
      context,
      port,
      adminKeyFile: secrets.adminKeyFile,
      demoApiKey: secrets.demoApiKey,
      hasWebPages: webBuild !== null,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What each step of a start needs. */
interface Start {
  config: Config;
  log: Logger;
  /** Replaces the connections to the database. */
  replacement: Replacement;
  /** Logs errors of connections, except during the stop. */
  onDatabaseError(error: unknown): void;
  stopSignal: AbortSignal | undefined;
  /** Adds a function that the stop calls. The functions are called in the reverse order. */
  onStop(stopPart: () => Promise<void>): void;
  isStopping(): boolean;
  /** Stops every part that has started. A second call does nothing. */
  stop(): Promise<void>;
}

function beginStart(config: Config, stopSignal: AbortSignal | undefined): Start {
  const log = createLog(config.logLevel);
  log.info({ version: VERSION, node: process.versions.node, role: config.role }, 'starting');
  for (const { name: variable, nearest } of config.unknownVariables) {
    log.warn({ variable, nearest }, 'an unknown variable has no effect');
  }
  const stops: (() => Promise<void>)[] = [];
  let isStopping = false;
  const replacement = createReplacement();
  replacement.onReplace(() => log.warn('the connections to the database are replaced'));
  return {
    config,
    log,
    replacement,
    // Logs nothing during the stop, which closes all connections.
    onDatabaseError: limitRepeatedLines((error, repeated) => {
      if (!isStopping) log.warn({ reason: String(error), repeated }, 'a database connection or query failed');
    }),
    stopSignal,
    onStop: (stopPart) => void stops.push(stopPart),
    isStopping: () => isStopping,
    stop: async () => {
      isStopping = true;
      for (const stopPart of stops.splice(0).reverse()) {
        await stopPart().catch((error: unknown) =>
          log.error({ err: error }, 'a part of the service did not stop cleanly'),
        );
      }
    },
  };
}

interface Storage extends PreparedDatabase {
  signals: Signals;
  waits: Waits;
  tokenChanges: TokenChangeReader;
}

/** Opens the database, and listens for what other processes write. */
async function openStorage(start: Start): Promise<Storage> {
  const { config, log, onDatabaseError, replacement, stopSignal, onStop } = start;
  // A worker verifies no signatures, so it can run without the variables of the deployment. Then the
  // deployment is neither compared with the database's record nor recorded.
  const deployment = config.role === 'worker' && !config.isDeploymentSet ? undefined : config;
  const prepared = await prepareDatabase(config, {
    log,
    onDatabaseError,
    replacement,
    stopSignal,
    deployment,
  });
  onStop(prepared.close);
  const { connection, database } = prepared;
  const session = openDedicatedSession(connection, onDatabaseError, replacement);
  onStop(() => session.close());
  const signals = createSignals(session);
  onStop(() => signals.close());
  const waits = createWaits(database, signals, onDatabaseError);
  const tokenChanges = createTokenChangeReader(session, { onError: onDatabaseError, database });
  onStop(async () => tokenChanges.stop());
  return { ...prepared, signals, waits, tokenChanges };
}

/** Starts to watch the database and the backlog, on connections that never wait for those of the service. */
async function startMonitoring(
  start: Start,
  storage: Storage,
): Promise<{ readiness: ReadinessWatcher; backlogWatcher: BacklogWatcher }> {
  const { direct, pooled } = openMonitor(start, storage);
  if (pooled !== undefined) await waitForDatabase(() => checkPooler(direct, pooled), start.config, start);
  const readiness = watchReadiness(direct, {
    replacement: start.replacement,
    timeoutMs: READINESS_TIMEOUT_MS,
    pooledMonitor: pooled,
  });
  start.onStop(async () => readiness.stop());
  const backlogWatcher = watchBacklog(direct, storage.signals);
  start.onStop(async () => backlogWatcher.stop());
  return { readiness, backlogWatcher };
}

interface Monitor {
  direct: Database;
  /** Connects through the pooler, if there is one. */
  pooled: Database | undefined;
}

function openMonitor(
  { onDatabaseError, replacement, onStop }: Start,
  { connection, pooler }: PreparedDatabase,
): Monitor {
  const options = {
    connections: MONITOR_CONNECTIONS,
    statementTimeoutMs: MONITOR_STATEMENT_TIMEOUT_MS,
    maxAgeSeconds: isSocket(connection) ? 0 : MONITOR_MAX_AGE_SECONDS,
    replacement,
  };
  const direct = openDatabase(connection, onDatabaseError, options);
  onStop(() => direct.destroy());
  if (pooler === undefined) return { direct, pooled: undefined };
  // With `mayBeReadOnly`, these connections accept every session of the pooler. So `checkPooler` and
  // `watchReadiness` can find sessions with wrong settings.
  const pooledOptions = { ...options, connections: 1, mayBeReadOnly: true };
  const pooled = openDatabase(pooler, onDatabaseError, pooledOptions);
  onStop(() => pooled.destroy());
  return { direct, pooled };
}

// Each needs the other: the renderer counts its pictures, and a scrape asks for the length of its queue.
function createMetricsAndPictures(
  { config, log, onStop }: Start,
  { database }: Storage,
): { metrics: Metrics; images: ImageRenderer } {
  const { backupStatusFile } = config;
  const metrics = createMetrics({
    role: config.role,
    readBacklog: () => readBacklog(database),
    countDroppedLogLines: stderr.countDroppedLines,
    countQueuedPictures: () => images.queuedImages,
    readBackup: backupStatusFile === undefined ? null : () => readBackupStatus(backupStatusFile, Date.now()),
  });
  const images = createPictureRenderer(config, { log, metrics, database });
  onStop(() => images.close());
  return { metrics, images };
}

function createPictureRenderer(
  { dataDir, pictureCacheBytes: maxBytes }: Config,
  { log, metrics, database }: { log: Logger; metrics: Metrics; database: Database },
): ImageRenderer {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return createImageRenderer({
    diskCache: maxBytes === 0 ? undefined : { directory: join(dataDir, 'pictures'), maxBytes },
    readFile: (assetId) => readWholeAsset(database, assetId),
    onRendered: () => metrics.drawnPictures.inc(),
    onDiskError(error) {
      metrics.pictureCacheErrors.inc();
      if (performance.now() - loggedAtMs < CACHE_WARNING_INTERVAL_MS) return;
      loggedAtMs = performance.now();
      log.warn(
        { reason: String(error) },
        'the picture cache on disk cannot be used: pictures are drawn again',
      );
    },
  });
}

async function readSecretsAndWarn({ config, log }: Start): Promise<Secrets> {
  const secrets = await readSecrets(config);
  for (const { variable, file } of await findExposedFiles(config)) {
    log.warn({ variable, file }, 'other users can read the file of a secret: chmod 600 it');
  }
  const { adminKeys, creatorSeed, issuerSeed, holderSeed, encryptionKey } = secrets;
  if (
    config.environment === 'sandbox' &&
    config.role !== 'worker' &&
    (creatorSeed ?? issuerSeed ?? holderSeed) === undefined
  ) {
    log.warn(
      'the data directory is read-only: without seeds, there are no managed creators, no credentials and no kept badges',
    );
  }
  if (config.environment === 'sandbox' && encryptionKey === undefined) {
    log.warn(
      'without an encryption key, this process sends no mails and no webhooks: set BADGE_ENCRYPTION_KEY_FILE',
    );
  }
  if (
    config.environment === 'production' &&
    adminKeys.some((key) => estimateKeyBits(key) < MIN_ADMIN_KEY_BITS)
  ) {
    log.warn("the operator's key can be guessed: it is too short or too uniform. Use a random one");
  }
  return secrets;
}

// Without a mail server, a sandbox keeps the mails. A worker does so only if it knows that it is a sandbox's:
// otherwise it would "send" the mails of production to its disk.
function createMailService({ config, onStop }: Start): MailService | null {
  const { smtpServer, mailFrom, mailLimit, environment, role, isDeploymentSet, dataDir } = config;
  if (smtpServer !== undefined && mailFrom !== undefined) {
    const transport = createSmtpTransport(smtpServer);
    onStop(() => transport.close());
    return { transport, kept: null, from: mailFrom, limit: mailLimit };
  }
  if (environment === 'production' || (role === 'worker' && !isDeploymentSet)) return null;
  const kept = createKeptMails(join(dataDir, 'mails'));
  return { transport: kept, kept, from: { name: '', address: 'badge@sandbox.invalid' }, limit: null };
}

/** Creates the chains whose contract wallets can sign. A worker checks no signatures. */
function createChains({ config, log, onStop }: Start, metrics: Metrics): Map<number, Chain> {
  const chains = new Map<number, Chain>();
  if (config.role === 'worker') return chains;
  for (const endpoints of config.chainEndpoints) {
    const chain = createObservedChain(endpoints, 'BADGE_CHAIN_RPC_URLS', { log, metrics });
    onStop(async () => chain.close());
    chains.set(endpoints.chainId, chain);
  }
  return chains;
}

async function createEnsIfConfigured({ config, log, onStop }: Start, metrics: Metrics): Promise<Ens | null> {
  const { ensEndpoints: urls } = config;
  if (urls.length === 0) return null;
  const chain = createObservedChain({ chainId: ENS_CHAIN_ID, urls }, 'BADGE_ENS_RPC_URL', { log, metrics });
  onStop(async () => chain.close());
  const { ens_normalize: normalise } = await import('@adraffy/ens-normalize');
  return createEns(chain, normalise);
}

// The log says which endpoint has failed by its position in the variable, because the URL can contain a key.
function createObservedChain(
  endpoints: { chainId: number; urls: string[] },
  variable: string,
  { log, metrics }: { log: Logger; metrics: Metrics },
): Chain {
  const logFailure = limitRepeatedLines((error, repeated) =>
    log.warn({ variable, reason: (error as Error).message, repeated }, 'an endpoint of a chain failed'),
  );
  return createChain({
    ...endpoints,
    onFailure: ({ chainId, endpoint, reason }) =>
      logFailure(new Error(`endpoint ${endpoint} of chain ${chainId}: ${reason}`)),
    onRead: (result) => metrics.chainReads.inc({ result }),
  });
}

function createSettings(config: Config, { adminKeys }: Secrets): Settings {
  const verifyingContract = toChecksumAddress(parseAddress(config.verifyingContract));
  return {
    environment: config.environment,
    domain: { name: EIP712_DOMAIN_NAME, chainId: config.chainId, verifyingContract },
    // If the configuration has no URLs, `setUrls` sets them, because they contain the port.
    publicUrl: config.publicUrl ?? '',
    imageUrl: config.imageUrl ?? '',
    statusUrl: config.statusUrl ?? '',
    storageQuotaBytes: config.storageQuotaBytes,
    adminKeyHashes: adminKeys.map(hashKey),
    metricsKeyHashes: config.metricsKeys.map(hashKey),
  };
}

function warnIfSignaturesAreSlow(log: Logger): void {
  if (curve.name === 'libsecp256k1') return;
  log.warn(
    { curveImplementation: curve.name },
    'the native libsecp256k1 is not available: verifying signatures is slower',
  );
}

function warnIfUnprotected(config: Config, log: Logger): void {
  if (config.role === 'worker' || !isReachable(config) || config.trustProxy.length > 0) return;
  log.warn(
    { host: config.host },
    'other machines can connect without a proxy, and a flood of connections can stop the service: put nginx with deploy/nginx/badge.conf in front, and set BADGE_TRUST_PROXY',
  );
}

function startSettling(
  { onStop }: Start,
  { context, metrics, signals }: { context: Context; metrics: Metrics; signals: Signals },
): void {
  const worker = startWorker(context, {
    // A timeout is not transient, because an operation can cause it.
    isTransient: (error) => isDatabaseUnavailable(error) && findTimeout(error) === undefined,
    findTimeout,
    onSettled: (operations) => {
      metrics.settledOperations.inc(operations);
      signals.send('badge_operations_settled');
    },
    onEventsPlaced: () => signals.send('badge_events_placed'),
    onDeliveriesQueued: () => signals.send('badge_deliveries_queued'),
  });
  signals.on('badge_operations_accepted', worker.wake);
  signals.on('badge_operations_settled', worker.wakeEvents);
  onStop(() => worker.stop());
  const messages = startSendingMessages(context);
  signals.on('badge_deliveries_queued', messages.wake);
  onStop(() => messages.stop());
}

function startTransferring(
  { config, onStop }: Start,
  { context, signals }: { context: Context; signals: Signals },
): void {
  const transfers = startTransfers(
    context,
    createTransferParts(context, createFetchUrl(config.webhookAllow)),
  );
  if (transfers === null) return;
  signals.on('badge_operations_settled', transfers.wake);
  onStop(() => transfers.stop());
}

interface ServerParts {
  context: Context;
  metrics: Metrics;
  findReadinessProblem: () => Promise<string | null>;
  webBuild: WebBuild | null;
  serverLimits: Partial<ServerLimits> | undefined;
}

/** Starts the HTTP server. Returns its port, which the system chooses if `port` is 0. */
async function startServer(
  { config, onStop }: Start,
  port: number,
  { serverLimits, ...parts }: ServerParts,
): Promise<number> {
  const { context } = parts;
  async function exchangeCounts(counter: RequestCounter): Promise<void> {
    const exchange = await startExchange(context, counter);
    onStop(() => exchange.stop());
  }
  const counter = createRequestCounter();
  // In a worker, only /metrics has a rate limit, so a worker does not exchange its counts.
  if (config.rateLimit !== null && config.role !== 'worker') await exchangeCounts(counter);
  // Guesses are limited even without rate limits.
  const codeCounter = createRequestCounter(undefined, CODE_WINDOW_SECONDS);
  if (config.role !== 'worker') await exchangeCounts(codeCounter);
  const chainCallCounter = createRequestCounter(undefined, CHAIN_CALL_WINDOW_SECONDS);
  if (context.chains.size > 0 || context.ens !== null) await exchangeCounts(chainCallCounter);
  const server = await createServer({
    ...parts,
    codeCounter,
    chainCallCounter,
    isDatabaseUnavailable,
    isHealthOnly: config.role === 'worker',
    rateLimit: config.rateLimit && { ...config.rateLimit, counter },
    trustProxy: config.trustProxy,
    serverLimits: { connectionsPerAddress: config.maxConnectionsPerAddress, ...serverLimits },
  });
  onStop(async () => {
    context.waits.stop();
    await server.close();
  });
  const listeningPort = await listen(server, config.host, port);
  setUrls(context.settings, config, listeningPort);
  return listeningPort;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  // For `localhost`, Fastify starts a second server, whose connections it does not drain when it closes.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  await server.listen({ host: address, port, backlog: LISTEN_BACKLOG });
  const [listening] = server.addresses();
  return typeof listening === 'object' ? listening.port : 0;
}

function setUrls(settings: Settings, config: Config, port: number): void {
  Object.assign(settings, urlsOf({ ...config, port }));
}
