import { join } from 'node:path';
import { createImageRenderer, type ImageRenderer } from '@badge/badge-images';
import { EIP712_DOMAIN_NAME } from '@badge/protocol';
import type { Config } from './config.ts';
import type { Context, Settings } from './context.ts';
import { hashKey } from './domain/api-keys/rules.ts';
import { prepareDemo } from './domain/communities/prepare-demo.ts';
import type { ServerLimits } from './http/limits.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { createRequestCounter } from './http/rate-limits/request-counter.ts';
import { shareRequestCounts } from './http/rate-limits/share-request-counts.ts';
import { createServer, type Server } from './http/server.ts';
import { createLog, limitRepeatedLines } from './log.ts';
import { stderr } from './output.ts';
import { type PreparedDatabase, prepareDatabase, waitForDatabase } from './prepare-database.ts';
import { findExposedKeyFile, readSecrets, type Secrets } from './secrets.ts';
import { parseAddress, toChecksumAddress } from './signatures/address.ts';
import { curve } from './signatures/curve.ts';
import { createTypedDataHasher } from './signatures/typed-data-hash.ts';
import { findValidApiKeys } from './storage/api-keys.ts';
import { watchBacklog } from './storage/backlog-watcher.ts';
import { createBatcher } from './storage/batcher.ts';
import { type ClaimSubject, readClaimStates } from './storage/claims.ts';
import { type Database, MONITOR_CONNECTIONS, openDatabase } from './storage/database.ts';
import { findTimeout, isDatabaseUnavailable } from './storage/database-errors.ts';
import { findKeyStates, type KeyUse } from './storage/idempotency-keys.ts';
import { watchOperations } from './storage/operation-watcher.ts';
import { insertOperations, type NewOperation } from './storage/operations.ts';
import { checkPooler } from './storage/pooler.ts';
import { readBacklog } from './storage/queue.ts';
import { watchReadiness } from './storage/readiness.ts';
import { createRenewal, type Renewal } from './storage/renewal.ts';
import { connectSignals, type Signals } from './storage/signals.ts';
import { createTokenChangeReader } from './storage/token-changes.ts';
import { findTokenSummaries } from './storage/tokens.ts';
import { readWebBuild, type WebBuild } from './web-build.ts';
import { startWorker } from './worker/worker.ts';

const CACHE_WARNING_INTERVAL_MS = 600_000;
const READINESS_TIMEOUT_MS = 3_000;
const MONITOR_STATEMENT_TIMEOUT_MS = 2_000;
// The age at which a monitor connection is replaced. A new one leads to the server that is the primary now.
const MONITOR_MAX_AGE_SECONDS = 3;
// Node's default of 511 is too small when many clients connect at the same time, such as after a restart of a proxy.
const LISTEN_BACKLOG = 4_096;
// The weight of an operation is the length of its request as JSON.
const BATCHED_OPERATIONS = { maxItems: 64, maxWeight: 1024 * 1024 };
const BATCHED_READS = { maxItems: 256, isErrorOfAllItems: isDatabaseUnavailable };

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
  const log = createLog(config.logLevel);
  const stops: Stop[] = [];
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    return stopAll(stops, log);
  };
  try {
    // Logs nothing during the stop, which closes all connections.
    const onDatabaseError = limitRepeatedLines((error, repeated) => {
      if (!isStopping) log.warn({ reason: String(error), repeated }, 'a database connection or query failed');
    });
    const renewal = createRenewal();
    renewal.onRenew(() => log.warn('the connections to the database are renewed'));
    const prepared = await prepareDatabase(config, {
      log,
      onDatabaseError,
      renewal,
      stopSignal,
      // A worker verifies no signatures, so it can run without the variables of the deployment. Then the deployment is
      // neither compared with the database's record nor recorded.
      deployment: config.role === 'worker' && !config.isDeploymentSet ? undefined : config,
    });
    stops.push(prepared.close);
    const { connection, database } = prepared;
    const signals = connectSignals(connection, onDatabaseError, renewal);
    stops.push(() => signals.close());
    const operationWatcher = watchOperations(database, signals, onDatabaseError);
    const tokenChanges = createTokenChangeReader(connection, { onError: onDatabaseError, renewal, database });
    stops.push(() => tokenChanges.close());
    const monitor = openMonitor(prepared, { onDatabaseError, renewal, stops });
    await waitForPooler(monitor, config, { log, stopSignal });
    const readiness = watchReadiness(monitor.direct, {
      renewal,
      timeoutMs: READINESS_TIMEOUT_MS,
      pooledMonitor: monitor.pooled,
    });
    stops.push(async () => readiness.stop());
    const backlogWatcher = watchBacklog(monitor.direct, signals);
    stops.push(async () => backlogWatcher.stop());
    const metrics = createMetrics({
      readBacklog: () => readBacklog(database),
      countDroppedLogLines: stderr.countDroppedLines,
      countQueuedPictures: () => images.queuedImages,
    });
    const images = createPictureRenderer(config, { log, metrics });
    stops.push(() => images.close());
    const secrets = await readSecrets(config);
    const exposedKeyFile = await findExposedKeyFile(config);
    if (exposedKeyFile !== undefined) {
      log.warn({ file: exposedKeyFile }, "other users can read the file of the operator's key: chmod 600 it");
    }
    const settings = createSettings(config, secrets);
    const context = createContext({
      settings,
      log,
      database,
      signals,
      tokenChanges,
      operationWatcher,
      backlogWatcher,
      images,
      countBacklogRefusal: () => metrics.refusedOperations.inc(),
    });
    if (curve.name !== 'libsecp256k1') {
      log.warn(
        { curveImplementation: curve.name },
        'the native libsecp256k1 is not available: verifying signatures is slower',
      );
    }
    if (secrets.demoApiKey !== undefined) await prepareDemo(context, secrets.demoApiKey);

    if (config.role !== 'api') {
      const worker = startWorker(context, {
        // A timeout is not transient, because an operation can cause it.
        isTransient: (error) => isDatabaseUnavailable(error) && findTimeout(error) === undefined,
        findTimeout,
        onSettled: (operations) => {
          metrics.settledOperations.inc(operations);
          signals.send('badge_operations_settled');
        },
      });
      signals.on('badge_operations_accepted', worker.wake);
      stops.push(() => worker.stop());
    }

    const webBuild = config.role === 'worker' ? null : await readWebBuild();
    const findReadinessProblem = async () =>
      isStopping ? 'The service is stopping.' : await readiness.findProblem();
    const port =
      config.port === undefined
        ? undefined
        : await startServer(config, {
            context,
            metrics,
            findReadinessProblem,
            webBuild,
            serverLimits,
            stops,
          });
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

type Stop = () => Promise<void>;

// Stops the parts in the reverse order of their start. A second call does nothing.
async function stopAll(stops: Stop[], log: Context['log']): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) =>
      log.error({ err: error }, 'a part of the service did not stop cleanly'),
    );
  }
}

interface Monitor {
  direct: Database;
  /** Connects through the pooler, if there is one. */
  pooled: Database | undefined;
}

// Monitoring has its own connections, so that it does not wait for those of the service.
function openMonitor(
  { connection, pooler }: PreparedDatabase,
  {
    onDatabaseError,
    renewal,
    stops,
  }: { onDatabaseError: (error: unknown) => void; renewal: Renewal; stops: Stop[] },
): Monitor {
  const options = {
    connections: MONITOR_CONNECTIONS,
    statementTimeoutMs: MONITOR_STATEMENT_TIMEOUT_MS,
    maxAgeSeconds: MONITOR_MAX_AGE_SECONDS,
    renewal,
  };
  const direct = openDatabase(connection, onDatabaseError, options);
  stops.push(() => direct.destroy());
  if (pooler === undefined) return { direct, pooled: undefined };
  // With `mayBeReadOnly`, these connections accept every session of the pooler. So `checkPooler` and `watchReadiness` can
  // find sessions with wrong settings.
  const pooledOptions = { ...options, connections: 1, mayBeReadOnly: true };
  const pooled = openDatabase(pooler, onDatabaseError, pooledOptions);
  stops.push(() => pooled.destroy());
  return { direct, pooled };
}

async function waitForPooler(
  { direct, pooled }: Monitor,
  config: Config,
  options: Parameters<typeof waitForDatabase>[2],
): Promise<void> {
  if (pooled !== undefined) await waitForDatabase(() => checkPooler(direct, pooled), config, options);
}

function createPictureRenderer(
  { dataDir, pictureCacheBytes: maxBytes }: Config,
  { log, metrics }: { log: Context['log']; metrics: Metrics },
): ImageRenderer {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return createImageRenderer({
    diskCache: maxBytes === 0 ? undefined : { directory: join(dataDir, 'pictures'), maxBytes },
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

function createSettings(config: Config, { adminKey }: Secrets): Settings {
  const verifyingContract = toChecksumAddress(parseAddress(config.verifyingContract));
  return {
    environment: config.environment,
    domain: { name: EIP712_DOMAIN_NAME, chainId: config.chainId, verifyingContract },
    // If the configuration has no URLs, `startListening` sets them, because they contain the port.
    publicUrl: config.publicUrl ?? '',
    imageUrl: config.imageUrl ?? '',
    storageQuotaBytes: config.storageQuotaBytes,
    adminKeyHash: adminKey === undefined ? null : hashKey(adminKey),
  };
}

type ContextParts = Omit<
  Context,
  | 'typedData'
  | 'transaction'
  | 'insertOperation'
  | 'findApiKey'
  | 'findKeyState'
  | 'findToken'
  | 'findClaimState'
>;

// Concurrent operations share a commit, and concurrent look-ups share a query (ARCHITECTURE.md, "Design rules").
function createContext({ signals, ...parts }: ContextParts & { signals: Signals }): Context {
  const { settings, database } = parts;
  const weigh = ({ request }: NewOperation) => request.length;
  const findCommunity = ({ communityId }: NewOperation) => communityId;
  return {
    ...parts,
    typedData: createTypedDataHasher(settings.domain),
    transaction: (work) => database.transaction().execute(work),
    insertOperation: createBatcher(
      { ...BATCHED_OPERATIONS, weigh, findGroup: findCommunity, isErrorOfAllItems: isDatabaseUnavailable },
      async (operations) => {
        const results = await insertOperations(database, operations);
        signals.send('badge_operations_accepted');
        return results;
      },
    ),
    findApiKey: createBatcher(BATCHED_READS, (hashes: Buffer[]) => findValidApiKeys(database, hashes)),
    findKeyState: createBatcher(BATCHED_READS, (uses: KeyUse[]) => findKeyStates(database, uses)),
    findToken: createBatcher(BATCHED_READS, (tokenIds: number[]) => findTokenSummaries(database, tokenIds)),
    findClaimState: createBatcher(BATCHED_READS, (claims: ClaimSubject[]) =>
      readClaimStates(database, claims),
    ),
  };
}

/** Starts the HTTP server. Returns its port. */
async function startServer(
  config: Config,
  {
    context,
    metrics,
    findReadinessProblem,
    webBuild,
    serverLimits,
    stops,
  }: {
    context: Context;
    metrics: Metrics;
    findReadinessProblem: () => Promise<string | null>;
    webBuild: WebBuild | null;
    serverLimits: Partial<ServerLimits> | undefined;
    stops: Stop[];
  },
): Promise<number> {
  const counter = createRequestCounter();
  // In a worker, only /metrics has a rate limit, so a worker does not share its counts.
  if (config.rateLimit !== null && config.role !== 'worker') {
    const sharing = await shareRequestCounts(context, counter);
    stops.push(() => sharing.stop());
  }
  const server = await createServer({
    context,
    metrics,
    findReadinessProblem,
    isDatabaseUnavailable,
    isHealthOnly: config.role === 'worker',
    rateLimit: config.rateLimit && { ...config.rateLimit, counter },
    trustProxy: config.trustProxy,
    webBuild,
    serverLimits: { connectionsPerAddress: config.maxConnectionsPerAddress, ...serverLimits },
  });
  stops.push(async () => {
    context.operationWatcher.stop();
    await server.close();
  });
  return await startListening(server, config, context.settings);
}

async function startListening(server: Server, config: Config, settings: Settings): Promise<number> {
  // For `localhost`, Fastify starts a second server, whose connections it does not drain when it closes.
  const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
  await server.listen({ host, port: config.port ?? 0, backlog: LISTEN_BACKLOG });
  const [address] = server.addresses();
  const port = typeof address === 'object' ? address.port : 0;
  settings.publicUrl = config.publicUrl ?? `http://localhost:${port}`;
  settings.imageUrl = config.imageUrl ?? `${settings.publicUrl}/images`;
  return port;
}
