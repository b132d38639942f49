import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOrCreateSecret } from './secrets.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-secrets-'));
  file = join(directory, 'data', 'deeper', 'secret');
});
afterEach(async () => await rm(directory, { recursive: true }));

const mustNotCreate = () => {
  throw new Error('a second secret was created');
};

test('creates a secret once, in a file that only its owner can read', async () => {
  expect(await readOrCreateSecret(file, () => 'first')).toBe('first');
  expect(await readOrCreateSecret(file, mustNotCreate)).toBe('first');
  expect(await readFile(file, 'utf8')).toBe('first\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('concurrent first starts read the same secret, and leave no other file', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 20 }, (_, start) => readOrCreateSecret(file, () => `created by start ${start}`)),
  );
  expect(new Set(secrets).size).toBe(1);
  expect(`${secrets[0]}\n`).toBe(await readFile(file, 'utf8'));
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('trims white space around a secret that a person wrote', async () => {
  const written = join(directory, 'written');
  await writeFile(written, '  chosen \r\n\n');
  expect(await readOrCreateSecret(written, mustNotCreate)).toBe('chosen');
});

test.each([
  ['an empty file', ''],
  ['white space', ' \n'],
])('rejects %s by naming the file, and does not change it', async (_title, content) => {
  const empty = join(directory, 'empty');
  await writeFile(empty, content);
  await expect(readOrCreateSecret(empty, () => 'new')).rejects.toThrow(`the file ${empty} is empty`);
  expect(await readFile(empty, 'utf8')).toBe(content);
  expect(await readdir(directory)).toEqual(['empty']);
});

test('throws if the file cannot be read', async () => {
  await expect(readOrCreateSecret(directory, mustNotCreate)).rejects.toThrow('EISDIR');
});
