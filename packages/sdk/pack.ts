import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_DIR = import.meta.dirname;

/** Where the service finds the tarball, with the files of the web pages. */
export const SERVED_TARBALL = join(PACKAGE_DIR, '../web/dist/sdk.tgz');

/** Builds the package, and packs it into this file, as `npm pack` does. */
export function packSdk(file: string): void {
  const directory = mkdtempSync(join(PACKAGE_DIR, 'dist-'));
  try {
    // npm prints the name of the file, which an install should not show.
    execFileSync('npm', ['pack', PACKAGE_DIR, '--pack-destination', directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, npm_config_loglevel: 'error' },
    });
    const [name = ''] = readdirSync(directory);
    renameSync(join(directory, name), file);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

if (import.meta.main) packSdk(SERVED_TARBALL);
