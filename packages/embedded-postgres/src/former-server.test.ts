import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isPostmasterOf, isProcessAlive } from './postmaster-file.ts';
import {
  hasParentDeathSignal,
  makeLog,
  makeTemporaryDirectory,
  query,
  readPostmasterPid,
  spawnEngine,
  startEngine,
  users,
} from './testing/running-engine.ts';

const inUse =
  /^another Badge service \(process \d+\) uses the data directory .* BADGE_DATA_DIR, .* DATABASE_URL$/;

async function spawnRunningEngine(dataDir: string, choice = {}) {
  const engine = spawnEngine(dataDir, choice);
  const message = await engine.nextMessage();
  if (message.state !== 'running') throw new Error(JSON.stringify(message));
  return { ...engine, connection: message.connection };
}

describe.for(users)('a killed service, run as %s', (user) => {
  test.runIf(hasParentDeathSignal)('takes its server with it', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'data');
    const service = await spawnRunningEngine(dataDir, { user });
    const pid = await readPostmasterPid(dataDir);
    await service.end('SIGKILL');
    await vi.waitFor(
      async () => expect(await isPostmasterOf(pid, join(dataDir, 'postgres'))).toBe(false),
      10_000,
    );
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\n$/);
  });

  test('leaves a server to be taken over where the kernel cannot tell it', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'data');
    const service = await spawnRunningEngine(dataDir, { user, hasParentDeathSignal: false });
    await query(service.connection, 'create table kept ()');
    const pid = await readPostmasterPid(dataDir);
    await service.end('SIGKILL');
    expect(await isPostmasterOf(pid, join(dataDir, 'postgres'))).toBe(true);

    const log = makeLog();
    const engine = await startEngine(dataDir, { user }, log);
    expect(log.messages).toContain('stopping the PostgreSQL server that a killed service left behind');
    expect(await readPostmasterPid(dataDir)).not.toBe(pid);
    expect(await query(engine.connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
  });

  test('is no obstacle when killed while it makes its first files', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'data');
    await mkdir(dataDir, { mode: 0o700 });
    const isInitialising = new Promise<void>((resolve) => {
      const watcher = watch(dataDir, (_event, name) => {
        if (!name?.startsWith('postgres.new-')) return;
        watcher.close();
        resolve();
      });
    });
    const service = spawnEngine(dataDir, { user });
    await isInitialising;
    await service.end('SIGKILL');
    expect(await readdir(dataDir)).not.toContain('postgres');
    const { connection } = await startEngine(dataDir, { user });
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('two starts at once on a fresh directory: one wins, the other is refused', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const services = [spawnEngine(dataDir), spawnEngine(dataDir)];
  const messages = await Promise.all(services.map((service) => service.nextMessage()));
  expect(messages.map(({ state }) => state).sort()).toEqual(['refused', 'running']);
  expect(messages).toContainEqual({
    state: 'refused',
    name: 'EmbeddedPostgresError',
    message: expect.stringMatching(inUse),
  });
  expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
});

test('a second service is refused and leaves the first alone', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const { connection } = await startEngine(dataDir);
  const pid = await readPostmasterPid(dataDir);
  await expect(startEngine(dataDir)).rejects.toThrow(inUse);
  expect(await readPostmasterPid(dataDir)).toBe(pid);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test("a terminal's Ctrl-C reaches the service only", async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const service = await spawnRunningEngine(dataDir);
  service.interruptGroup();
  expect(await service.nextMessage()).toEqual({ state: 'interrupted' });
  expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await service.end('SIGTERM');
  expect(await service.nextMessage()).toEqual({ state: 'stopped' });
});

test("a dead server's lock files do not hold when another process has its pid", async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const lockFiles = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(dataDir, 'postgres', name));
  const first = await startEngine(dataDir);
  const texts = await Promise.all(lockFiles.map((path) => readFile(path, 'utf8')));
  await first.stop();

  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill());
  await Promise.all(
    lockFiles.map((path, at) =>
      writeFile(path, `${texts[at]}`.replace(/^\d+/, `${bystander.pid}`), { mode: 0o600 }),
    ),
  );
  const second = await startEngine(dataDir);
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(isProcessAlive(bystander.pid ?? 0)).toBe(true);
});
