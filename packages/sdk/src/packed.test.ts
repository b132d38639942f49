// @module-tag slow
import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../../service/src/testing/services.ts';

const PACKAGE_DIR = join(import.meta.dirname, '..');
const NODE_MODULES = join(PACKAGE_DIR, '../../node_modules');

test('the packed SDK creates and claims in an empty project, with the Node of the machine', async () => {
  const project = mkdtempSync(join(tmpdir(), 'badge-sdk-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false' };
  execFileSync('npm', ['pack', '--pack-destination', project], { cwd: PACKAGE_DIR, env, stdio: 'pipe' });
  const [tarball = ''] = readdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  // The SDK has no dependencies, so npm needs no registry.
  execFileSync('npm', ['install', `./${tarball}`], { cwd: project, env, stdio: 'pipe' });
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@badge',
  ]);

  const installed = join(project, 'node_modules/@badge/sdk');
  const description = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(description).not.toHaveProperty('dependencies');
  for (const file of readdirSync(join(installed, 'dist'))) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8');
    expect([...text.matchAll(/^(?:import|export) .*from ['"]([^.'"][^'"]*)/gm)], file).toEqual([]);
  }

  for (const name of ['viem', 'ethers'])
    symlinkSync(join(NODE_MODULES, name), join(project, 'node_modules', name));
  copyFileSync(join(import.meta.dirname, 'testing/create-and-claim.mjs'), join(project, 'main.mjs'));
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const { stdout } = await promisify(execFile)('node', ['main.mjs'], {
    cwd: project,
    env: { PATH: pathOfMachine(), BADGE_URL: service.url, BADGE_API_KEY: service.apiKey },
  });
  expect(stdout.trim().split('\n')).toEqual([
    'viem account: 0 claims left',
    'ethers signer: 0 claims left',
    'EIP-1193 provider: 0 claims left',
    expect.stringMatching(/^Node \d+$/),
  ]);
}, 120_000);

/** PATH without the folders of npm, so that `node` is not the Node that `npm ci` installs. */
function pathOfMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}
