import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnfinishedDataFiles } from './data-directory.ts';
import { createLog, createTemporaryDirectory } from './testing/servers.ts';

test('removes only the unfinished files of dead processes, even if this process has the pid of a dead one', async () => {
  const dataDir = await createTemporaryDirectory();
  const { pid: deadPid } = spawnSync('true');
  // The second directory has the pid of this process, but not its token. So an earlier process with this pid
  // created it.
  const ofDeadProcesses = [
    `postgres.new-${deadPid}-0a1b2c3d-00000001`,
    `postgres.new-${process.pid}-0a1b2c3d-00000001`,
  ];
  // The parent process is alive. The last name has no pid, so it is not the name of an unfinished database.
  const others = [`postgres.new-${process.ppid}-0a1b2c3d-00000001`, 'postgres.new-backup'];
  for (const name of [...ofDeadProcesses, ...others]) {
    await mkdir(join(dataDir, name, 'base'), { recursive: true });
  }
  await removeUnfinishedDataFiles(dataDir, createLog());
  expect((await readdir(dataDir)).sort()).toEqual(others.sort());
});
