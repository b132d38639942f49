import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { hasKeyShape, isMistyped, isOfOtherKind } from '../domain/api-keys/rules.ts';
import { findExposedFiles, secretFiles } from '../secrets.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIN_SAFE_LENGTH = 24;
const MIN_DISTINCT_CHARACTERS = 10;
const EXAMPLE_WORDS = /change|secret|passw|example|admin|test|demo|1234|abcd/i;

/**
 * Checks that the operator's key is hard to guess, that the demo key is neither mistyped nor of another kind,
 * and that other users cannot read the files of the secrets.
 */
export async function inspectKeys(config: Config): Promise<Finding[]> {
  const exposed = (await findExposedFiles(config))
    .filter(({ variable }) => variable.endsWith('_FILE'))
    .map(({ variable, file }) => warning(variable, `other users can read ${file}`, 'chmod 600 the file'));
  if (config.role === 'worker') return [ok('keys', 'a worker needs none'), ...exposed];
  const { adminKeyFile, demoApiKeyFile } = secretFiles(config);
  const findings = await inspectKey({
    name: 'BADGE_ADMIN_KEY',
    values: config.adminKeys,
    file: adminKeyFile,
    inspectValue: inspectAdminKey,
  });
  findings.push(...exposed);
  if (config.metricsKeys.length > 0) {
    findings.push(
      ...(await inspectKey({
        name: 'BADGE_METRICS_KEY',
        values: config.metricsKeys,
        file: '',
        inspectValue: inspectMetricsKey,
      })),
    );
  }
  if (config.databaseUrl !== undefined && config.adminKeys.length === 0) {
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
      values: config.demoApiKey === undefined ? [] : [config.demoApiKey],
      file: demoApiKeyFile,
      inspectValue: inspectDemoKey,
    })),
  ];
}

interface KeySource {
  /** The variable that can contain the key. Also the name of the check. */
  name: string;
  /** The keys, if the configuration contains them. Otherwise they are in `file`. */
  values: string[];
  file: string;
  /** Returns what is wrong with the key, or null. */
  inspectValue: (name: string, key: string) => Finding | null;
}

async function inspectKey({ name, values, file, inspectValue }: KeySource): Promise<Finding[]> {
  const inspectValues = (keys: string[], found: string): Finding[] => {
    const findings = keys.flatMap((key) => inspectValue(name, key) ?? []);
    if (keys.length > 1) {
      const advice = 'when all processes and clients know the second key, remove the first';
      findings.push(warning(name, 'two keys are valid', advice));
    }
    return findings.length > 0 ? findings : [ok(name, found)];
  };
  if (values.length > 0) return inspectValues(values, 'set');
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
    return inspectValues(key.split(/\s+/), `in ${file}, readable only by its owner`);
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

function inspectMetricsKey(name: string, key: string): Finding | null {
  return EXAMPLE_WORDS.test(key) ||
    new Set(key).size < MIN_DISTINCT_CHARACTERS ||
    key.length < MIN_SAFE_LENGTH
    ? warning(name, 'is easy to guess', `use at least ${MIN_SAFE_LENGTH} random characters`)
    : null;
}

function inspectDemoKey(name: string, key: string): Finding | null {
  return isMistyped(key) || isOfOtherKind(key, 'sandbox')
    ? problem(name, 'is mistyped or not a sandbox key: every request with it is rejected', 'remove it')
    : null;
}
