import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isMistyped, isOfOtherEnvironment, isOwnShape } from '../domain/api-keys/rules.ts';
import { DEMO_COMMUNITY_ID } from '../domain/communities/prepare-demo.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const SHORTEST_SAFE_KEY = 24;
const FEWEST_CHARACTERS = 10;
const EXAMPLE = /change|secret|passw|example|admin|test|demo|1234|abcd/i;

/** Whether the operator's and the demo key are there, hard to guess, and closed to others. */
export async function checkKeys(config: Config): Promise<Finding[]> {
  const { environment, dataDir, role } = config;
  if (role === 'worker') return [ok('keys', 'a worker asks for none')];
  const findings = await checkKey({
    name: 'BADGE_ADMIN_KEY',
    given: config.adminKey,
    file: join(dataDir, 'admin-key'),
    inspectValue: inspectAdminKey,
  });
  if (config.databaseUrl !== undefined && config.adminKey === undefined) {
    findings.push(
      warning(
        'BADGE_ADMIN_KEY',
        'not set, while DATABASE_URL may be shared',
        'set it where several processes share the database: else each makes its own',
      ),
    );
  }
  if (environment === 'production') return findings;
  return [
    ...findings,
    ...(await checkKey({
      name: 'BADGE_DEMO_API_KEY',
      given: config.demoApiKey,
      file: join(dataDir, `${DEMO_COMMUNITY_ID}-api-key`),
      inspectValue: (name, key) => inspectDemoKey(name, key, environment),
    })),
  ];
}

interface KeyToCheck {
  name: string;
  given: string | undefined;
  file: string;
  inspectValue: (name: string, key: string) => Finding | null;
}

async function checkKey({ name, given, file, inspectValue }: KeyToCheck): Promise<Finding[]> {
  if (given !== undefined) return [inspectValue(name, given) ?? ok(name, 'set')];
  try {
    const { mode } = await stat(file);
    const key = (await readFile(file, 'utf8')).trim();
    if (key === '')
      return [problem(name, `${file} is empty`, 'remove it, and a new key is made at the start')];
    if ((mode & 0o077) !== 0) {
      return [problem(name, `others may read ${file}`, `chmod 600 it, and make a new key: remove the file`)];
    }
    return [inspectValue(name, key) ?? ok(name, `in ${file}, closed to others`)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [ok(name, `none yet: the first start makes ${file}`)];
    return [
      problem(name, `${file} cannot be read (${code})`, 'give it to the user that the service runs as'),
    ];
  }
}

function inspectAdminKey(name: string, key: string): Finding | null {
  const advice = 'remove it, and the next start makes one of 178 random bits in BADGE_DATA_DIR';
  if (isOwnShape(key)) {
    return isMistyped(key) || !key.startsWith('badge_admin_')
      ? warning(name, "has the shape of the service's keys, but is mistyped or of another kind", advice)
      : null;
  }
  if (EXAMPLE.test(key) || new Set(key).size < FEWEST_CHARACTERS) {
    return problem(name, 'looks like an example: it can be guessed', advice);
  }
  return key.length < SHORTEST_SAFE_KEY
    ? warning(name, `is short: ${key.length} characters`, `use ${SHORTEST_SAFE_KEY} random ones or more`)
    : null;
}

function inspectDemoKey(name: string, key: string, environment: 'sandbox' | 'production'): Finding | null {
  return isMistyped(key) || isOfOtherEnvironment(key, environment)
    ? problem(name, 'is mistyped or of another environment: every call with it is refused', 'remove it')
    : null;
}
