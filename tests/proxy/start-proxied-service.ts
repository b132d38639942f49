import { startNginx } from '@badge/test-support/nginx';
import type { TestProject } from 'vitest/node';
import provideService, { startService } from '../acceptance/service-under-test.ts';

/** A global setup of Vitest: starts a service and nginx in front of it, which the acceptance suite tests. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService({ BADGE_TRUST_PROXY: '127.0.0.1' });
  const nginx = await startNginx({ upstreams: [service.baseUrl.replace('localhost', '127.0.0.1')] });
  // `provideService` reads these variables, and gives the suite this service instead of starting one.
  process.env.BADGE_BEHIND_NGINX = '1';
  process.env.BADGE_BASE_URL = nginx.url;
  process.env.BADGE_API_KEY = service.apiKey;
  process.env.BADGE_ADMIN_KEY = service.adminKey;
  const stop = await provideService(project);
  return async () => {
    await stop();
    await nginx.stop();
    await service.stop();
  };
}
