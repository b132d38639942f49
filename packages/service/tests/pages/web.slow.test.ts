import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../../src/testing/services.ts';

test('pages and files have rate limits of their own, and a visitor over the limit still gets the page', async () => {
  const limited = await startTestService({ BADGE_RATE_LIMIT: '1000/1' });
  onTestFinished(() => limited.stop());
  const pages = await Promise.all(Array.from({ length: 40 }, () => limited.call('/')));
  const refused = pages.find(({ status }) => status === 429);
  expect(refused?.headers.get('ratelimit-policy')).toBe('"page";q=5;w=5');
  expect(refused?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const file = await limited.call('/favicon.svg');
  expect(file.headers.get('ratelimit-policy')).toBe('"file";q=50;w=5');
  expect((await limited.call('/v1/environment')).headers.get('ratelimit-policy')).toBe('"address";q=5;w=5');
});
