import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inspectDirectory, inspectSpace } from './inspect-disk.ts';

const GIB = 1024 ** 3;
const MUCH_SPACE = {
  directory: '/data',
  freeBytes: 50 * GIB,
  totalBytes: 100 * GIB,
  freeFiles: 5,
  totalFiles: 10,
};

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-disk-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test.each([
  ['much free space', {}, 'ok'],
  ['no count of inodes', { freeFiles: 0, totalFiles: 0 }, 'ok'],
  ['just enough free space', { freeBytes: GIB, totalBytes: 10 * GIB }, 'ok'],
  ['less than 1 GiB free', { freeBytes: GIB - 1, totalBytes: 2 * GIB }, 'warning'],
  ['less than a tenth of its space free', { freeBytes: 9 * GIB }, 'warning'],
  ['few free inodes', { freeFiles: 9, totalFiles: 100 }, 'warning'],
  ['no free space', { freeBytes: 0 }, 'problem'],
])('inspectSpace: a disk with %s (%j) is reported as %s', (_name, space, level) => {
  expect(inspectSpace('disk', { ...MUCH_SPACE, ...space })).toMatchObject({ check: 'disk', level });
});

test('inspectDirectory reports a missing directory as ok, and does not create it', async () => {
  const directory = await makeDirectory();
  const [finding] = await inspectDirectory('disk', join(directory, 'a', 'b'));
  expect(finding?.found).toContain('the first start creates');
  expect(await readdir(directory)).toEqual([]);
});

test('inspectDirectory reports a path below a file as a problem', async () => {
  const file = join(await makeDirectory(), 'file');
  await writeFile(file, '');
  expect(await inspectDirectory('disk', join(file, 'data'))).toMatchObject([{ level: 'problem' }]);
});

test('inspectDirectory reports a directory that other users can write to as a problem, unless it is sticky', async () => {
  const directory = await makeDirectory();
  await chmod(directory, 0o770);
  expect(await inspectDirectory('disk', directory)).toMatchObject([{ level: 'problem' }]);
  await chmod(directory, 0o1777);
  expect((await inspectDirectory('disk', directory))[0]?.found).toContain('free');
});
