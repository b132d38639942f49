import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isPostmasterOf, isProcessAlive } from './postmaster.ts';
import {
  createLog,
  createTemporaryDirectory,
  hasParentDeathSignal,
  modes,
  query,
  readPostmasterPid,
  spawnOwner,
  spawnRunningOwner,
  startServer,
} from './testing/servers.ts';

const IN_USE =
  /^another service \(process \d+\) uses the data directory .*; stop it, .* one PostgreSQL server$/;

describe.for(modes)('after the owner was killed, in mode %s', (mode) => {
  test.runIf(hasParentDeathSignal)('the server shuts down, because of the parent death signal', async () => {
    const dataDir = join(await createTemporaryDirectory(), 'data');
    const owner = await spawnRunningOwner(dataDir, { mode });
    const pid = await readPostmasterPid(dataDir);
    await owner.end('SIGKILL');
    await vi.waitFor(
      async () => expect(await isPostmasterOf(pid, join(dataDir, 'postgres'))).toBe(false),
      20_000,
    );
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\n$/);
  });

  test('the next start stops the server if it had no parent death signal', async () => {
    const dataDir = join(await createTemporaryDirectory(), 'data');
    const owner = await spawnRunningOwner(dataDir, { mode, hasParentDeathSignal: false });
    await query(owner.connection, 'create table kept ()');
    const pid = await readPostmasterPid(dataDir);
    await owner.end('SIGKILL');
    expect(await isPostmasterOf(pid, join(dataDir, 'postgres'))).toBe(true);

    const log = createLog();
    const postgres = await startServer(dataDir, { mode }, log);
    expect(log.messages).toContain('stopping a PostgreSQL server that was left running');
    expect(await readPostmasterPid(dataDir)).not.toBe(pid);
    expect(await query(postgres.connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
  });

  test('the next start succeeds if the owner was killed during initdb', async () => {
    const dataDir = join(await createTemporaryDirectory(), 'data');
    await mkdir(dataDir, { mode: 0o700 });
    const initdbStarted = new Promise<void>((resolve) => {
      const watcher = watch(dataDir, (_event, name) => {
        if (!name?.startsWith('postgres.new-')) return;
        watcher.close();
        resolve();
      });
    });
    const owner = spawnOwner(dataDir, { mode });
    await initdbStarted;
    await owner.end('SIGKILL');
    expect(await readdir(dataDir)).not.toContain('postgres');
    const { connection } = await startServer(dataDir, { mode });
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('one of two concurrent starts on a missing directory succeeds, and the other is rejected', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const owners = [spawnOwner(dataDir), spawnOwner(dataDir)];
  const messages = await Promise.all(owners.map((owner) => owner.nextMessage()));
  expect(messages.map(({ state }) => state).sort()).toEqual(['failed', 'running']);
  expect(messages).toContainEqual({
    state: 'failed',
    name: 'EmbeddedPostgresError',
    message: expect.stringMatching(IN_USE),
  });
  expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
});

test('a second start is rejected, and the first server keeps running', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const { connection } = await startServer(dataDir);
  const pid = await readPostmasterPid(dataDir);
  await expect(startServer(dataDir)).rejects.toThrow(IN_USE);
  expect(await readPostmasterPid(dataDir)).toBe(pid);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('Ctrl-C in a terminal reaches the owner, but not the server', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const owner = await spawnRunningOwner(dataDir);
  owner.interruptGroup();
  expect(await owner.nextMessage()).toEqual({ state: 'interrupted' });
  expect(await query(owner.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await owner.end('SIGTERM');
  expect(await owner.nextMessage()).toEqual({ state: 'stopped' });
});

test("a lock file of a dead server does not prevent a start if another process now has the server's pid", async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const lockFiles = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(dataDir, 'postgres', name));
  const first = await startServer(dataDir);
  const texts = await Promise.all(lockFiles.map((path) => readFile(path, 'utf8')));
  await first.stop();

  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill());
  await Promise.all(
    lockFiles.map((path, index) =>
      writeFile(path, `${texts[index]}`.replace(/^\d+/, `${bystander.pid}`), { mode: 0o600 }),
    ),
  );
  const second = await startServer(dataDir);
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(isProcessAlive(bystander.pid ?? 0)).toBe(true);
});
