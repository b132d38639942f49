import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { waitForListeners } from '../testing/signals.ts';
import { openDedicatedSession } from './dedicated-session.ts';
import { createSignals, type Signals } from './signals.ts';

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
