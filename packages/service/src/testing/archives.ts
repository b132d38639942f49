import { execFile } from 'node:child_process';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportInstallation } from '../archive/export-installation.ts';
import { importInstallation } from '../archive/import-installation.ts';
import type { Manifest } from '../archive/manifest.ts';
import type { Noun } from '../archive/nouns.ts';
import { type Config, readConfig } from '../config.ts';

export const KEY_FILES = ['creator-seed', 'issuer-seed', 'holder-seed', 'encryption-key'];
export const SILENT = { report: () => undefined };

/** Creates a data directory with the keys of another one. */
export async function carryKeys(fromDir: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-archive-'));
  for (const name of KEY_FILES) await copyFile(join(fromDir, name), join(dataDir, name));
  return dataDir;
}

export function configOf(dataDir: string, databaseUrl: string): Config {
  return readConfig({ LOG_LEVEL: 'silent', BADGE_DATA_DIR: dataDir, DATABASE_URL: databaseUrl });
}

export async function exportTo(file: string, config: Config): Promise<Manifest> {
  return await exportInstallation(config, file, { progress: SILENT });
}

export async function importFrom(file: string, config: Config): Promise<Manifest> {
  return await importInstallation(config, file, { progress: SILENT });
}

/** SQL: the condition of the rows of a table that an archive has. */
export function withoutLeftOut({ notIn }: Noun): string {
  if (notIn === undefined) return '';
  const { table, column } = notIn;
  return `where ${column} not in (select ${column} from ${table} where ${column} is not null)`;
}

const run = promisify(execFile);

/** Reads a file of an archive with the system's tar. */
export async function readWithTar(archive: string, name: string): Promise<string> {
  return (await run('tar', ['-xOf', archive, name], { maxBuffer: 2 ** 30 })).stdout;
}

export async function listWithTar(archive: string): Promise<string[]> {
  return (await run('tar', ['-tf', archive], { maxBuffer: 2 ** 30 })).stdout.trim().split('\n');
}
