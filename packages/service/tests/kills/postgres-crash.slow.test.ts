import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isProcessAlive, readPostmasterFile } from '@badge/embedded-postgres';
import {
  embeddedDatabaseUrl,
  findProcesses,
  makeDataDir,
  startTestBadge,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { expect, test, vi } from 'vitest';
import {
  expectTokensOf,
  postToken,
  signTokens,
  type TokenBody,
  waitForAccepted,
} from '../../src/testing/creations.ts';

async function readPostmasterPid(dataDir: string): Promise<number> {
  return (await vi.waitUntil(() => readPostmasterFile(join(dataDir, 'postgres')), WAIT_OPTIONS)).pid;
}

function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) if (isProcessAlive(pid)) process.kill(pid, signal);
}

test('after kill -9 of PostgreSQL under load, requests return 503 until it runs again, and nothing is lost', async () => {
  const bodies = await signTokens(300);
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  const accepted = new Map<TokenBody, string>();
  const readStatuses = new Set<number>();

  async function sendAll(bodiesToSend: TokenBody[]): Promise<void> {
    const remaining = bodiesToSend.values();
    await Promise.all(Array.from({ length: 20 }, () => sendEach(remaining)));
  }
  async function sendEach(remaining: Iterable<TokenBody>): Promise<void> {
    for (const body of remaining) {
      while (!accepted.has(body)) {
        const response = await postToken(service, body);
        if (response.status === 202) accepted.set(body, response.headers.get('location') ?? '');
        else {
          expect(await response.json()).toMatchObject({ name: 'Unavailable', status: 503 });
          expect(response.headers.get('retry-after')).toBe('1');
          await pause(50);
        }
      }
    }
  }
  async function readUntilAllAccepted(): Promise<void> {
    while (accepted.size < bodies.length) readStatuses.add((await fetch(`${service.url}/v1/tokens`)).status);
  }
  async function killPostgres(): Promise<void> {
    await waitForAccepted(accepted, 50);
    process.kill(await readPostmasterPid(dataDir), 'SIGKILL');
  }
  // SIGSTOP has frozen these processes, so they have not read all queries when they are killed. A kill with
  // unread queries resets the connections, whereas `killPostgres` only closes them. The requests to /healthz
  // give the service time to send queries.
  async function killFrozenPostgres(pids: number[]): Promise<void> {
    for (let requests = 0; requests < 5; requests += 1) await (await fetch(`${service.url}/healthz`)).text();
    signalAll(pids, 'SIGKILL');
  }

  const formerPid = await readPostmasterPid(dataDir);
  const reading = readUntilAllAccepted();
  await Promise.all([sendAll(bodies.slice(0, 200)), killPostgres()]);
  await vi.waitFor(async () => {
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await readPostmasterPid(dataDir)).not.toBe(formerPid);
  }, WAIT_OPTIONS);
  const processes = await findProcesses(dataDir);
  signalAll(processes, 'SIGSTOP');
  await Promise.all([sendAll(bodies.slice(200)), killFrozenPostgres(processes), reading]);

  expect([...readStatuses].sort()).toEqual([200, 503]);
  await expectTokensOf(service, accepted, embeddedDatabaseUrl(dataDir));
  expect(await service.end('SIGTERM')).toBe(0);
});
