import { randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { type DatabaseProxy, startDatabaseProxy } from '@badge/test-support/tcp-proxy';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { IS_DEDICATED_SESSION } from '../testing/dedicated-session.ts';
import { newOperation, openDemoDatabase } from '../testing/demo-database.ts';
import type { Database } from './database.ts';
import { type DedicatedSession, openDedicatedSession } from './dedicated-session.ts';
import { findOperations, insertOperations } from './operations.ts';
import { finishOperations } from './queue.ts';
import { createSignals, type Signals } from './signals.ts';
import { createWaits, type Waits } from './waits.ts';

const LONG_MS = 600_000;
const ERROR = { name: 'InternalError', detail: '' };
const LISTENERS = `from pg_stat_activity
  where datname = current_database() and ${IS_DEDICATED_SESSION}`;

let url: string;
let db: Database;
/** Between `session` and the database. */
let proxy: DatabaseProxy;
let session: DedicatedSession;
let signals: Signals;
let waits: Waits;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(async () => await db.destroy());

// The poll timer is frozen, so that only the event under test can end a wait.
beforeEach(async () => {
  proxy = await startDatabaseProxy(url);
  session = openDedicatedSession({ connectionString: proxy.url }, () => undefined);
  signals = createSignals(session);
  await waitForListener();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  waits = createWaits(db, signals, () => undefined);
});
afterEach(async () => {
  waits.stop();
  vi.useRealTimers();
  await signals.close();
  await session.close();
  await proxy.stop();
  await vi.waitFor(async () => expect(await query(url, `select ${LISTENERS}`)).toEqual([]), {
    timeout: 10_000,
  });
});

/** Waits until a connection listens whose process id is not `formerPid`. Returns its process id. */
async function waitForListener({ formerPid = 0 } = {}): Promise<number> {
  return await vi.waitFor(
    async () => {
      const [listener] = await query<{ pid: number }>(url, `select pid ${LISTENERS} and pid <> $1`, [
        formerPid,
      ]);
      if (listener === undefined) throw new Error('no connection listens');
      return listener.pid;
    },
    { timeout: 10_000, interval: 20 },
  );
}

async function accept(): Promise<string> {
  const operation = newOperation();
  await insertOperations(db, [operation]);
  return operation.operationId;
}
async function finish(operationId: string): Promise<void> {
  await finishOperations(db, [{ operationId, error: ERROR }]);
  signals.send('badge_operations_settled');
}
const statusOf = async (operationId: string) => (await findOperations(db, [operationId]))[0]?.status;

test('a signal ends all waits for an operation', async () => {
  const operationId = await accept();
  const started = [1, 2, 3].map(() => waits.untilFinal(operationId, LONG_MS));
  await finish(operationId);
  await Promise.all(started);
  expect(await statusOf(operationId)).toBe('error');
});

test('a wait ends only for its own operation', async () => {
  const [first, second] = [await accept(), await accept()];
  const ended: string[] = [];
  const started = [first, second].map(async (operationId) => {
    await waits.untilFinal(operationId, LONG_MS);
    ended.push(operationId);
  });
  await finish(second);
  await started[1];
  expect(ended).toEqual([second]);
  await finish(first);
  await Promise.all(started);
  expect(ended).toEqual([second, first]);
});

test('a wait for an operation that is already final ends immediately', async () => {
  const operationId = await accept();
  await finishOperations(db, [{ operationId, error: ERROR }]);
  await waits.untilFinal(operationId, LONG_MS);
});

test('a poll ends a wait if no signal arrives', async () => {
  const operationId = await accept();
  const wait = waits.untilFinal(operationId, LONG_MS);
  await finishOperations(db, [{ operationId, error: ERROR }]);
  vi.advanceTimersByTime(1_000);
  await wait;
});

test('a wait ends at its timeout', async () => {
  const operationId = await accept();
  await waits.untilFinal(operationId, 1);
  expect(await statusOf(operationId)).toBe('pending');
  await waits.untilFinal(operationId, 0);
  await waits.untilFinal(randomUUID(), 1);
});

test('a wait ends when its AbortSignal aborts, and other waits continue', async () => {
  const operationId = await accept();
  const abort = new AbortController();
  let isOtherOver = false;
  const other = waits.untilFinal(operationId, LONG_MS).then(() => {
    isOtherOver = true;
  });
  const abortedWait = waits.untilFinal(operationId, LONG_MS, abort.signal);
  abort.abort();
  await abortedWait;
  await waits.untilFinal(operationId, LONG_MS, abort.signal);
  expect(isOtherOver).toBe(false);
  waits.stop();
  await other;
});

test('stop ends all waits, and later waits end immediately', async () => {
  const operationId = await accept();
  const started = [operationId, randomUUID()].map((id) => waits.untilFinal(id, LONG_MS));
  waits.stop();
  await Promise.all([...started, waits.untilFinal(operationId, LONG_MS)]);
  expect(await statusOf(operationId)).toBe('pending');
});

test('after a reconnect, a notification ends a wait', async () => {
  const operationId = await accept();
  const wait = waits.untilFinal(operationId, LONG_MS);
  const pid = await waitForListener();
  await query(url, 'select pg_terminate_backend($1)', [pid]);
  await waitForListener({ formerPid: pid });
  await finishOperations(db, [{ operationId, error: ERROR }]);
  await query(url, 'notify badge_operations_settled');
  await wait;
});

test('an operation that becomes final during a disconnect ends its wait after the reconnect', async () => {
  const operationId = await accept();
  const wait = waits.untilFinal(operationId, LONG_MS);
  // The proxy rejects connections until `heal`, so the reconnect is after the commit.
  proxy.cut();
  await finishOperations(db, [{ operationId, error: ERROR }]);
  proxy.heal();
  await wait;
});
