import { expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(service.stop);
  return service;
}

const fromAddress = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

test('pictures and metadata have rate limits by address, and pictures do not count towards the limit of other reads', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/4', BADGE_TRUST_PROXY: 'loopback' });
  const flood = async (path: string, address: string) => {
    const sent = Array.from({ length: 60 }, () => service.call(path, fromAddress(address)));
    return (await Promise.all(sent)).find(({ status }) => status === 429);
  };
  const limited = await flood('/images/logo.png', '203.0.113.1');
  expect(limited?.headers.get('ratelimit-policy')).toBe('"picture";q=20;w=5');
  expect(limited?.headers.get('retry-after')).toMatch(/^[1-5]$/);
  expect(limited?.headers.get('access-control-allow-origin')).toBe('*');
  expect(limited?.headers.get('access-control-expose-headers')).toMatch(/Retry-After.*RateLimit-Policy/);
  expect(limited?.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(limited?.headers.get('cache-control')).toBe('no-store');
  expect(limited?.headers.has('etag')).toBe(false);
  expect((await service.call('/v1/environment', fromAddress('203.0.113.1'))).status).toBe(200);
  expect((await service.call('/images/logo.png', fromAddress('203.0.113.2'))).status).toBe(200);

  const metadata = await flood('/metadata/1', '203.0.113.3');
  expect(metadata?.headers.get('ratelimit-policy')).toBe('"address";q=20;w=5');
  expect(metadata?.headers.get('access-control-allow-origin')).toBe('*');
});
