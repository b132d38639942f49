import { join } from 'node:path';
import { expect, vi } from 'vitest';
import {
  createLog,
  createTemporaryDirectory,
  type modes,
  query,
  readPostmasterPid,
  startServer,
} from './servers.ts';

export const OWNER_SESSIONS = `select count(*)::int as sessions from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and application_name = 'test owner'`;
export const TIMEOUT = { timeout: 20_000, interval: 20 };

export async function expectRestart(mode: (typeof modes)[number]): Promise<void> {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const log = createLog();
  const { connection } = await startServer(dataDir, { mode }, log);
  await query(connection, 'create table kept ()');
  const pid = await readPostmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => {
    expect(await query(connection, OWNER_SESSIONS)).toEqual([{ sessions: 1 }]);
    expect(await readPostmasterPid(dataDir)).not.toBe(pid);
  }, TIMEOUT);
  await vi.waitFor(() => expect(log.messages).toContain('PostgreSQL restarted'), TIMEOUT);
  expect(log.messages).toContain('PostgreSQL ended unexpectedly, restarting it');
  expect(await query(connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
}
