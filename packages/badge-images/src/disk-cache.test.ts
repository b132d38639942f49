import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDiskCache, type DiskCache } from './disk-cache.ts';

const MAX_BYTES = 64 * 1024;
const nameOf = (index: number) => index.toString(16).padStart(64, '0');

async function makeDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'badge-disk-cache-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'images');
}

function openCache(directory: string, { maxBytes = MAX_BYTES } = {}) {
  const errors: Error[] = [];
  const cache = createDiskCache({ directory, maxBytes, onError: (error) => errors.push(error) });
  return { cache, errors };
}

/** Writes a buffer and waits until it is on disk. */
async function write(directory: string, index: number, buffer: Buffer): Promise<void> {
  const { cache, errors } = openCache(directory);
  cache.set(nameOf(index), buffer);
  await cache.close();
  expect(errors).toEqual([]);
}

/** Returns the indexes below `count` whose buffers are in the cache. */
async function findIndexes(cache: DiskCache, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    if ((await cache.get(nameOf(index))) !== undefined) found.push(index);
  }
  return found;
}

async function totalBytes(directory: string): Promise<number> {
  // A file can be evicted while this runs.
  const sizes = (await readdir(directory)).map((name) =>
    stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('returns a buffer that another cache of the directory has written, and undefined for an unknown name', async () => {
  const directory = await makeDirectory();
  const buffer = randomBytes(5_000);
  await write(directory, 1, buffer);
  const { cache, errors } = openCache(directory);
  expect((await cache.get(nameOf(1)))?.equals(buffer)).toBe(true);
  expect(await cache.get(nameOf(2))).toBeUndefined();
  expect(errors).toEqual([]);
});

it('creates a directory that only its user can open', async () => {
  const directory = await makeDirectory();
  await write(directory, 1, randomBytes(10));
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

it.each([
  ['truncated', (path: string) => truncate(path, 4_000)],
  ['empty', (path: string) => truncate(path, 0)],
  [
    'changed',
    async (path: string) => {
      const bytes = await readFile(path);
      bytes[2_000] = (bytes[2_000] ?? 0) ^ 1;
      await writeFile(path, bytes);
    },
  ],
  ['too large', (path: string) => truncate(path, 2 ** 30)],
])('deletes a file that is %s, and can store the buffer again', async (_, damage) => {
  const directory = await makeDirectory();
  const buffer = randomBytes(5_000);
  await write(directory, 1, buffer);
  await damage(join(directory, nameOf(1)));
  const { cache } = openCache(directory, { maxBytes: 2 ** 31 });
  expect(await cache.get(nameOf(1))).toBeUndefined();
  expect(await readdir(directory)).toEqual([]);
  await write(directory, 1, buffer);
  expect((await cache.get(nameOf(1)))?.equals(buffer)).toBe(true);
});

it('does not return a buffer whose file was copied to another name', async () => {
  const directory = await makeDirectory();
  await write(directory, 1, randomBytes(5_000));
  await writeFile(join(directory, nameOf(2)), await readFile(join(directory, nameOf(1))));
  expect(await openCache(directory).cache.get(nameOf(2))).toBeUndefined();
});

it('stays below its limit with two caches of one directory, and evicts the least recently used buffers', async () => {
  const directory = await makeDirectory();
  const caches = [openCache(directory).cache, openCache(directory).cache];
  const usedAtSeconds = (index: number) => Date.now() / 1_000 - 10_000 + index;
  for (let index = 0; index < 60; index += 1) {
    const cache = caches[index % 2];
    cache?.set(nameOf(index), randomBytes(3_000));
    await expect.poll(() => cache?.get(nameOf(index)), { interval: 5, timeout: 20_000 }).toBeDefined();
    await utimes(join(directory, nameOf(index)), usedAtSeconds(index), usedAtSeconds(index));
    // Buffer 0 is read again and again, so it is never evicted.
    if (index > 0) expect(await caches[0]?.get(nameOf(0))).toBeDefined();
    expect(await totalBytes(directory)).toBeLessThanOrEqual(MAX_BYTES);
  }
  await Promise.all(caches.map((cache) => cache.close()));
  const found = await findIndexes(openCache(directory).cache, 60);
  expect(found.length).toBeGreaterThan(10);
  expect(found).toContain(0);
  // The others are the last ones that were written.
  const others = found.slice(1);
  const written = Array.from({ length: 60 }, (_, index) => index);
  expect(others).toEqual(written.slice(-others.length));
});

it('evicts its files down to the limit when it starts, and deletes no other files', async () => {
  const directory = await makeDirectory();
  await mkdir(directory);
  for (let index = 0; index < 40; index += 1)
    await writeFile(join(directory, nameOf(index)), randomBytes(4_000));
  await writeFile(join(directory, 'notes.txt'), randomBytes(MAX_BYTES));
  const leftOver = join(directory, `${nameOf(1)}.00000000-0000-4000-8000-000000000000.tmp`);
  await writeFile(leftOver, randomBytes(4_000));
  await utimes(leftOver, 0, 0);
  const { cache, errors } = openCache(directory);
  await cache.close();
  expect(errors).toEqual([]);
  const names = await readdir(directory);
  expect(names).toContain('notes.txt');
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  // notes.txt alone has MAX_BYTES.
  expect(await totalBytes(directory)).toBeLessThanOrEqual(2 * MAX_BYTES);
  expect(names.length).toBeGreaterThan(5);
});

it('keeps no buffer that is as large as the cache, and no buffer after the cache was closed', async () => {
  const directory = await makeDirectory();
  const { cache } = openCache(directory);
  cache.set(nameOf(1), randomBytes(MAX_BYTES));
  await cache.close();
  cache.set(nameOf(2), randomBytes(10));
  expect(await openCache(directory).cache.get(nameOf(2))).toBeUndefined();
  await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('reports a disk error, and can still be used', async () => {
  const directory = await makeDirectory();
  await writeFile(directory, 'a file where the directory should be');
  const { cache, errors } = openCache(directory);
  cache.set(nameOf(1), randomBytes(10));
  expect(await cache.get(nameOf(1))).toBeUndefined();
  await cache.close();
  expect(errors.length).toBeGreaterThan(0);
  await rm(directory);
  await write(directory, 1, Buffer.from('now'));
  expect(String(await cache.get(nameOf(1)))).toBe('now');
});
