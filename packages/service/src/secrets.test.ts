import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { makeKey } from './domain/api-keys/rules.ts';
import { estimateKeyBits, findExposedFiles, readOrCreateSecret } from './secrets.ts';

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

test('readOrCreateSecret creates a secret once, in a file that only its owner can read', async () => {
  expect(await readOrCreateSecret(file, () => 'first-first-first-first')).toBe('first-first-first-first');
  expect(await readOrCreateSecret(file, mustNotCreate)).toBe('first-first-first-first');
  expect(await readFile(file, 'utf8')).toBe('first-first-first-first\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('concurrent calls of readOrCreateSecret return the same secret, and leave no other file', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 20 }, (_, start) => readOrCreateSecret(file, () => `created-by-the-start-${start}`)),
  );
  expect(new Set(secrets).size).toBe(1);
  expect(`${secrets[0]}\n`).toBe(await readFile(file, 'utf8'));
  expect(await readdir(join(file, '..'))).toEqual(['secret']);
});

test('readOrCreateSecret trims white space around a secret that a person wrote', async () => {
  const written = join(directory, 'written');
  await writeFile(written, '  chosen-chosen-chosen \r\n\n');
  expect(await readOrCreateSecret(written, mustNotCreate)).toBe('chosen-chosen-chosen');
});

test.each([
  ['no content', ''],
  ['only white space', ' \n'],
])(
  'readOrCreateSecret rejects a file with %s, names it in the error, and does not change it',
  async (_title, content) => {
    const empty = join(directory, 'empty');
    await writeFile(empty, content);
    await expect(readOrCreateSecret(empty, () => 'new')).rejects.toThrow(`the file ${empty} is empty`);
    expect(await readFile(empty, 'utf8')).toBe(content);
    expect(await readdir(directory)).toEqual(['empty']);
  },
);

test.each(['too-short', 'k'.repeat(257), 'sixteen letters and more'])(
  'readOrCreateSecret rejects a file that contains %j, without the content in the error',
  async (content) => {
    const written = join(directory, 'written');
    await writeFile(written, content);
    const reading = readOrCreateSecret(written, mustNotCreate);
    await expect(reading).rejects.toThrow(
      `the file ${written} must contain 16 to 256 visible ASCII characters; correct it`,
    );
    await expect(reading).rejects.not.toThrow(content);
  },
);

// A file of root may be readable by its group, but this user owns the file unless it is root.
test.each([
  ['0600', false],
  ['0640', true],
  ['0604', true],
])('findExposedFiles regards a file with the mode %s as exposed: %s', async (mode, isExposed) => {
  const file = join(directory, 'admin-key');
  await writeFile(file, 'k'.repeat(20));
  await chmod(file, Number.parseInt(mode, 8));
  const find = async (env: Record<string, string>) =>
    await findExposedFiles(readConfig({ BADGE_DATA_DIR: directory, ...env }));
  expect(await find({})).toEqual(isExposed ? [{ variable: 'BADGE_ADMIN_KEY', file }] : []);
  const variable = 'BADGE_DEMO_API_KEY_FILE';
  const env = { BADGE_ADMIN_KEY: 'a'.repeat(20), [variable]: file };
  expect(await find(env)).toEqual(isExposed ? [{ variable, file }] : []);
  expect(await find({ BADGE_ADMIN_KEY: 'a'.repeat(20) })).toEqual([]);
});

test('readOrCreateSecret throws if the file cannot be read', async () => {
  await expect(readOrCreateSecret(directory, mustNotCreate)).rejects.toThrow('EISDIR');
});

test.each([
  ['a'.repeat(256), 0],
  ['ab'.repeat(8), 16],
  ['passwordpassword', 44.9],
  ['0123456789abcdef', 64],
])('estimateKeyBits estimates %j as %d bits', (key, bits) => {
  expect(estimateKeyBits(key)).toBeCloseTo(bits, 1);
});

test('estimateKeyBits estimates a generated key as far more than 64 bits', () => {
  for (let count = 0; count < 1_000; count += 1)
    expect(estimateKeyBits(makeKey('admin'))).toBeGreaterThan(150);
});
