import { chmod, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSocketDirectory } from './socket-directory.ts';
import { isRoot, makeTemporaryDirectory } from './testing/running-engine.ts';

const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const longPath = (name: string) => `/${name.repeat(100)}/postgres`;

test('is the directory of the files where its path is short enough, to the byte', async () => {
  const shortest = `/${'é'.repeat(45)}`;
  expect(await openSocketDirectory(`${shortest}a`, self)).toBe(`${shortest}a`);
  const temporaryDir = await makeTemporaryDirectory();
  expect(await openSocketDirectory(`${shortest}aaaaa`, self, temporaryDir)).toContain(temporaryDir);
});

describe('elsewhere', () => {
  test('is closed, the same at every start, and another one for other files', async () => {
    const temporaryDir = await makeTemporaryDirectory();
    const directory = await openSocketDirectory(longPath('a'), self, temporaryDir);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await openSocketDirectory(longPath('a'), self, temporaryDir)).toBe(directory);
    expect(await openSocketDirectory(longPath('b'), self, temporaryDir)).not.toBe(directory);
  });

  test('is refused where others may enter or another user made it', async () => {
    const temporaryDir = await makeTemporaryDirectory();
    const directory = await openSocketDirectory(longPath('a'), self, temporaryDir);
    await chmod(directory, 0o770);
    await expect(openSocketDirectory(longPath('a'), self, temporaryDir)).rejects.toThrow(
      'is not a closed directory',
    );
    await rm(directory, { recursive: true });
    await mkdir(join(temporaryDir, 'elsewhere'), { mode: 0o700 });
    await symlink(join(temporaryDir, 'elsewhere'), directory);
    await expect(openSocketDirectory(longPath('a'), self, temporaryDir)).rejects.toThrow(
      'is not a closed directory',
    );
  });

  test.runIf(isRoot)('belongs to the user that the server runs as', async () => {
    const temporaryDir = await makeTemporaryDirectory();
    const nobody = { uid: 65534, gid: 65534 };
    const directory = await openSocketDirectory(longPath('a'), nobody, temporaryDir);
    expect(await stat(directory)).toMatchObject(nobody);
  });

  test('is refused where the temporary directory is too long as well', async () => {
    const temporaryDir = join(await makeTemporaryDirectory(), 'long'.repeat(20));
    await expect(openSocketDirectory(longPath('a'), self, temporaryDir)).rejects.toThrow(
      'shorter BADGE_DATA_DIR',
    );
  });
});
