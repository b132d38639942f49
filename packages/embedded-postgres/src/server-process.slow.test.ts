import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isPostmasterOf } from './postmaster.ts';
import { expectRestart, OWNER_SESSIONS, TIMEOUT } from './testing/killed-server.ts';
import {
  createLog,
  createTemporaryDirectory,
  modes,
  query,
  readPostmasterPid,
  startServer,
} from './testing/servers.ts';

test.for(modes)('in mode %s, a killed server is restarted, with its data and the owner lock', expectRestart);

test('the owner lock is reacquired after the session that held it was killed', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const { connection } = await startServer(dataDir);
  const selectSessionPid = `select pid from pg_stat_activity where application_name = 'test owner'`;
  const [killed] = await query(connection, selectSessionPid);
  process.kill(Number(killed?.pid), 'SIGKILL');
  await vi.waitFor(async () => {
    expect(await query(connection, OWNER_SESSIONS)).toEqual([{ sessions: 1 }]);
    expect(await query(connection, selectSessionPid)).not.toEqual([killed]);
  }, TIMEOUT);
});

const RESTART_STAGES = [
  'the server was killed',
  'the owner noticed that the server ended',
  'a new server runs',
  'the new server accepts connections',
];

test.for([...RESTART_STAGES.entries()])(
  'a stop at stage %i of a restart (%s) leaves no server running',
  async ([stage]) => {
    const dataDir = join(await createTemporaryDirectory(), 'data');
    const log = createLog();
    const postgres = await startServer(dataDir, {}, log);
    const killedPid = await readPostmasterPid(dataDir);
    process.kill(killedPid, 'SIGKILL');
    const ended = 'PostgreSQL ended unexpectedly, restarting it';
    if (stage > 0)
      await vi.waitFor(() => expect(log.messages).toContain(ended), { timeout: 20_000, interval: 1 });
    if (stage > 1) {
      // The killed server has left its lock file.
      const findNewServer = async () => expect(await readPostmasterPid(dataDir)).not.toBe(killedPid);
      await vi.waitFor(findNewServer, { timeout: 20_000, interval: 1 });
    }
    if (stage > 2)
      await vi.waitFor(() => query(postgres.connection, 'select 1'), { timeout: 20_000, interval: 1 });
    await postgres.stop();
    const pid = await readPostmasterPid(dataDir).catch(() => 0);
    expect(pid !== 0 && (await isPostmasterOf(pid, join(dataDir, 'postgres')))).toBe(false);
  },
);
