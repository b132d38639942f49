import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const PACKAGE_DIR = import.meta.dirname;

const SERVED_DIR = join(PACKAGE_DIR, '../web/dist');
const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
  version: string;
};

/** Where the service finds the tarball, with the files of the web pages. */
export const SERVED_TARBALL = join(SERVED_DIR, `sdk-${version}.tgz`);

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

/** Copies the tarballs of earlier releases, so that projects can still install them after an upgrade. */
function copyReleases(): void {
  for (const file of globSync(join(PACKAGE_DIR, 'releases/*.tgz'))) {
    const served = join(SERVED_DIR, basename(file));
    if (served === SERVED_TARBALL && !readFileSync(served).equals(readFileSync(file)))
      throw new Error(`version ${version} of the SDK is released and cannot change: raise the version`);
    copyFileSync(file, served);
  }
}

if (import.meta.main) {
  packSdk(SERVED_TARBALL);
  copyReleases();
}
