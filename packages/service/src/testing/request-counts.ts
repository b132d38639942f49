import { query } from '@badge/test-support/sql';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { RequestCounter } from '../rate-limits/request-counter.ts';
import { shareRequestCounts } from '../rate-limits/share-request-counts.ts';
import { openDemoDatabase } from './demo-database.ts';

// As long as the names that `toCountName` returns.
export const NAME = 'n'.repeat(22);

export async function start() {
  const { url, db } = await openDemoDatabase();
  const log = pino({ level: 'silent' });
  const share = async (counter: RequestCounter) => {
    const sharing = await shareRequestCounts({ database: db, log }, counter);
    onTestFinished(sharing.stop);
  };
  onTestFinished(() => db.destroy());
  const countRows = async () => (await query(url, 'select from request_counts')).length;
  return { url, share, countRows };
}
