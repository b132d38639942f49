import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { hasKeyShape, isMistyped, isOfOtherKind } from '../domain/api-keys/rules.ts';
import { findExposedKeyFile, secretFiles } from '../secrets.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIN_SAFE_LENGTH = 24;
const MIN_DISTINCT_CHARACTERS = 10;
const EXAMPLE_WORDS = /change|secret|passw|example|admin|test|demo|1234|abcd/i;

/**
 * Checks that the operator's key is hard to guess, that the demo key is neither mistyped nor of another kind, and that other
 * users cannot read the files of these keys.
 */
export async function inspectKeys(config: Config): Promise<Finding[]> {
  if (config.role === 'worker') return [ok('keys', 'a worker needs none')];
  const { adminKeyFile, demoApiKeyFile } = secretFiles(config);
  const findings = await inspectKey({
    name: 'BADGE_ADMIN_KEY',
    value: config.adminKey,
    file: adminKeyFile,
    inspectValue: inspectAdminKey,
  });
  if (config.adminKeyFile !== undefined && (await findExposedKeyFile(config)) !== undefined) {
    findings.push(
      warning('BADGE_ADMIN_KEY_FILE', `other users can read ${config.adminKeyFile}`, 'chmod 600 the file'),
    );
  }
  if (config.databaseUrl !== undefined && config.adminKey === undefined) {
    findings.push(
      warning(
        'BADGE_ADMIN_KEY',
        'not set, and other processes may use the same DATABASE_URL',
        'if several processes share the database, set it; without it, each creates its own key',
      ),
    );
  }
  // Only the sandbox has a demo key.
  if (config.environment === 'production') return findings;
  return [
    ...findings,
    ...(await inspectKey({
      name: 'BADGE_DEMO_API_KEY',
      value: config.demoApiKey,
      file: demoApiKeyFile,
      inspectValue: inspectDemoKey,
    })),
  ];
}

interface KeySource {
  /** The variable that can contain the key. Also the name of the check. */
  name: string;
  /** The key, if the configuration contains it. Otherwise the key is in `file`. */
  value: string | undefined;
  file: string;
  /** Returns what is wrong with the key, or null. */
  inspectValue: (name: string, key: string) => Finding | null;
}

async function inspectKey({ name, value, file, inspectValue }: KeySource): Promise<Finding[]> {
  if (value !== undefined) return [inspectValue(name, value) ?? ok(name, 'set')];
  try {
    const { mode } = await stat(file);
    const key = (await readFile(file, 'utf8')).trim();
    if (key === '')
      return [problem(name, `${file} is empty`, 'delete the file; the next start creates a new key')];
    if ((mode & 0o077) !== 0) {
      return [
        problem(
          name,
          `other users can read ${file}`,
          'replace the key: delete the file; the next start creates a new one',
        ),
      ];
    }
    return [inspectValue(name, key) ?? ok(name, `in ${file}, readable only by its owner`)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [ok(name, `not created yet: the first start creates ${file}`)];
    return [problem(name, `${file} cannot be read (${code})`, 'change its owner to the user of the service')];
  }
}

function inspectAdminKey(name: string, key: string): Finding | null {
  const advice =
    'replace it with a random key; without DATABASE_URL, you can also remove it: the next start creates a random key';
  if (hasKeyShape(key)) {
    return isMistyped(key) || !key.startsWith('badge_admin_')
      ? warning(name, 'looks like a key of the service, but is mistyped or of another kind', advice)
      : null;
  }
  if (EXAMPLE_WORDS.test(key) || new Set(key).size < MIN_DISTINCT_CHARACTERS) {
    return problem(name, 'looks like an example and is easy to guess', advice);
  }
  return key.length < MIN_SAFE_LENGTH
    ? warning(
        name,
        `is only ${key.length} characters long`,
        `use at least ${MIN_SAFE_LENGTH} random characters`,
      )
    : null;
}

function inspectDemoKey(name: string, key: string): Finding | null {
  return isMistyped(key) || isOfOtherKind(key, 'sandbox')
    ? problem(name, 'is mistyped or not a sandbox key: every request with it is rejected', 'remove it')
    : null;
}
