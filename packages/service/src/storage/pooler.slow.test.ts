import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

// The URL of a pooler can also lead to the server itself. So these tests need no pooler. The tests in
// tests/pooler/ use one.

async function startService(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}

const waitForReadiness = (service: TestService, status: number, detail?: string) =>
  vi.waitFor(async () => {
    const response = await service.call('/readyz');
    const body = (await response.json()) as { detail?: string };
    expect([response.status, body.detail]).toEqual([status, detail]);
  }, WAIT_OPTIONS);

test('/readyz returns 503 while the pooler cannot be reached', async () => {
  const databaseUrl = await createDatabase();
  const proxy = await startTestDatabaseProxy(databaseUrl);
  const service = await startService({ DATABASE_URL: databaseUrl, BADGE_POOLER_URL: proxy.url });
  await waitForReadiness(service, 200);
  proxy.cut();
  await waitForReadiness(service, 503, 'The pooler cannot be reached.');
  proxy.heal();
  await waitForReadiness(service, 200);
});
