import { startBadge } from '@badge/test-support/badge-process';
import { startPgbouncer } from '@badge/test-support/pgbouncer';
import type { TestProject } from 'vitest/node';
import provideService, { startService } from '../acceptance/service-under-test.ts';
import { SESSIONS } from './sessions.ts';

/**
 * A global setup of Vitest: starts a PgBouncer in front of the database at DATABASE_URL and three processes
 * that use it. The acceptance suite tests the one that serves HTTP. The two others settle its operations.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { DATABASE_URL = '' } = process.env;
  const pgbouncer = await startPgbouncer(DATABASE_URL, { settings: { default_pool_size: SESSIONS } });
  const stops = [pgbouncer.stop];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  // `startService` passes this variable to the service, and the tests in this folder read it.
  process.env.BADGE_POOLER_URL = pgbouncer.url;
  try {
    const api = await startService({ BADGE_ROLE: 'api' });
    stops.push(api.stop);
    for (let worker = 0; worker < 2; worker += 1) {
      // With an empty PORT, a worker does not listen.
      const env = { DATABASE_URL, BADGE_POOLER_URL: pgbouncer.url, BADGE_ROLE: 'worker', PORT: '' };
      stops.push((await startBadge(env)).stop);
    }
    // `provideService` reads these variables, and gives the suite this service instead of starting one.
    process.env.BADGE_BASE_URL = api.baseUrl;
    process.env.BADGE_API_KEY = api.apiKey;
    process.env.BADGE_ADMIN_KEY = api.adminKey;
    stops.push(await provideService(project));
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
