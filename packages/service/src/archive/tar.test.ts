import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTar, openTar } from './tar.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-tar-'));
});
afterAll(async () => await rm(directory, { recursive: true }));

async function* piecesOf(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function write(name: string, files: Record<string, string[]>): Promise<string> {
  const path = join(directory, name);
  const tar = await createTar(path);
  for (const [file, pieces] of Object.entries(files)) await tar.add(file, piecesOf(...pieces));
  await tar.end();
  await tar.close();
  return path;
}

async function readAll(path: string): Promise<Record<string, string>> {
  const tar = await openTar(path);
  try {
    const texts: Record<string, string> = {};
    for (const name of tar.entries.keys()) {
      const pieces: Buffer[] = [];
      for await (const piece of tar.read(name)) pieces.push(piece);
      texts[name] = Buffer.concat(pieces).toString();
    }
    return texts;
  } finally {
    await tar.close();
  }
}

const FILES = { 'empty.ndjson': [], 'a.ndjson': ['one\n', 'two\n'], 'pictures/b': ['x'.repeat(512)] };
const TEXTS = { 'empty.ndjson': '', 'a.ndjson': 'one\ntwo\n', 'pictures/b': 'x'.repeat(512) };

test('what is written is read again, by this reader and by the tar of the system', async () => {
  const path = await write('a.tar', FILES);
  expect(await readAll(path)).toEqual(TEXTS);
  for (const [name, text] of Object.entries(TEXTS)) {
    expect(execFileSync('tar', ['-xOf', path, name]).toString()).toBe(text);
  }
  expect(await readFile(await write('b.tar', FILES))).toEqual(await readFile(path));
});

test('what the tar of the system writes is read', async () => {
  const path = join(directory, 'system.tar');
  await writeFile(join(directory, 'c'), 'text');
  execFileSync('tar', ['-cf', path, '--format=ustar', '-C', directory, 'c']);
  expect(await readAll(path)).toEqual({ c: 'text' });
});

test('a file of 8 GiB has its size as GNU tar writes it', async () => {
  const path = await write('large.tar', { large: ['x'] });
  const size = 9 * 2 ** 30;
  // The rest of the file is a hole, which needs no disk.
  await truncate(path, 512 + size);
  await using file = await open(path, 'r+');
  const header = Buffer.alloc(512);
  await file.read(header, 0, 512, 0);
  header.fill(0, 124, 136);
  header[124] = 0x80;
  header.writeBigUInt64BE(BigInt(size), 128);
  header.write('        ', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  await file.write(header, 0, 512, 0);
  await file.write(Buffer.alloc(1024), 0, 1024, 512 + size);
  const tar = await openTar(path);
  expect([...tar.entries]).toEqual([['large', { start: 512, size }]]);
  await tar.close();
  expect(execFileSync('tar', ['-tvf', path]).toString()).toContain(` ${size} `);
});

test.each([
  ['cut in a file', 1100, /^the archive is truncated in a\.ndjson$/],
  ['cut between files', 512, /^the archive is truncated: it has no end$/],
  ['empty', 0, /^the file is not an archive/],
])('an archive that is %s is refused', async (_, bytes, message) => {
  const path = await write('cut.tar', { 'first.ndjson': [], 'a.ndjson': ['x'.repeat(600)] });
  await truncate(path, bytes);
  await expect(readAll(path)).rejects.toThrow(message);
});

test('a header that was changed, another kind of file, and a name twice are refused', async () => {
  const path = await write('changed.tar', FILES);
  const bytes = await readFile(path);
  bytes[512] = (bytes[512] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await expect(readAll(path)).rejects.toThrow('the archive is damaged at byte 512');
  await writeFile(path, 'not a tar'.repeat(100));
  await expect(readAll(path)).rejects.toThrow('the file is not an archive (tar)');
  const linked = join(directory, 'linked.tar');
  execFileSync('ln', ['-s', '/etc/passwd', join(directory, 'link')]);
  execFileSync('tar', ['-cf', linked, '--format=ustar', '-C', directory, 'link']);
  await expect(readAll(linked)).rejects.toThrow('link is not a file');
  execFileSync('tar', ['-cf', linked, '--format=ustar', '--hard-dereference', '-C', directory, 'c', 'c']);
  await expect(readAll(linked)).rejects.toThrow('the archive has c twice');
});
