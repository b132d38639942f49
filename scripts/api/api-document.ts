import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Settings } from '../../packages/service/src/context.ts';
import { createServer, type ServerOptions } from '../../packages/service/src/http/server.ts';
import { createMetrics } from '../../packages/service/src/metrics.ts';
import { generateOpenApi } from '../../packages/service/src/openapi/generate-openapi.ts';
import type { ApiDocument } from './api-page.ts';

const settings: Settings = {
  environment: 'sandbox',
  domain: { name: 'Badge', chainId: 80001, verifyingContract: `0x1${'0'.repeat(38)}1` },
  publicUrl: 'https://badge.example',
  imageUrl: 'https://badge.example',
  statusUrl: 'https://badge.example/status',
  adminKeyHashes: [],
  metricsKeyHashes: [],
  storageQuotaBytes: 0,
};

/** Generates openapi.json. The routes are added to a server that has no database and gets no request. */
export async function generateApiDocument(): Promise<ApiDocument> {
  const log = pino(new Writable({ write: (_line, _encoding, done) => done() }));
  const metrics = createMetrics({
    role: 'all',
    readBacklog: async () => ({ pending: 0, isolated: 0, oldestAgeMs: 0 }),
    countDroppedLogLines: () => 0,
    countQueuedPictures: () => 0,
    readBackup: null,
  });
  const tokenChanges = { catchUp: async () => null, onChanges: () => undefined };
  const parts = { context: { settings, log, tokenChanges }, metrics, webBuild: null, rateLimit: null };
  const app = await createServer({
    ...parts,
    trustProxy: [],
    isHealthOnly: false,
    addOpenApi: generateOpenApi,
  } as unknown as ServerOptions);
  await app.ready();
  return JSON.parse(JSON.stringify(app.swagger())) as ApiDocument;
}
