import { createDatabase } from '@badge/test-support/databases';
import { signedToken } from '@badge/test-support/signing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';
import { waitForListeners } from '../testing/signals.ts';

describe('a process that settles and one that serves requests', () => {
  async function startService(env: Record<string, string>): Promise<TestService> {
    const service = await startTestService(env);
    onTestFinished(() => service.stop());
    return service;
  }

  async function createToken(api: TestService): Promise<unknown> {
    const accepted = await api.call('/v1/tokens', { key: api.apiKey, json: await signedToken() });
    expect(accepted.status).toBe(202);
    return await (await api.call(`${accepted.headers.get('location')}?wait=30`)).json();
  }

  test('notify each other without timers', async () => {
    const url = await createDatabase();
    const api = await startService({ DATABASE_URL: url, BADGE_ROLE: 'api' });
    const worker = await startService({ DATABASE_URL: url, BADGE_ROLE: 'worker', PORT: '' });
    expect(worker.port).toBeUndefined();
    await waitForListeners(url, 2);
    expect(await createToken(api)).toMatchObject({ status: 'success', resourceId: 1 });
    // Both services run in this process, so neither can poll while timers are fake. Only a real timer that
    // was set before can still fire.
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
    vi.useFakeTimers({ toFake: [...toFake], shouldClearNativeTimers: true });
    onTestFinished(() => void vi.useRealTimers());
    for (const resourceId of [2, 3, 4, 5, 6]) {
      expect(await createToken(api)).toMatchObject({ status: 'success', resourceId });
    }
  });
});
