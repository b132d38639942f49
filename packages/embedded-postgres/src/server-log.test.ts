import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openServerLog, readLastLogLines, rotateServerLog } from './server-log.ts';
import { createTemporaryDirectory } from './testing/servers.ts';

test('renames a log that is larger than 10 MiB, but not a smaller one', async () => {
  const dataDir = await createTemporaryDirectory();
  const path = join(dataDir, 'postgres.log');
  await rotateServerLog(dataDir);
  await writeFile(path, 'short');
  await rotateServerLog(dataDir);
  expect(await readFile(path, 'utf8')).toBe('short');

  await truncate(path, 10 * 1024 * 1024 + 1);
  await rotateServerLog(dataDir);
  expect((await readFile(`${path}.1`)).subarray(0, 5).toString()).toBe('short');
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});

test('reads at most the last five lines of one run', async () => {
  const dataDir = await createTemporaryDirectory();
  await writeFile(join(dataDir, 'postgres.log'), 'an earlier run\n');
  const { file, startBytes } = await openServerLog(dataDir);
  await file.write('1\n2\n3\n');
  expect(await readLastLogLines(dataDir, startBytes)).toBe('1\n2\n3');
  await file.write(`${'x'.repeat(10_000)}\n4\n5\n6\n7\n8\n`);
  await file.close();
  expect(await readLastLogLines(dataDir, startBytes)).toBe('4\n5\n6\n7\n8');
});
