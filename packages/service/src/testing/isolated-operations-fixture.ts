import type { Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterEach, beforeEach, expect } from 'vitest';
import { startTestService, type TestService } from './services.ts';

// SQL states: PostgreSQL ended a statement that ran too long, or that waited too long for a lock.
export const STATEMENT_TIMEOUT = '57014';

/** Starts a process without a worker before each test, and stops it and its worker after. */
export function isolatedOperationsFixture() {
  let api: TestService;
  let worker: TestService | undefined;

  beforeEach(async () => {
    api = await startTestService({ BADGE_ROLE: 'api' });
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await api.stop();
  });

  async function startWorker(): Promise<void> {
    worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
  }

  async function accept(headline: string): Promise<string> {
    const response = await api.call('/v1/tokens', { key: api.apiKey, json: await signedToken({ headline }) });
    expect(response.status).toBe(202);
    return response.headers.get('location') ?? '';
  }

  async function waitUntilFinal(location: string): Promise<Operation> {
    return (await (await api.call(`${location}?wait=30`)).json()) as Operation;
  }
  const statusOf = async (location: string) =>
    ((await (await api.call(location)).json()) as Operation).status;

  /**
   * Makes inserts of tokens fail with an SQL state if the headline matches `headlinePattern`, a pattern for
   * `like`.
   */
  async function failInserts(headlinePattern: string, sqlState: string): Promise<void> {
    await query(api.databaseUrl, 'create sequence attempts');
    await query(
      api.databaseUrl,
      `create function fail_insert() returns trigger language plpgsql as $$ begin
       perform nextval('attempts');
       raise exception using errcode = '${sqlState}';
     end $$`,
    );
    await query(
      api.databaseUrl,
      `create trigger fail_insert before insert on tokens for each row
     when (new.headline like '${headlinePattern}') execute function fail_insert()`,
    );
  }

  return {
    get api() {
      return api;
    },
    startWorker,
    accept,
    waitUntilFinal,
    statusOf,
    failInserts,
  };
}
