import { expect, test } from 'vitest';
import { startTestService } from './testing/services.ts';

test('unusual methods share one series of each route', async () => {
  const service = await startTestService({ BADGE_ROLE: 'api' });
  for (const method of ['PROPFIND', 'PURGE', 'SEARCH']) await service.call('/healthz', { method });
  const metrics = await (await service.call('/metrics')).text();
  await service.stop();
  const counts = metrics.match(/^badge_http_request_seconds_count\{.*route="\/healthz".*$/gm);
  expect(counts).toEqual([
    'badge_http_request_seconds_count{method="other",route="/healthz",status="405"} 3',
  ]);
});
