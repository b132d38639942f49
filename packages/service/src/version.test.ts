import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from './version.ts';

const ROOT = join(import.meta.dirname, '../../..');
const readRootFile = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('every file of the release names the same version', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  // It stands in for another package, in a version that this one never had.
  const exclude = ['packages/no-elliptic/**'];
  for (const file of ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT, exclude })]) {
    const { version, dependencies, devDependencies } = JSON.parse(readRootFile(file));
    expect(version, file).toBe(VERSION);
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@badge/')) expect(range, `${name} in ${file}`).toBe(VERSION);
    }
  }
  expect(/^## (?!Unreleased)\[?(\d[^\s\]]*)/m.exec(readRootFile('CHANGELOG.md'))?.[1]).toBe(VERSION);
  expect(/^ARG VERSION=(.+)$/m.exec(readRootFile('Dockerfile'))?.[1]).toBe(VERSION);
});
