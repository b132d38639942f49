import { ERRORS } from '@badge/protocol';
import { expect, test } from 'vitest';
import { createTestServer, startTestService } from './testing/services.ts';

// The results that the service counts.
const RESULTS = {
  webhook_requests: ['success', 'failure'],
  mails: ['sent', 'refused', 'deferred', 'unavailable'],
  chain_reads: ['success', 'failure'],
};

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

test('every series with a label of known values exists from the start', async () => {
  const { context, ...service } = await startTestService();
  const { server, metrics } = await createTestServer(context);
  const text = await metrics.registry.metrics();
  await server.close();
  await service.stop();
  const series = text.match(/^badge_\w+_total\{.*\} \S+$/gm) ?? [];
  const labelled = Object.keys(ERRORS).map((name) => `badge_http_errors_total{name="${name}"} 0`);
  for (const [name, results] of Object.entries(RESULTS)) {
    labelled.push(...results.map((result) => `badge_${name}_total{result="${result}"} 0`));
  }
  const resources = Object.keys(server.resources);
  for (const resource of resources) {
    for (const limit of ['caller', 'total'])
      labelled.push(`badge_http_resource_refusals_total{resource="${resource}",limit="${limit}"} 0`);
  }
  expect(resources.length).toBeGreaterThan(5);
  expect(series.sort()).toEqual(labelled.sort());
  // A counter without labels has one series.
  const counters = [...text.matchAll(/^# TYPE (badge_\w+) counter$/gm)].map(([, name]) => name ?? '');
  expect(counters.length).toBeGreaterThan(8);
  for (const name of counters) expect(text).toMatch(new RegExp(`^${name}(\\{.*\\})? 0$`, 'm'));
});
