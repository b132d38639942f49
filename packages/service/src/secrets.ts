import { type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, parseKey, parseKeys } from './config.ts';
import { makeKey } from './domain/api-keys/rules.ts';
import { DEMO_COMMUNITY_ID } from './domain/communities/prepare-demo.ts';
import { isExposed, readSecretFile, SECRET_BYTES, type SecretKind } from './secret-file.ts';
import type { SecretFile } from './secret-variables.ts';

export interface Secrets {
  /** Empty for a worker whose configuration has none. */
  adminKeys: string[];
  /**
   * The file in the data directory that contains the key. Undefined for a worker, and if the configuration
   * gives a key or a file.
   */
  adminKeyFile?: string;
  demoApiKey?: string;
  /**
   * Undefined for a worker, for production without a configured one, and if the sandbox cannot write its
   * file.
   */
  creatorSeed?: KeyObject;
  /** Undefined like the seed of the managed creators. */
  issuerSeed?: KeyObject;
  /** Undefined like the seed of the managed creators. */
  holderSeed?: KeyObject;
  /** Undefined for production without a configured one, and if the sandbox cannot write its file. */
  encryptionKey?: KeyObject;
}

const SEEDS = ['creatorSeed', 'issuerSeed', 'holderSeed'] as const;

/**
 * Reads the operator's key, the encryption key, the seeds and, in the sandbox, the demo key, from the
 * configuration or their files. The first start creates them; in production, only the operator's key. A
 * worker creates none, and needs the operator's key only for its metrics, so it reads only a configured one.
 */
export async function readSecrets(config: Config): Promise<Secrets> {
  const secrets: Secrets = { adminKeys: config.adminKeys };
  if (config.role === 'worker') {
    const encryptionKey = findEncryptionKey(config);
    if (encryptionKey !== null) secrets.encryptionKey = encryptionKey;
    return secrets;
  }
  const { adminKeyFile, demoApiKeyFile } = secretFiles(config);
  if (config.adminKeys.length === 0) {
    const text = await readOrCreateSecret(adminKeyFile, () => makeKey('admin'), parseKeys);
    secrets.adminKeys = parseKeys(text) ?? [];
    secrets.adminKeyFile = adminKeyFile;
  }
  if (config.environment === 'sandbox') {
    secrets.demoApiKey =
      config.demoApiKey ?? (await readOrCreateSecret(demoApiKeyFile, () => makeKey('sandbox')));
  }
  const files = secretFiles(config);
  for (const name of SEEDS) {
    const seed = config[name] ?? (await readOrCreateInSandbox(config, files[`${name}File`], 'a seed'));
    if (seed !== null) secrets[name] = seed;
  }
  const { encryptionKeyFile } = files;
  const encryptionKey =
    config.encryptionKey ?? (await readOrCreateInSandbox(config, encryptionKeyFile, 'an encryption key'));
  if (encryptionKey !== null) secrets.encryptionKey = encryptionKey;
  return secrets;
}

async function readOrCreateInSandbox(
  config: Config,
  file: string,
  kind: SecretKind,
): Promise<KeyObject | null> {
  if (config.environment === 'production') return null;
  const existing = findSecret(file, kind);
  if (existing !== null) return existing;
  try {
    await createSecretFile(file, randomBytes(SECRET_BYTES));
  } catch (error) {
    // A sandbox whose keys are configured can run on a read-only disk.
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  return findSecret(file, kind);
}

/**
 * Finds a seed: the configured one or, in the sandbox, that which it has created in its data directory. Null
 * if there is none. Creates none.
 */
export function findSeed(config: Config, name: (typeof SEEDS)[number]): KeyObject | null {
  return config[name] ?? findInSandbox(config, secretFiles(config)[`${name}File`], 'a seed');
}

/** Finds the encryption key in the same way. */
export function findEncryptionKey(config: Config): KeyObject | null {
  return (
    config.encryptionKey ?? findInSandbox(config, secretFiles(config).encryptionKeyFile, 'an encryption key')
  );
}

function findInSandbox({ environment }: Config, file: string, kind: SecretKind): KeyObject | null {
  return environment === 'production' ? null : findSecret(file, kind);
}

function findSecret(file: string, kind: SecretKind): KeyObject | null {
  try {
    return readSecretFile(file, kind);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Returns the files of the configured secrets, and of an operator's key in the data directory, that other
 * users can read.
 */
export async function findExposedFiles(config: Config): Promise<SecretFile[]> {
  const adminKeyFile = { variable: 'BADGE_ADMIN_KEY', file: secretFiles(config).adminKeyFile };
  const files = config.adminKeys.length === 0 ? [...config.secretFiles, adminKeyFile] : config.secretFiles;
  // Nobody can read a file that does not exist.
  const exposed = await Promise.all(files.map(({ file }) => stat(file).then(isExposed, () => false)));
  return files.filter((_, index) => exposed[index]);
}

/**
 * Estimates how many bits an attacker must guess at most: each character as one of the different characters
 * of the key. A key of words or of a pattern is easier to guess than this says.
 */
export function estimateKeyBits(key: string): number {
  return key.length * Math.log2(new Set(key).size);
}

/** Returns the files that contain the keys and the seeds if the configuration does not. */
export function secretFiles({ dataDir }: Config) {
  return {
    creatorSeedFile: join(dataDir, 'creator-seed'),
    issuerSeedFile: join(dataDir, 'issuer-seed'),
    holderSeedFile: join(dataDir, 'holder-seed'),
    encryptionKeyFile: join(dataDir, 'encryption-key'),
    adminKeyFile: join(dataDir, 'admin-key'),
    demoApiKeyFile: join(dataDir, `${DEMO_COMMUNITY_ID}-api-key`),
  };
}

/**
 * Reads the secret in a file, or creates the file with mode 0600. The file is complete as soon as it exists,
 * and processes that start at the same time read the same secret.
 */
export async function readOrCreateSecret(
  file: string,
  create: () => string,
  parse: (text: string) => unknown = parseKey,
): Promise<string> {
  const existing = await readSecret(file, parse);
  if (existing !== null) return existing;
  await createSecretFile(file, `${create()}\n`);
  const secret = await readSecret(file, parse);
  if (secret === null)
    throw new Error(`the file ${file} is empty; delete it to let the next start create a new key`);
  return secret;
}

// Does nothing if the file exists already.
async function createSecretFile(file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file);
    // Without this sync, the file can be missing after a crash of the machine. The next start would create
    // another key.
    await using directory = await open(dirname(file));
    await directory.sync();
  } catch (error) {
    // EEXIST means that another process has created the file in the meantime, or that the file is empty.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

async function readSecret(file: string, parse: (text: string) => unknown): Promise<string | null> {
  try {
    const secret = (await readFile(file, 'utf8')).trim() || null;
    if (secret !== null && parse(secret) === undefined) {
      throw new Error(
        `the file ${file} must contain 16 to 256 visible ASCII characters; correct it, or delete it to let the next start create a new key`,
      );
    }
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
