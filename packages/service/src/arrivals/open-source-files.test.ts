import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ArrivalError } from './arrival.ts';
import { openSourceFiles, readWhole } from './open-source-files.ts';
import { makeZip } from './testing/make-zip.ts';
import { makeFolder } from './testing/read-all.ts';

test('a folder has the files of its folders, in their order, without those of the system', async () => {
  const folder = await makeFolder({
    'b.json': 'b',
    'a/z.json': 'z',
    'a/.DS_Store': 'x',
    '.git/config': 'x',
    'Thumbs.db': 'x',
  });
  await using files = await openSourceFiles(folder);
  expect(files.files.map(({ name, size }) => [name, size])).toEqual([
    ['a/z.json', 1],
    ['b.json', 1],
  ]);
});

test('a link in a folder is not followed; one that the caller names is', async () => {
  const outside = await makeFolder({ 'secret.json': 'secret' });
  const folder = await makeFolder({});
  await symlink(join(outside, 'secret.json'), join(folder, 'link.json'));
  await symlink(outside, join(folder, 'linked'));
  await using files = await openSourceFiles(folder);
  expect(files.files).toEqual([]);
  expect(files.skipped.map(({ name }) => name).sort()).toEqual(['link.json', 'linked']);
  await using named = await openSourceFiles(join(folder, 'link.json'));
  expect(named.files.map(({ name }) => name)).toEqual(['link.json']);
});

async function makeZipFile(...entries: Parameters<typeof makeZip>[0]): Promise<string> {
  return join(await makeFolder({ 'a.zip': makeZip(entries) }), 'a.zip');
}

test('a ZIP file has files that can be read twice', async () => {
  const path = await makeZipFile(
    { name: 'a/b.txt', content: Buffer.from('text') },
    { name: 'a/', content: Buffer.alloc(0) },
  );
  await using files = await openSourceFiles(path);
  const [file] = files.files;
  if (file === undefined) throw new Error('no file');
  expect(files.files).toHaveLength(1);
  expect(String(await readWhole(file, 4))).toBe('text');
  expect(String(await readWhole(file, 4))).toBe('text');
  await expect(readWhole(file, 3)).rejects.toThrow('more than 3 bytes');
});

test.each<[string, () => Promise<string>, string]>([
  ['a file that is not there', async () => join(await makeFolder({}), 'none'), 'cannot be read: ENOENT'],
  [
    'an entry that leads out of its folder',
    async () => await makeZipFile({ name: '../a.txt', content: Buffer.from('x') }),
    'cannot be read: invalid relative path',
  ],
  [
    'an absolute entry',
    async () => await makeZipFile({ name: '/etc/passwd', content: Buffer.from('x') }),
    'cannot be read: absolute path',
  ],
  [
    'entries that say that they are very large',
    async () => await makeZipFile({ name: 'a', content: Buffer.from('x'), saidBytes: 4e9 }),
    'would have more than 268435456 bytes',
  ],
  [
    'half a ZIP file',
    async () =>
      join(
        await makeFolder({ 'a.zip': makeZip([{ name: 'a', content: Buffer.from('x') }]).subarray(0, 40) }),
        'a.zip',
      ),
    'cannot be read',
  ],
])('refuses %s', async (_name, make, message) => {
  const path = await make();
  await expect(openSourceFiles(path)).rejects.toThrow(ArrivalError);
  await expect(openSourceFiles(path)).rejects.toThrow(message);
});

test.each([
  ['less', 10],
  ['more', 3_000_000],
])(
  'an entry that is larger or smaller than it says (%s) is an error when it is read',
  async (_name, saidBytes) => {
    const path = await makeZipFile({ name: 'a.json', content: Buffer.alloc(1_000_000), saidBytes });
    await using files = await openSourceFiles(path);
    const [file] = files.files;
    if (file === undefined) throw new Error('no file');
    await expect(readWhole(file, 10_000_000)).rejects.toThrow(ArrivalError);
  },
);

test('folders that are too deep are refused', async () => {
  const folder = await makeFolder({});
  const deep = join(folder, ...Array.from({ length: 34 }, () => 'd'));
  await mkdir(deep, { recursive: true });
  await writeFile(join(deep, 'a'), '');
  await expect(openSourceFiles(folder)).rejects.toThrow('more than 32 folders');
});
