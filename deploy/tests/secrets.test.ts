import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PODMAN_ENVIRONMENT, STATE } from './podman.ts';

// build-images.sh plants a secret in each place that could leak one: `canary…-NAME`.

const CANARY = readFileSync(join(STATE, 'canary'), 'utf8').trim();
/** Files beside the sources. */
const PLANTED = [
  'admin-key',
  'env',
  'git',
  'npmrc',
  'other-data',
  'package-admin-key',
  'package-creator-seed',
  'package-env',
  'package-env-local',
  'package-holder-seed',
  'package-keys',
  'package-npmrc',
  'package-private-key',
  'private-key',
];

/** The names of the planted secrets in the layers, the configurations and the histories of the images. */
async function findSecrets(...images: string[]): Promise<string[]> {
  const script = `set -o pipefail
    podman save --quiet --multi-image-archive "$@" | tar -xO | (grep -aoE '${CANARY}-[a-z-]+' || test $? = 1) | sort -u`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...images], {
    env: PODMAN_ENVIRONMENT,
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(CANARY.length + 1));
}

test('the search finds each planted secret, also in a layer that a later one hides', async () => {
  const found = await findSecrets('localhost/badge:leaking');
  expect(found.sort()).toEqual([...PLANTED, 'command', 'label', 'variable'].sort());
});

test('no planted secret is in the images', async () => {
  expect(await findSecrets('localhost/badge:with-postgresql', 'localhost/badge:without-postgresql')).toEqual(
    [],
  );
});
