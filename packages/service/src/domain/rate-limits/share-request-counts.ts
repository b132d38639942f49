import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { deleteOldRequestCounts, exchangeRequestCounts } from '../../storage/request-counts.ts';
import type { News, RequestCounter } from './rules.ts';

const EXCHANGE_MS = 200;

/**
 * Learns the database's time, then tells the other processes five times a second what was counted, if anything
 * was, and learns what they have. No request waits for it; without the database a process goes on with its own.
 */
export async function shareRequestCounts(
  context: Context,
  counter: RequestCounter,
): Promise<{ stop(): Promise<void> }> {
  const processId = randomUUID();
  const stopping = new AbortController();
  let isFailing = false;
  // Null once no row of an earlier window is left; what processes that ended have left is deleted first.
  let toldWindow: number | null = -1;

  async function exchange(): Promise<void> {
    const news = counter.news();
    if (toldWindow !== null && toldWindow < news.windowNumber) {
      await deleteOldRequestCounts(context.database, news.windowNumber);
      toldWindow = null;
    }
    if (news.requests.size === 0) return;
    toldWindow = news.windowNumber;
    await tell(news);
  }

  async function tell(news: News): Promise<void> {
    const askedMs = counter.clock();
    const reply = await exchangeRequestCounts(context.database, { processId, ...news });
    counter.learn(news, reply, askedMs);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (isFailing) context.log.info('request counts are shared again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) context.log.warn({ err: error }, 'request counts cannot be shared now');
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

  await attempt(() => tell({ windowNumber: 0, requests: new Map() }));
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
