import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isPostmasterOf } from './postmaster-file.ts';
import {
  makeLog,
  makeTemporaryDirectory,
  query,
  readPostmasterPid,
  startEngine,
  users,
} from './testing/running-engine.ts';

const ownerSessions = `select count(*)::int as sessions from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and application_name = 'badge owner'`;
const patience = { timeout: 10_000, interval: 20 };

describe.for(users)('run as %s', (user) => {
  test('a killed server is started again, with its data and the owner lock', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'data');
    const log = makeLog();
    const { connection } = await startEngine(dataDir, { user }, log);
    await query(connection, 'create table kept ()');
    const pid = await readPostmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => {
      expect(await query(connection, ownerSessions)).toEqual([{ sessions: 1 }]);
      expect(await readPostmasterPid(dataDir)).not.toBe(pid);
    }, patience);
    await vi.waitFor(() => expect(log.messages).toContain('PostgreSQL runs again'), patience);
    expect(log.messages).toContain('PostgreSQL ended unexpectedly, starting it again');
    expect(await query(connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
  });
});

test('the owner lock is taken again after the server ended all its sessions', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const { connection } = await startEngine(dataDir);
  const ownerPid = `select pid from pg_stat_activity where application_name = 'badge owner'`;
  const [former] = await query(connection, ownerPid);
  process.kill(Number(former?.pid), 'SIGKILL');
  await vi.waitFor(async () => {
    expect(await query(connection, ownerSessions)).toEqual([{ sessions: 1 }]);
    expect(await query(connection, ownerPid)).not.toEqual([former]);
  }, patience);
});

test.for([0, 1, 2, 3])('a stop while the server starts again ends it for good (%i)', async (turns) => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const log = makeLog();
  const engine = await startEngine(dataDir, {}, log);
  process.kill(await readPostmasterPid(dataDir), 'SIGKILL');
  const ended = 'PostgreSQL ended unexpectedly, starting it again';
  if (turns > 0)
    await vi.waitFor(() => expect(log.messages).toContain(ended), { timeout: 10_000, interval: 1 });
  if (turns > 1) await vi.waitFor(() => readPostmasterPid(dataDir), { timeout: 10_000, interval: 1 });
  if (turns > 2)
    await vi.waitFor(() => query(engine.connection, 'select 1'), { timeout: 10_000, interval: 1 });
  await engine.stop();
  const pid = await readPostmasterPid(dataDir).catch(() => 0);
  expect(pid !== 0 && (await isPostmasterOf(pid, join(dataDir, 'postgres')))).toBe(false);
});
