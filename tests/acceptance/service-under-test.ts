import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBadge } from '@badge/test-support/badge-process';
import type { TestProject } from 'vitest/node';
import type { Environment, OpenApiDocument } from './shapes.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    baseUrl: string;
    apiKey: string;
    /** The operator's key; null if the run has none. */
    adminKey: string | null;
    environment: Environment;
    openApi: OpenApiDocument;
  }
}

async function readJson<Value>(url: string): Promise<Value> {
  const response = await fetch(url);
  if (response.status !== 200)
    throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as Value;
}

/**
 * Starts a service on a free port with a new data directory. It is a sandbox unless `process.env` or `env`
 * says otherwise.
 */
export async function startService(env: NodeJS.ProcessEnv = {}) {
  // The service must also work with spaces in the path.
  const dataDir = await mkdtemp(path.join(tmpdir(), 'badge acceptance '));
  // The service must create its own keys, so it does not inherit any.
  const {
    BADGE_DEMO_API_KEY: _demoKey,
    BADGE_ADMIN_KEY: _adminKey,
    BADGE_ADMIN_KEY_FILE: _adminKeyFile,
    BADGE_CREATOR_SEED_FILE: _creatorSeedFile,
    BADGE_ISSUER_SEED_FILE: _issuerSeedFile,
    BADGE_HOLDER_SEED_FILE: _holderSeedFile,
    ...inherited
  } = process.env;
  const removeFiles = () => rm(dataDir, { recursive: true, force: true });
  try {
    const service = await startBadge(
      { ...inherited, PORT: '0', BADGE_DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
      { isLogShown: true },
    );
    const stop = async () => {
      await service.stop();
      await removeFiles();
    };
    const adminKey = (await readFile(path.join(dataDir, 'admin-key'), 'utf8')).trim();
    return { baseUrl: service.publicUrl, apiKey: service.apiKey, adminKey, stop };
  } catch (error) {
    await removeFiles();
    throw error;
  }
}

export interface ServiceUnderTest {
  baseUrl: string;
  apiKey: string;
  adminKey: string | null;
  environment: Environment;
  openApi: OpenApiDocument;
  stop: () => Promise<void>;
}

/**
 * Returns the service at BADGE_BASE_URL. Its keys are BADGE_API_KEY and, for the operator's calls,
 * BADGE_ADMIN_KEY. Without BADGE_BASE_URL, starts a service that `stop` stops.
 */
export async function startOrFindService(): Promise<ServiceUnderTest> {
  const { BADGE_BASE_URL: givenUrl, BADGE_API_KEY: givenKey, BADGE_ADMIN_KEY: adminKey = null } = process.env;
  if (givenUrl && !givenKey) throw new Error('BADGE_BASE_URL needs BADGE_API_KEY, a key of community demo');
  const service =
    givenUrl && givenKey
      ? { baseUrl: givenUrl, apiKey: givenKey, adminKey: adminKey || null, stop: async () => undefined }
      : await startService();
  const baseUrl = service.baseUrl.replace(/\/+$/, '');
  try {
    const environment = await readJson<Environment>(`${baseUrl}/v1/environment`);
    const openApi = await readJson<OpenApiDocument>(`${baseUrl}/openapi.json`);
    return { ...service, baseUrl, environment, openApi };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Vitest's global setup: provides the service that the suite tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { baseUrl, apiKey, adminKey, environment, openApi, stop } = await startOrFindService();
  project.provide('baseUrl', baseUrl);
  project.provide('apiKey', apiKey);
  project.provide('adminKey', adminKey);
  project.provide('environment', environment);
  project.provide('openApi', openApi);
  return stop;
}
