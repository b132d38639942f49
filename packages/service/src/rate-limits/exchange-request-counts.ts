import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import {
  type CountReport,
  deleteOldRequestCounts,
  exchangeRequestCounts,
} from '../storage/request-counts.ts';
import type { RequestCounter } from './request-counter.ts';

const EXCHANGE_MS = 200;

/**
 * Sets the counter to the database's time, then exchanges counts with the other processes up to five times a
 * second. No request waits for an exchange. While the database cannot be reached, each process counts by
 * itself.
 */
export async function startExchange(
  { database, log }: Pick<Context, 'database' | 'log'>,
  counter: RequestCounter,
): Promise<{ stop(): Promise<void> }> {
  const processId = randomUUID();
  const stopping = new AbortController();
  let isFailing = false;
  // The last window in which this process stored counts; null once they have been deleted. It starts at -1,
  // so that the first exchange also deletes the counts of processes that have ended.
  let storedWindow: number | null = -1;

  async function exchange(): Promise<void> {
    const report = counter.report();
    if (storedWindow !== null && storedWindow < report.windowNumber) {
      await deleteOldRequestCounts(database, report.firstPeriod);
      storedWindow = null;
    }
    if (report.requests.size === 0) return;
    storedWindow = report.windowNumber;
    await send(report);
  }

  async function send(report: CountReport): Promise<void> {
    const reportedAtMs = counter.monotonicMs();
    counter.merge(report, await exchangeRequestCounts(database, processId, report), reportedAtMs);
    if (isFailing) log.info('request counts are shared again');
    isFailing = false;
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'request counts cannot be shared');
      isFailing = true;
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await wait(EXCHANGE_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await attempt(exchange);
    }
  }

  // This report is empty. It sets the counter to the database's time.
  await attempt(() => send({ windowNumber: 0, firstPeriod: 0, requests: new Map() }));
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
