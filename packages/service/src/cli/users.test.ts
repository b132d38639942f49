import { spawnSync } from 'node:child_process';
import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNothingRuns, makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { createToken } from '../testing/creations.ts';

// The users that the service can run as on this machine. Only root can start it as another user. Uid 1000 may have no
// entry in /etc/passwd, as in a container. Such a user can run PostgreSQL only in a user namespace.
const users = [{ uid: 65534 }, { uid: 1000 }].filter(({ uid }) => {
  const program = uid === 1000 ? 'unshare' : process.execPath;
  const args = uid === 1000 ? ['--user', process.execPath, '--version'] : ['--version'];
  return process.getuid?.() === 0 && spawnSync(program, args, { uid, gid: uid }).status === 0;
});

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
