import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, vi } from 'vitest';
import { IS_DEDICATED_SESSION } from './dedicated-session.ts';

/** Waits until `count` connections listen for notifications. */
export async function waitForListeners(url: string, count: number): Promise<void> {
  const listeners = `select from pg_stat_activity
    where datname = current_database() and state = 'idle' and ${IS_DEDICATED_SESSION}`;
  await vi.waitFor(async () => expect(await query(url, listeners)).toHaveLength(count), WAIT_OPTIONS);
}
