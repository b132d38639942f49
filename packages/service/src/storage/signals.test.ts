import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { IS_DEDICATED_SESSION } from '../testing/dedicated-session.ts';
import { startTestService, type TestService } from '../testing/services.ts';
import { openDedicatedSession } from './dedicated-session.ts';
import { createSignals, type Signals } from './signals.ts';

/** Waits until `count` connections listen for notifications. */
async function waitForListeners(url: string, count: number): Promise<void> {
  const listeners = `select from pg_stat_activity
    where datname = current_database() and state = 'idle' and ${IS_DEDICATED_SESSION}`;
  await vi.waitFor(async () => expect(await query(url, listeners)).toHaveLength(count), WAIT_OPTIONS);
}

describe('createSignals', () => {
  async function startSignals(url: string): Promise<Signals> {
    const session = openDedicatedSession({ connectionString: url }, () => undefined);
    const signals = createSignals(session);
    const close = async () => {
      await signals.close();
      await session.close();
    };
    onTestFinished(close);
    return { ...signals, close };
  }

  /** Returns the channels of all notifications that the database sends from now on. */
  async function recordNotifications(url: string): Promise<string[]> {
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    const channels: string[] = [];
    client.on('notification', ({ channel }) => channels.push(channel));
    await client.query('listen badge_operations_accepted; listen badge_operations_settled');
    return channels;
  }

  test('calls the listeners of the sender immediately and once, even without the database', async () => {
    const url = await createDatabase();
    const proxy = await startTestDatabaseProxy(url);
    proxy.cut();
    const signals = await startSignals(proxy.url);
    const settled = vi.fn();
    signals.on('badge_operations_settled', settled);
    signals.send('badge_operations_settled');
    expect(settled).toHaveBeenCalledTimes(1);

    proxy.heal();
    await waitForListeners(url, 1);
    settled.mockClear();
    const accepted = vi.fn();
    signals.on('badge_operations_accepted', accepted);
    const channels = await recordNotifications(url);
    signals.send('badge_operations_settled');
    await vi.waitFor(() => expect(channels).toContain('badge_operations_settled'), WAIT_OPTIONS);
    await query(url, 'notify badge_operations_accepted');
    await vi.waitFor(() => expect(accepted).toHaveBeenCalled(), WAIT_OPTIONS);
    // Notifications arrive in order, so the sender's own one would have called `settled` again by now.
    expect(settled).toHaveBeenCalledTimes(1);
  });

  test('sends signals that follow each other quickly as one notification', async () => {
    const url = await createDatabase();
    const signals = await startSignals(url);
    await waitForListeners(url, 1);
    const channels = await recordNotifications(url);
    for (let count = 0; count < 1_000; count += 1) signals.send('badge_operations_settled');
    await vi.waitFor(() => expect(channels).not.toEqual([]), WAIT_OPTIONS);
    signals.send('badge_operations_accepted');
    await vi.waitFor(() => expect(channels).toContain('badge_operations_accepted'), WAIT_OPTIONS);
    expect(channels).toEqual(['badge_operations_settled', 'badge_operations_accepted']);
  });

  test('sends a signal after a reconnect if the connection was lost', async () => {
    const url = await createDatabase();
    const proxy = await startTestDatabaseProxy(url);
    const signals = await startSignals(proxy.url);
    await waitForListeners(url, 1);
    proxy.cut();
    await waitForListeners(url, 0);
    const channels = await recordNotifications(url);
    signals.send('badge_operations_settled');
    proxy.heal();
    await vi.waitFor(() => expect(channels).toContain('badge_operations_settled'), WAIT_OPTIONS);
  });

  test('sends the last signals before it closes', async () => {
    const url = await createDatabase();
    const signals = await startSignals(url);
    await waitForListeners(url, 1);
    const channels = await recordNotifications(url);
    signals.send('badge_operations_accepted');
    await vi.waitFor(() => expect(channels).toEqual(['badge_operations_accepted']), WAIT_OPTIONS);
    signals.send('badge_operations_settled');
    await signals.close();
    await vi.waitFor(
      () => expect(channels).toEqual(['badge_operations_accepted', 'badge_operations_settled']),
      WAIT_OPTIONS,
    );
    await waitForListeners(url, 0);
  });

  test('does not wait long for a silent database when it closes', async () => {
    const url = await createDatabase();
    const proxy = await startTestDatabaseProxy(url);
    const signals = await startSignals(proxy.url);
    await waitForListeners(url, 1);
    proxy.hang();
    signals.send('badge_operations_settled');
    const startedMs = performance.now();
    await signals.close();
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe('a process that settles and one that serves requests', { tags: ['slow'] }, () => {
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
    // Both services run in this process, so neither can poll while timers are fake. Only a real timer that was set before
    // can still fire.
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
    vi.useFakeTimers({ toFake: [...toFake], shouldClearNativeTimers: true });
    onTestFinished(() => void vi.useRealTimers());
    for (const resourceId of [2, 3, 4, 5, 6]) {
      expect(await createToken(api)).toMatchObject({ status: 'success', resourceId });
    }
  });
});
