import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { postToken } from '../../testing/creations.ts';
import { startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api', BADGE_TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => service.stop());

async function countRefusals(): Promise<number> {
  const metrics = await (await service.call('/metrics')).text();
  const [, count] = /resource_refusals_total\{resource="waits",limit="caller"\} (\d+)/.exec(metrics) ?? [];
  return Number(count ?? 0);
}

test('up to 1,000 requests of an address wait for an operation; a further request gets the operation as it is', {
  tags: ['slow'],
}, async () => {
  const location = (await postToken(service, await signedToken())).headers.get('location') ?? '';
  const wait = (seconds: number, address: string, signal: AbortSignal | null = null) =>
    service.call(`${location}?wait=${seconds}`, { headers: { 'X-Forwarded-For': address }, signal });

  const controller = new AbortController();
  const waits: Promise<Response>[] = [];
  for (let count = 1; count <= 1_001; count += 1) {
    waits.push(wait(30, '192.0.2.1', controller.signal));
    // A burst of more than 500 requests can be refused. The requests of an address are handled in their order, so when
    // `/healthz` responds, the earlier ones have been handled.
    if (count % 100 === 0) await service.call('/healthz', { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  }
  // No worker settles the operation, so only the request that does not wait gets a response.
  const response = await Promise.any(waits);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ status: 'pending' });
  expect(await countRefusals()).toBe(1);

  await wait(1, '192.0.2.2');
  expect(await countRefusals()).toBe(1);

  controller.abort();
  await vi.waitFor(async () => {
    const refusals = await countRefusals();
    await wait(1, '192.0.2.1');
    expect(await countRefusals()).toBe(refusals);
  }, WAIT_OPTIONS);
});
