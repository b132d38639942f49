import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOrMakeSecret } from './secrets.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-secrets-'));
  file = join(directory, 'data', 'deeper', 'secret');
});
afterEach(async () => await rm(directory, { recursive: true }));

const neverMade = () => {
  throw new Error('a second secret was made');
};

test('a secret is made once, and kept where only its owner may read it', async () => {
  expect(await readOrMakeSecret(file, () => 'first')).toBe('first');
  expect(await readOrMakeSecret(file, neverMade)).toBe('first');
  expect(await readFile(file, 'utf8')).toBe('first\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('first starts at once agree on one secret, and leave nothing else behind', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 20 }, (_, start) => readOrMakeSecret(file, () => `made by start ${start}`)),
  );
  expect(new Set(secrets).size).toBe(1);
  expect(`${secrets[0]}\n`).toBe(await readFile(file, 'utf8'));
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('a secret that somebody wrote is read without its white space', async () => {
  const written = join(directory, 'written');
  await writeFile(written, '  chosen \r\n\n');
  expect(await readOrMakeSecret(written, neverMade)).toBe('chosen');
});

test.each([
  ['an empty file', ''],
  ['white space', ' \n'],
])('%s is an error that names the file, and stays as it is', async (_title, content) => {
  const empty = join(directory, 'empty');
  await writeFile(empty, content);
  await expect(readOrMakeSecret(empty, () => 'new')).rejects.toThrow(`the file ${empty} holds no secret`);
  expect(await readFile(empty, 'utf8')).toBe(content);
  expect(await readdir(directory)).toEqual(['empty']);
});

test('what cannot be read is an error', async () => {
  await expect(readOrMakeSecret(directory, neverMade)).rejects.toThrow('EISDIR');
});
