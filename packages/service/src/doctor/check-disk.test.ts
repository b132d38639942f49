import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkDirectory, judgeSpace } from './check-disk.ts';

const GIB = 1024 ** 3;
const ROOMY = {
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
  ['much room', {}, 'ok'],
  ['a file system that does not count files', { freeFiles: 0, totalFiles: 0 }, 'ok'],
  ['just enough', { freeBytes: GIB, totalBytes: 10 * GIB }, 'ok'],
  ['less than 1 GiB', { freeBytes: GIB - 1, totalBytes: 2 * GIB }, 'warning'],
  ['less than a tenth', { freeBytes: 9 * GIB }, 'warning'],
  ['few files left', { freeFiles: 9, totalFiles: 100 }, 'warning'],
  ['nothing left', { freeBytes: 0 }, 'problem'],
])('%s', (_name, space, level) => {
  expect(judgeSpace('disk', { ...ROOMY, ...space })).toMatchObject({ check: 'disk', level });
});

test('a directory that is not there yet is well, and is not made', async () => {
  const directory = await makeDirectory();
  const [finding] = await checkDirectory('disk', join(directory, 'a', 'b'));
  expect(finding?.found).toContain('made at the first start');
  expect(await readdir(directory)).toEqual([]);
});

test('a directory in a file cannot be written to', async () => {
  const file = join(await makeDirectory(), 'file');
  await writeFile(file, '');
  expect(await checkDirectory('disk', join(file, 'data'))).toMatchObject([{ level: 'problem' }]);
});

test('a directory that others may write to is a problem, unless it is sticky', async () => {
  const directory = await makeDirectory();
  await chmod(directory, 0o770);
  expect(await checkDirectory('disk', directory)).toMatchObject([{ level: 'problem' }]);
  await chmod(directory, 0o1777);
  expect((await checkDirectory('disk', directory))[0]?.found).toContain('free');
});
