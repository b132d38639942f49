import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * The variables whose value is a secret, or can contain one. `NAME_FILE` can name a file that contains the
 * value.
 */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'BADGE_POOLER_URL',
  'BADGE_ADMIN_KEY',
  'BADGE_METRICS_KEY',
  'BADGE_DEMO_API_KEY',
  'BADGE_SMTP_URL',
  'BADGE_CHAIN_RPC_URLS',
  'BADGE_ENS_RPC_URL',
] as const;
// Those that can have several values, with white space between them.
const WITH_LINES: readonly string[] = ['BADGE_ADMIN_KEY', 'BADGE_METRICS_KEY'];
// Longer than any valid value.
const MAX_FILE_BYTES = 65_536;

type Environment = Record<string, string | undefined>;

/** A file that a variable names. The path is absolute. */
export interface SecretFile {
  variable: string;
  file: string;
}

export interface ResolvedEnvironment {
  /** With the content of each file as the value of its variable. */
  env: Environment;
  files: SecretFile[];
  /** Each begins with the name of a variable, and contains nothing of a file. */
  errors: string[];
}

/** Reads the files that `NAME_FILE` names. White space around the value is ignored. */
export function resolveSecretVariables(env: Environment): ResolvedEnvironment {
  // Reads of other variables reach `env`, which may observe them.
  const resolved: ResolvedEnvironment = { env: Object.create(env) as Environment, files: [], errors: [] };
  for (const name of SECRET_VARIABLES) {
    const variable = `${name}_FILE`;
    const path = env[variable];
    if (!path) continue;
    if (env[name]) {
      resolved.errors.push(`${name} and ${variable} must not both be set`);
      continue;
    }
    const file = resolve(path);
    try {
      // An assignment could reach the prototype.
      Object.defineProperty(resolved.env, name, { value: readSecretText(file, WITH_LINES.includes(name)) });
      resolved.files.push({ variable, file });
    } catch (error) {
      resolved.errors.push(`${variable} cannot be used: ${(error as Error).message}`);
    }
  }
  return resolved;
}

/** Says for each error about a value that it is in a file, if it is. */
export function nameFiles(errors: string[], files: SecretFile[]): string[] {
  return errors.map((error) => {
    const source = files.find(({ variable }) => error.startsWith(`${variable.replace(/_FILE$/, '')} `));
    return source === undefined ? error : `${source.variable}: ${error}`;
  });
}

function readSecretText(file: string, mayHaveLines: boolean): string {
  const stats = statSync(file);
  if (!stats.isFile()) throw new Error(`${file} is not a file`);
  if (stats.size > MAX_FILE_BYTES) throw new Error(`${file} has more than ${MAX_FILE_BYTES} bytes`);
  const text = readFileSync(file, 'utf8').trim();
  if (text === '') throw new Error(`${file} is empty`);
  // A URL would be read as if its lines were one.
  if (!mayHaveLines && /[\r\n]/.test(text)) throw new Error(`${file} has more than one line`);
  return text;
}
