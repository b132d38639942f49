import { randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import {
  type BacklogAddition,
  type BacklogObstacle,
  type BacklogWatcher,
  watchBacklog,
} from './backlog-watcher.ts';
import { insertCommunity } from './communities.ts';
import type { Database } from './database.ts';

const MiB = 1024 * 1024;
const OF_DEMO: BacklogAddition = { communityId: 'demo', requestBytes: 100, hasApiKey: true };
const OF_OTHER: BacklogAddition = { ...OF_DEMO, communityId: 'other' };

let url: string;
let db: Database;
let watcher: BacklogWatcher;
let notifySettled: () => void;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
  await insertCommunity(db, OPERATOR, {
    community_id: 'other',
    display_id: 'other',
    name: 'Other',
    description: '',
  });
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate operations cascade');
  watcher = watchBacklog(db, {
    on: (_signal, listener) => {
      notifySettled = listener;
    },
  });
});
afterEach(() => {
  watcher.stop();
  vi.restoreAllMocks();
});

async function addPending({ communityId = 'demo', ageSeconds = 0, requestBytes = 100, status = 'pending' }) {
  await query(
    url,
    `insert into operations (operation_id, operation_type, community_id, status, request_bytes, created_at)
     values ($1, 'createToken', $2, $3, $4, now() - $5 * interval '1 s')`,
    [randomUUID(), communityId, status, requestBytes, ageSeconds],
  );
}
const waitForObstacle = (addition: BacklogAddition, obstacle: BacklogObstacle | null) =>
  vi.waitFor(() => expect(watcher.findObstacle(addition)).toBe(obstacle), { timeout: 20_000, interval: 20 });
/** Advances the clock that the watcher reads. */
function advanceClock(seconds: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1_000);
}

test('only the community whose oldest pending operation is too old is refused', async () => {
  await addPending({ ageSeconds: 16 });
  await addPending({ ageSeconds: 5, communityId: 'other' });
  await waitForObstacle(OF_DEMO, 'tooOld');
  expect(watcher.findObstacle(OF_OTHER)).toBeNull();
  expect(watcher.findOldBacklog()).toBe('tooOld');
  await query(url, "update operations set created_at = now() where community_id = 'demo'");
  await waitForObstacle(OF_DEMO, null);
  expect(watcher.findOldBacklog()).toBeNull();
});

test('isolated operations do not count', async () => {
  await addPending({ ageSeconds: 1_000, requestBytes: 100 * MiB, status: 'processing' });
  await addPending({ ageSeconds: 16, communityId: 'other' });
  // The watcher finds this obstacle only after it has read the backlogs of both communities.
  await waitForObstacle(OF_OTHER, 'tooOld');
  expect(watcher.findObstacle(OF_DEMO)).toBeNull();
});

test('only the community whose pending operations are too large together is refused', async () => {
  // The requests have 64 MiB together. Each operation counts with 4 KiB more, so they exceed the limit.
  for (let count = 0; count < 4; count += 1) await addPending({ requestBytes: 16 * MiB });
  await waitForObstacle(OF_DEMO, 'tooLarge');
  expect(watcher.findObstacle(OF_OTHER)).toBeNull();
});

test('above half of the limit of a community, only its operations without an API key are refused', async () => {
  await addPending({ requestBytes: 33 * MiB });
  await waitForObstacle({ ...OF_DEMO, hasApiKey: false }, 'tooLarge');
  expect(watcher.findObstacle(OF_DEMO)).toBeNull();
  expect(watcher.findObstacle({ ...OF_OTHER, hasApiKey: false })).toBeNull();
});

test('all communities are refused if an operation is too old and none has been settled for 15 seconds', async () => {
  await addPending({ ageSeconds: 16 });
  await waitForObstacle(OF_DEMO, 'tooOld');
  advanceClock(16);
  expect(watcher.findObstacle(OF_OTHER)).toBe('stalled');
  expect(watcher.findOldBacklog()).toBe('stalled');
  notifySettled();
  expect(watcher.findObstacle(OF_OTHER)).toBeNull();
});

describe('what this process inserts', () => {
  test('counts before the next poll', async () => {
    const addition = { ...OF_DEMO, requestBytes: 33 * MiB };
    for (let count = 0; count < 2; count += 1) {
      expect(watcher.findObstacle(addition)).toBeNull();
      await watcher.countInsert(addition, async () => undefined);
    }
    expect(watcher.findObstacle(OF_DEMO)).toBe('tooLarge');
    expect(watcher.findObstacle(OF_OTHER)).toBeNull();
    // The poll finds that nothing is pending.
    await waitForObstacle(OF_DEMO, null);
  });

  test('is limited per community, but one operation is always allowed', async () => {
    const large = { ...OF_DEMO, requestBytes: 17 * MiB };
    expect(watcher.findObstacle(large)).toBeNull();
    const insert = Promise.withResolvers<void>();
    const inserting = watcher.countInsert(large, () => insert.promise);
    expect(watcher.findObstacle(OF_DEMO)).toBe('tooLarge');
    expect(watcher.findObstacle({ ...large, communityId: 'other' })).toBeNull();
    insert.reject(new Error('not inserted'));
    await expect(inserting).rejects.toThrow('not inserted');
    expect(watcher.findObstacle(OF_DEMO)).toBeNull();
  });
});
