import type { TestProject } from 'vitest/node';
import type { Environment, OpenApiDocument } from './shapes.ts';
import { startService } from './start-service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    baseUrl: string;
    apiKey: string;
    /** The operator's key; null where the run was given none. */
    adminKey: string | null;
    environment: Environment;
    openApi: OpenApiDocument;
  }
}

async function readJson<Value>(url: string): Promise<Value> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Value;
}

/**
 * Takes the service of BADGE_BASE_URL, BADGE_API_KEY and, for what the operator does, BADGE_ADMIN_KEY,
 * or starts one, and stops what it started.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { BADGE_BASE_URL: givenUrl, BADGE_API_KEY: givenKey, BADGE_ADMIN_KEY: adminKey = null } = process.env;
  if (givenUrl && !givenKey) throw new Error('BADGE_BASE_URL needs BADGE_API_KEY, a key of community demo');
  const service =
    givenUrl && givenKey
      ? { baseUrl: givenUrl, apiKey: givenKey, adminKey: adminKey || null, stop: async () => undefined }
      : await startService();
  const baseUrl = service.baseUrl.replace(/\/+$/, '');
  try {
    project.provide('baseUrl', baseUrl);
    project.provide('apiKey', service.apiKey);
    project.provide('adminKey', service.adminKey);
    project.provide('environment', await readJson<Environment>(`${baseUrl}/v1/environment`));
    project.provide('openApi', await readJson<OpenApiDocument>(`${baseUrl}/openapi.json`));
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service.stop;
}
