import { spawnSync } from 'node:child_process';
import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNothingRuns, makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { createToken } from '../../src/testing/creations.ts';

const NOBODY = 65534;
// This user may have no entry in /etc/passwd, as in a container. Such a user can run PostgreSQL only in a
// user namespace.
const FIRST_USER = 1000;

/** Whether the service can run as this user on this machine. Only root can start it as another user. */
function isUsable(uid: number): boolean {
  if (process.getuid?.() !== 0) return false;
  const command = [process.execPath, '--version'];
  const [program = '', ...args] = uid === FIRST_USER ? ['unshare', '--user', ...command] : command;
  return spawnSync(program, args, { uid, gid: uid }).status === 0;
}

const users = [NOBODY, FIRST_USER].filter(isUsable).map((uid) => ({ uid }));

test.runIf(users.length > 0).for(users)('the service runs as user $uid', async ({ uid }) => {
  const dataDir = await makeDataDir();
  await mkdir(dataDir, { mode: 0o700 });
  await chown(dataDir, uid, uid);
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir }, { uid, gid: uid });
  await createToken(service);
  expect(await stat(join(dataDir, 'admin-key'))).toMatchObject({ uid, gid: uid });
  expect(await stat(join(dataDir, 'postgres'))).toMatchObject({ uid, gid: uid });
  expect(await service.end('SIGTERM')).toBe(0);
  await expectNothingRuns(dataDir);
});
