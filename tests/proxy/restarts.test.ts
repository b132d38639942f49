import { setTimeout as wait } from 'node:timers/promises';
import type { BadgeService } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { startNginx } from '@badge/test-support/nginx';
import { expect, onTestFinished, test } from 'vitest';
import { signTokens, type TokenBody } from '../../packages/service/src/testing/creations.ts';

const RESTARTS = 8;
const LOOPS = 4;
const BURST = 40;
const LOOP_TOKENS = 1_500;

/** Gives nginx time to send its requests. */
async function respondsToMany({ url }: BadgeService): Promise<void> {
  for (let count = 0; count < 50; count += 1) await fetch(`${url}/healthz`);
}

test('restarts of the processes lose no POST', async () => {
  const DATABASE_URL = await createDatabase();
  const BADGE_DATA_DIR = await makeDataDir();
  const start = async (PORT: string) =>
    await startTestBadge({ DATABASE_URL, BADGE_DATA_DIR, BADGE_TRUST_PROXY: '127.0.0.1', PORT });
  const processes = [await start('0')];
  processes.push(await start('0'));
  const [{ apiKey }] = processes as [BadgeService];
  const nginx = await startNginx({
    upstreams: processes.map(({ url }) => url.replace('localhost', '127.0.0.1')),
  });
  onTestFinished(() => nginx.stop());

  const results = new Map<string, number>();
  async function post(body: TokenBody): Promise<void> {
    const init = {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    const result = await fetch(`${nginx.url}/v1/tokens`, init).then(({ status }) => String(status), String);
    results.set(result, (results.get(result) ?? 0) + 1);
  }
  const tokens = await signTokens(LOOP_TOKENS + RESTARTS * BURST);
  const bursts = tokens.splice(0, RESTARTS * BURST);
  const total = bursts.length;
  let isOver = false;
  let sent = 0;
  async function repeat(): Promise<void> {
    for (let body = tokens.pop(); body !== undefined && !isOver; body = tokens.pop()) {
      sent += 1;
      await post(body);
      await wait(5);
    }
  }
  const loops = Array.from({ length: LOOPS }, repeat);

  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const index = restart % processes.length;
    const stopping = processes[index] as BadgeService;
    // These requests arrive while the process begins to stop. In every second restart, the process is
    // suspended meanwhile, so that they wait in its accept queue.
    const isSuspended = restart % 4 >= 2;
    if (isSuspended) process.kill(stopping.pid, 'SIGSTOP');
    const burst = bursts.splice(0, BURST).map(post);
    if (isSuspended) await respondsToMany(processes[1 - index] as BadgeService);
    const ended = stopping.end('SIGTERM');
    process.kill(stopping.pid, 'SIGCONT');
    await Promise.all(burst);
    expect(await ended).toBe(0);
    processes[index] = await start(new URL(stopping.url).port);
  }
  isOver = true;
  await Promise.all(loops);
  expect([...results]).toEqual([['202', sent + total]]);
});
