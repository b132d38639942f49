import type { Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export type Body = Awaited<ReturnType<typeof signedToken>>;

export const newBodies = (count: number) => Promise.all(Array.from({ length: count }, () => signedToken()));

/** Starts a process without a worker before each test, and stops it and its workers after. */
export function workerFixture() {
  let api: TestService;
  const workers: TestService[] = [];

  beforeEach(async () => {
    api = await startTestService({ BADGE_ROLE: 'api' });
  });
  afterEach(async () => {
    await Promise.all([...workers.splice(0), api].map((service) => service.stop()));
  });

  async function startWorker(): Promise<TestService> {
    const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
    workers.push(worker);
    return worker;
  }

  async function accept(body: Body): Promise<string> {
    const response = await api.call('/v1/tokens', { key: api.apiKey, json: body });
    expect(response.status).toBe(202);
    return response.headers.get('location') ?? '';
  }

  async function waitUntilFinal(location: string): Promise<Operation> {
    return (await (await api.call(`${location}?wait=30`)).json()) as Operation;
  }
  const listTokenIds = async () =>
    (await query<{ token_id: string }>(api.databaseUrl, 'select token_id from tokens order by token_id')).map(
      (row) => Number(row.token_id),
    );

  /**
   * Blocks the creation of tokens until the returned client ends, so that a worker's batch stays in progress.
   */
  async function holdTokenCounter(): Promise<pg.Client> {
    const client = new pg.Client(api.databaseUrl);
    await client.connect();
    await client.query('begin; lock table token_counter');
    return client;
  }
  async function waitForBlockedWorker(): Promise<void> {
    const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%token_counter%'`;
    await vi.waitFor(async () => expect(await query(api.databaseUrl, waiting)).toHaveLength(1), {
      timeout: 10_000,
      interval: 20,
    });
  }

  return {
    get api() {
      return api;
    },
    workers,
    startWorker,
    accept,
    waitUntilFinal,
    listTokenIds,
    holdTokenCounter,
    waitForBlockedWorker,
  };
}
