import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnfinishedDataFiles } from './data-files.ts';
import { makeLog, makeTemporaryDirectory } from './testing/running-engine.ts';

test('removes the unfinished files of dead processes, its own former pid included, and of no other', async () => {
  const dataDir = await makeTemporaryDirectory();
  const { pid: deadPid } = spawnSync('true');
  const names = [
    `postgres.new-${deadPid}-0a1b2c3d-00000001`,
    `postgres.new-${process.pid}-0a1b2c3d-00000001`,
    `postgres.new-${process.ppid}-0a1b2c3d-00000001`,
    'postgres.new-backup',
  ];
  for (const name of names) await mkdir(join(dataDir, name, 'base'), { recursive: true });
  await removeUnfinishedDataFiles(dataDir, makeLog());
  expect((await readdir(dataDir)).sort()).toEqual(names.slice(2).sort());
});
