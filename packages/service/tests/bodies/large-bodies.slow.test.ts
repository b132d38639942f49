import { createDatabase } from '@badge/test-support/databases';
import { startTestBadge } from '@badge/test-support/fixtures';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';

test('other requests are served between 60 large bodies that arrive together', async () => {
  // The service has a process of its own, so that the clients do not occupy its event loop.
  const adminKey = makeKey('admin');
  const { url, apiKey } = await startTestBadge({
    DATABASE_URL: await createDatabase(),
    BADGE_ADMIN_KEY: adminKey,
  });
  const contributors = Array.from({ length: 5_000 }, newAddress);
  const signed = await signedToken({ isAllowlistRequired: true, totalClaimCount: null, contributors });
  // The signature does not match this headline. So the service processes the whole body, and then responds
  // with 403.
  const large = JSON.stringify({ ...signed, headline: 'Another headline' });
  const finished: string[] = [];
  async function send(name: string, key: string, body: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
    const { status } = await fetch(`${url}/v1/tokens`, { method: 'POST', headers, body });
    finished.push(name);
    return status;
  }
  const flood = Array.from({ length: 60 }, () => send('flood', apiKey, large));
  await Promise.race(flood);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await send('small', adminKey, '{}')).toBe(400);
  expect(finished.length).toBeLessThan(60);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([403]));
});
