import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { readSecretFile } from './secret-file.ts';
import { readSecrets } from './secrets.ts';

const CONTRACT = '0x2000000000000000000000000000000000000002';
let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-seed-'));
  file = join(directory, 'creator-seed');
});
afterEach(async () => await rm(directory, { recursive: true }));

const read = (path = file) => readSecretFile(path, 'a seed');
const write = (content: string | Buffer, mode = 0o600) => writeFile(file, content, { mode });

test('a secret is the 32 bytes of a file, which may be a symbolic link', async () => {
  const seed = randomBytes(32);
  await write(seed, 0o400);
  const link = join(directory, 'link');
  await symlink(file, link);
  for (const path of [file, link]) expect(read(path).export()).toEqual(seed);
});

test('the command in the advice creates a valid secret', async () => {
  await write('');
  let message = '';
  try {
    read();
  } catch (error) {
    message = String(error);
  }
  const command = /\(umask .*?\)/.exec(message)?.[0].replace('FILE', 'made') ?? '';
  execFileSync('sh', ['-c', command], { cwd: directory });
  expect(read(join(directory, 'made')).symmetricKeySize).toBe(32);
});

test.each<[string, Buffer, string]>([
  ['no bytes', Buffer.alloc(0), 'has 0 bytes, but a seed has 32'],
  ['31 bytes', randomBytes(31), 'has 31 bytes, but a seed has 32'],
  ['33 bytes', randomBytes(33), 'has 33 bytes, but a seed has 32'],
  ['64 hex digits', Buffer.from(randomBytes(32).toString('hex')), 'has 64 bytes, but a seed has 32'],
  ['a large file', Buffer.alloc(100_000, 'x'), 'has 100000 bytes, but a seed has 32'],
  ['32 hex digits', Buffer.from(randomBytes(16).toString('hex')), 'has a text or a pattern'],
  ['a password', Buffer.from('correct-horse-battery-staple-123'), 'has a text or a pattern'],
  ['32 zeros', Buffer.alloc(32), 'has a text or a pattern'],
  [
    '15 different bytes',
    Buffer.from(Array.from({ length: 32 }, (_, i) => i % 15)),
    'has a text or a pattern',
  ],
])('a file with %s is refused, without its content in the error', async (_title, content, problem) => {
  await write(content);
  expect(() => read()).toThrow(`${file} ${problem}`);
  if (content.length > 0) expect(() => read()).not.toThrow(content.toString('latin1'));
});

test.each([0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])(
  'a file with the mode %o is refused',
  async (mode) => {
    await write(randomBytes(32));
    await chmod(file, mode);
    expect(() => read()).toThrow(`other users can read ${file}, or can change it`);
  },
);

test.runIf(process.getuid?.() === 0).each([
  [0o440, true],
  [0o640, true],
  [0o644, false],
  [0o660, false],
])('another user than root may use a file of root with the mode %o: %s', async (mode, isAllowed) => {
  await write(randomBytes(32));
  await chmod(file, mode);
  const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(1_000);
  onTestFinished(() => geteuid.mockRestore());
  if (isAllowed) expect(read().symmetricKeySize).toBe(32);
  else expect(() => read()).toThrow('other users can read');
});

test('a directory and a missing file are refused', () => {
  expect(() => read(directory)).toThrow(`${directory} is not a file`);
  expect(() => read()).toThrow('ENOENT');
});

test('the error names the kind of the secret', async () => {
  await write('short');
  expect(() => readSecretFile(file, 'an encryption key')).toThrow(
    `${file} has 5 bytes, but an encryption key has`,
  );
});

describe('BADGE_ENCRYPTION_KEY_FILE', () => {
  test('is read for every role, and nothing is created beside it', async () => {
    const key = randomBytes(32);
    await write(key);
    for (const role of ['all', 'api', 'worker']) {
      const config = readConfig({
        BADGE_ENCRYPTION_KEY_FILE: file,
        BADGE_ROLE: role,
        BADGE_DATA_DIR: join(directory, 'data'),
        BADGE_ADMIN_KEY: 'k'.repeat(20),
      });
      expect(config.encryptionKey?.export()).toEqual(key);
      expect((await readSecrets(config)).encryptionKey?.export()).toEqual(key);
    }
    await expect(stat(join(directory, 'data', 'encryption-key'))).rejects.toThrow('ENOENT');
  });

  test('with a wrong file is an error of the configuration', async () => {
    await write('x'.repeat(32));
    expect(() => readConfig({ BADGE_ENCRYPTION_KEY_FILE: file })).toThrow(
      `BADGE_ENCRYPTION_KEY_FILE cannot be used: ${file} has a text or a pattern`,
    );
  });
});

describe.each([
  ['BADGE_CREATOR_SEED_FILE', 'creatorSeed'],
  ['BADGE_ISSUER_SEED_FILE', 'issuerSeed'],
  ['BADGE_HOLDER_SEED_FILE', 'holderSeed'],
] as const)('%s', (name, field) => {
  test('is read for every role but that of a worker', async () => {
    const seed = randomBytes(32);
    await write(seed);
    for (const role of ['all', 'api']) {
      const config = readConfig({ [name]: file, BADGE_ROLE: role });
      expect(config[field]?.export()).toEqual(seed);
    }
    await rm(file);
    const worker = readConfig({ [name]: file, BADGE_ROLE: 'worker' });
    expect(worker[field]).toBeUndefined();
  });

  test('with a wrong file is an error of the configuration, together with others, and nothing is created', async () => {
    const env = { [name]: file, PORT: 'x', BADGE_DATA_DIR: directory };
    const read = () => readConfig(env);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`PORT must be .*${name} cannot be used: ENOENT`));
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('the sandbox', () => {
  const env = () => ({ BADGE_DATA_DIR: join(directory, 'data') });
  const seedFile = () => join(directory, 'data', 'creator-seed');
  const issuerSeedFile = () => join(directory, 'data', 'issuer-seed');
  const holderSeedFile = () => join(directory, 'data', 'holder-seed');
  const keyFile = () => join(directory, 'data', 'encryption-key');

  test('creates three seeds and a key, which 20 concurrent starts share, in files that only their owner can read', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readSecrets(readConfig(env()))));
    const seeds = new Set(secrets.map(({ creatorSeed }) => creatorSeed?.export().toString('hex')));
    expect(seeds).toEqual(new Set([(await readFile(seedFile())).toString('hex')]));
    const keys = new Set(secrets.map(({ encryptionKey }) => encryptionKey?.export().toString('hex')));
    expect(keys).toEqual(new Set([(await readFile(keyFile())).toString('hex')]));
    expect(keys).not.toEqual(seeds);
    const issuerSeeds = new Set(secrets.map(({ issuerSeed }) => issuerSeed?.export().toString('hex')));
    expect(issuerSeeds).toEqual(new Set([(await readFile(issuerSeedFile())).toString('hex')]));
    expect(issuerSeeds).not.toEqual(seeds);
    const holderSeeds = new Set(secrets.map(({ holderSeed }) => holderSeed?.export().toString('hex')));
    expect(holderSeeds).toEqual(new Set([(await readFile(holderSeedFile())).toString('hex')]));
    expect([seeds, issuerSeeds]).not.toContainEqual(holderSeeds);
    for (const path of [seedFile(), issuerSeedFile(), holderSeedFile(), keyFile()])
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(join(directory, 'data'))).sort()).toEqual([
      'admin-key',
      'creator-seed',
      'demo-api-key',
      'encryption-key',
      'holder-seed',
      'issuer-seed',
    ]);
  });

  test('lets a worker use the encryption key in the same directory, and no worker creates one', async () => {
    const worker = () => readConfig({ ...env(), BADGE_ROLE: 'worker' });
    expect((await readSecrets(worker())).encryptionKey).toBeUndefined();
    await expect(stat(keyFile())).rejects.toThrow('ENOENT');
    const { encryptionKey } = await readSecrets(readConfig(env()));
    expect((await readSecrets(worker())).encryptionKey?.export()).toEqual(encryptionKey?.export());
  });

  test('creates none if one is configured, and never replaces a wrong one', async () => {
    await write(randomBytes(32));
    await readSecrets(readConfig({ ...env(), BADGE_CREATOR_SEED_FILE: file }));
    await expect(stat(seedFile())).rejects.toThrow('ENOENT');
    await rm(keyFile());
    await writeFile(keyFile(), 'damaged', { mode: 0o600 });
    await expect(readSecrets(readConfig({ ...env(), BADGE_CREATOR_SEED_FILE: file }))).rejects.toThrow(
      `${keyFile()} has 7 bytes`,
    );
    await writeFile(seedFile(), 'damaged', { mode: 0o600 });
    await expect(readSecrets(readConfig(env()))).rejects.toThrow(`${seedFile()} has 7 bytes`);
    expect(await readFile(seedFile(), 'utf8')).toBe('damaged');
  });
});

test('production and workers create no secret; production does not use those of the sandbox', async () => {
  await mkdir(join(directory, 'data'));
  for (const name of ['creator-seed', 'issuer-seed', 'holder-seed', 'encryption-key']) {
    await writeFile(join(directory, 'data', name), randomBytes(32), { mode: 0o600 });
  }
  for (const data of ['data', 'empty']) {
    const env = { BADGE_DATA_DIR: join(directory, data), BADGE_ADMIN_KEY: 'k'.repeat(20) };
    const production = { ...env, BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: CONTRACT };
    for (const variables of [production, { ...env, BADGE_ROLE: 'worker' }]) {
      const { creatorSeed, issuerSeed, holderSeed, encryptionKey } = await readSecrets(readConfig(variables));
      expect(creatorSeed).toBeUndefined();
      expect(issuerSeed).toBeUndefined();
      expect(holderSeed).toBeUndefined();
      if (variables === production) expect(encryptionKey).toBeUndefined();
    }
  }
  expect(await readdir(directory)).toEqual(['data']);
});
