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
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../../../service/src/testing/services.ts';
import { packSdk, SERVED_TARBALL } from '../../pack.ts';

const PACKAGE_DIR = join(import.meta.dirname, '../..');
const NODE_MODULES = join(PACKAGE_DIR, '../../node_modules');

test('the SDK that a service serves creates and claims in an empty project, with the Node of the machine', async () => {
  const project = mkdtempSync(join(tmpdir(), 'badge-sdk-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  // The SDK has no dependencies, so npm calls no registry.
  const env = { ...process.env, npm_config_audit: 'false', npm_config_cache: join(project, 'cache') };
  packSdk(SERVED_TARBALL);
  const service = await startTestService();
  onTestFinished(() => service.stop());

  execFileSync('npm', ['pack', '--pack-destination', project], { cwd: PACKAGE_DIR, env, stdio: 'pipe' });
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  const path = `/${basename(SERVED_TARBALL)}`;
  const response = await service.call(path);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes).toEqual(readFileSync(join(project, tarball)));
  expect(Buffer.from(await (await service.call('/sdk.tgz')).arrayBuffer())).toEqual(bytes);

  writeFileSync(join(project, 'package.json'), '{"private": true}');
  await promisify(execFile)('npm', ['install', `${service.url}${path}`], { cwd: project, env });
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
  copyFileSync(join(PACKAGE_DIR, 'src/testing/create-and-claim.mjs'), join(project, 'main.mjs'));
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
