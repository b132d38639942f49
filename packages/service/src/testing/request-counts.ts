import { query } from '@badge/test-support/sql';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { startExchange } from '../rate-limits/exchange-request-counts.ts';
import type { RequestCounter } from '../rate-limits/request-counter.ts';
import { openDemoDatabase } from './demo-database.ts';

// As long as the names that `toCountName` returns.
export const NAME = 'n'.repeat(22);

export async function start() {
  const { url, db } = await openDemoDatabase();
  const log = pino({ level: 'silent' });
  const exchange = async (counter: RequestCounter) => {
    const running = await startExchange({ database: db, log }, counter);
    onTestFinished(running.stop);
  };
  onTestFinished(() => db.destroy());
  const countRows = async () => (await query(url, 'select from request_counts')).length;
  return { url, exchange, countRows };
}
