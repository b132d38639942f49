import { chmod, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSocketDirectory } from './socket-directory.ts';
import { createTemporaryDirectory, isRoot } from './testing/servers.ts';

const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const longPath = (name: string) => `/${name.repeat(100)}/postgres`;

test('uses the directory of the database files if its path is short enough for a socket', async () => {
  // The limit counts bytes, and each of these letters has two.
  const [fitting, tooLong] = [`/${'é'.repeat(43)}`, `/${'é'.repeat(47)}`];
  expect(await openSocketDirectory(fitting, self, 'test')).toBe(fitting);
  const temporaryDir = await createTemporaryDirectory();
  expect(await openSocketDirectory(tooLong, self, 'test', temporaryDir)).toContain(temporaryDir);
});

describe('with a path too long for a socket', () => {
  test('uses a private directory, which is the same at every start and different for another database directory', async () => {
    const temporaryDir = await createTemporaryDirectory();
    const directory = await openSocketDirectory(longPath('a'), self, 'test', temporaryDir);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await openSocketDirectory(longPath('a'), self, 'test', temporaryDir)).toBe(directory);
    expect(await openSocketDirectory(longPath('b'), self, 'test', temporaryDir)).not.toBe(directory);
  });

  test('rejects a directory that others can enter, and a symbolic link', async () => {
    const temporaryDir = await createTemporaryDirectory();
    const directory = await openSocketDirectory(longPath('a'), self, 'test', temporaryDir);
    await chmod(directory, 0o770);
    await expect(openSocketDirectory(longPath('a'), self, 'test', temporaryDir)).rejects.toThrow(
      'is not a private directory',
    );
    await rm(directory, { recursive: true });
    await mkdir(join(temporaryDir, 'elsewhere'), { mode: 0o700 });
    await symlink(join(temporaryDir, 'elsewhere'), directory);
    await expect(openSocketDirectory(longPath('a'), self, 'test', temporaryDir)).rejects.toThrow(
      'is not a private directory',
    );
  });

  test.runIf(isRoot)('gives the directory to the user that the server runs as', async () => {
    const temporaryDir = await createTemporaryDirectory();
    const nobody = { uid: 65534, gid: 65534 };
    const directory = await openSocketDirectory(longPath('a'), nobody, 'test', temporaryDir);
    expect(await stat(directory)).toMatchObject(nobody);
  });

  test('rejects a temporary directory whose path is too long as well', async () => {
    const temporaryDir = join(await createTemporaryDirectory(), 'long'.repeat(20));
    await expect(openSocketDirectory(longPath('a'), self, 'test', temporaryDir)).rejects.toThrow(
      'use a data directory with a shorter path',
    );
  });
});
