import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { startTestService } from '../../src/testing/services.ts';

test('a database connection that is reset during a query causes a 503', async () => {
  const proxy = await startTestDatabaseProxy(await createDatabase());
  const service = await startTestService({ DATABASE_URL: proxy.url, BADGE_ROLE: 'api' });
  expect((await service.call('/v1/tokens')).status).toBe(200);
  proxy.reset();
  const response = await service.call('/v1/tokens');
  const problem = await response.json();
  proxy.heal();
  await service.stop();
  expect(problem).toMatchObject({ name: 'Unavailable', status: 503 });
  expect(response.headers.get('retry-after')).toBe('1');
});
