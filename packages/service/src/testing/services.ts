import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@badge/test-support/databases';
import { type Service, startService } from '../app.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { makeKey } from '../domain/api-keys/rules.ts';
import { CHAIN_CALL_WINDOW_SECONDS } from '../http/chain-calls.ts';
import type { ServerLimits } from '../http/limits.ts';
import { CODE_WINDOW_SECONDS } from '../http/room-codes.ts';
import { createServer, type Server } from '../http/server.ts';
import type { ResourceLimits } from '../http/shares/resources.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { createRequestCounter } from '../rate-limits/request-counter.ts';
import { isDatabaseUnavailable } from '../storage/database-errors.ts';
import type { WebBuild } from '../web-build.ts';

export interface TestService extends Service {
  url: string;
  databaseUrl: string;
  dataDir: string;
  apiKey: string;
  adminKey: string;
  /**
   * Calls the service. Sends `key` as a bearer token. If `json` is given, sends it in a POST, whatever the
   * `method` is.
   */
  call(path: string, init?: RequestInit & { json?: unknown; key?: string }): Promise<Response>;
}

/** Starts a service in this process, on a new database unless `env` has `DATABASE_URL`. */
export async function startTestService(
  env: Record<string, string> = {},
  serverLimits?: Partial<ServerLimits>,
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-service-'));
  const databaseUrl = env.DATABASE_URL ?? (await createDatabase());
  const apiKey = env.BADGE_DEMO_API_KEY ?? makeKey('sandbox');
  const adminKey = env.BADGE_ADMIN_KEY ?? makeKey('admin');
  const removeFiles = () => rm(dataDir, { recursive: true });
  const service = await startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      BADGE_DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      ...env,
      BADGE_DEMO_API_KEY: apiKey,
      BADGE_ADMIN_KEY: adminKey,
    }),
    serverLimits,
  ).catch(async (error: unknown) => {
    await removeFiles();
    throw error;
  });
  const url = `http://127.0.0.1:${service.port}`;
  return {
    ...service,
    url,
    databaseUrl,
    dataDir,
    apiKey,
    adminKey,
    call: (path, { json, key, headers, ...init } = {}) =>
      fetch(url + path, {
        ...init,
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
        headers: {
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...headers,
        },
      }),
    stop: async () => {
      await service.stop();
      await removeFiles();
    },
  };
}

/** Starts another process of the service, with the same database and keys. */
export async function startOtherProcess(
  { databaseUrl, adminKey, apiKey }: TestService,
  env: Record<string, string> = {},
): Promise<TestService> {
  return await startTestService({
    DATABASE_URL: databaseUrl,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_DEMO_API_KEY: apiKey,
    ...env,
  });
}

/** Creates metrics of a process that has no operation, picture or dropped log line. */
export function createTestMetrics(): Metrics {
  return createMetrics({
    role: 'all',
    readBacklog: async () => ({ pending: 0, isolated: 0, oldestAgeMs: 0 }),
    countDroppedLogLines: () => 0,
    countQueuedPictures: () => 0,
    readBackup: null,
  });
}

interface TestServerOptions {
  serverLimits?: Partial<ServerLimits>;
  resourceLimits?: ResourceLimits;
  trustProxy?: string[];
  webBuild?: WebBuild | null;
}

/** Creates another HTTP server for a service's context, with other options. The caller must close it. */
export async function createTestServer(
  context: Context,
  { serverLimits = {}, resourceLimits, trustProxy = [], webBuild = null }: TestServerOptions = {},
): Promise<{ server: Server; metrics: Metrics }> {
  const metrics = createTestMetrics();
  const server = await createServer({
    context,
    metrics,
    serverLimits,
    resourceLimits,
    findReadinessProblem: async () => null,
    isDatabaseUnavailable,
    isHealthOnly: false,
    rateLimit: null,
    codeCounter: createRequestCounter(undefined, CODE_WINDOW_SECONDS),
    chainCallCounter: createRequestCounter(undefined, CHAIN_CALL_WINDOW_SECONDS),
    trustProxy,
    webBuild,
  });
  return { server, metrics };
}
