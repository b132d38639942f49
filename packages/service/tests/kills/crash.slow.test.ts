import type { BadgeService } from '@badge/test-support/badge-process';
import { embeddedDatabaseUrl, makeDataDir, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { holdLock } from '@badge/test-support/sql';
import { beforeAll, expect, test, vi } from 'vitest';
import {
  expectTokensOf,
  listTokens,
  postTokens,
  signTokens,
  type TokenBody,
  waitForAccepted,
} from '../../src/testing/creations.ts';

let bodies: TokenBody[];
beforeAll(async () => {
  bodies = await signTokens(500);
});

/** Kills the service as soon as `count` bodies are accepted. */
async function killWhenAccepted(
  service: BadgeService,
  { accepted, count }: { accepted: Map<TokenBody, string>; count: number },
): Promise<void> {
  await waitForAccepted(accepted, count);
  expect(await service.end('SIGKILL')).toBe('SIGKILL');
}

/**
 * Starts the service, and waits until it accepts operations. It refuses them while the oldest one is too old.
 */
async function restart(dataDir: string): Promise<BadgeService> {
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  await vi.waitFor(async () => {
    const response = await fetch(`${service.url}/readyz`);
    expect(await response.json()).toEqual({ status: 'ready' });
  }, WAIT_OPTIONS);
  return service;
}

test('kill -9 loses none of 500 accepted operations that are not settled yet', async () => {
  const dataDir = await makeDataDir();
  const api = await startTestBadge({ BADGE_DATA_DIR: dataDir, BADGE_ROLE: 'api' });
  const accepted = new Map<TokenBody, string>();
  await postTokens(api, bodies, { accepted });
  expect(accepted.size).toBe(500);
  expect(await listTokens(api)).toEqual([]);
  expect(await api.end('SIGKILL')).toBe('SIGKILL');

  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  await expectTokensOf(service, accepted, embeddedDatabaseUrl(dataDir));
});

test('kill -9 while operations are being sent, inserted and settled loses none that was accepted', async () => {
  const dataDir = await makeDataDir();
  const databaseUrl = embeddedDatabaseUrl(dataDir);
  const first = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  const accepted = new Map<TokenBody, string>();
  await postTokens(first, bodies.slice(0, 100), { accepted });
  await vi.waitFor(async () => expect(await listTokens(first)).toHaveLength(100), WAIT_OPTIONS);
  // From here on, no operation can be settled: the worker's transaction waits for this lock. The second start
  // restarts PostgreSQL, which releases the lock.
  await holdLock(databaseUrl, 'token_counter', 'exclusive');
  await Promise.all([
    postTokens(first, bodies.slice(100), { accepted }),
    killWhenAccepted(first, { accepted, count: 200 }),
  ]);
  expect(accepted.size).toBeLessThan(500);

  const acceptedBefore = new Map(accepted);
  const second = await restart(dataDir);
  // Bodies that were accepted before are sent again. They must get the same operation.
  await postTokens(second, bodies, { accepted });
  expect([...accepted].filter(([body]) => acceptedBefore.has(body))).toEqual([...acceptedBefore]);
  expect(accepted.size).toBe(500);
  await expectTokensOf(second, accepted, databaseUrl);
});
