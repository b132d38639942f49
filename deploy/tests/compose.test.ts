import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, setDefaultCACertificates } from 'node:tls';
import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../packages/sdk/src/index.ts';
import { createCompose, readComposeFile } from './compose.ts';
import { HAS_PREVIOUS, inspect, podman, STATE, waitUntil } from './podman.ts';

// Each test continues with what the tests before it have left.

const HOST = 'badge.test';
const URL = `https://${HOST}`;
const VARIABLES = {
  BADGE_HOST: HOST,
  BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
  BADGE_IMAGE: HAS_PREVIOUS ? 'localhost/badge:previous' : 'localhost/badge:without-postgresql',
};
const PEBBLE_CERTIFICATE = join(STATE, 'pebble.pem');
const file = readComposeFile(VARIABLES);
const compose = createCompose(file, {
  certificates: [
    ...['--add-host', 'pebble.test:172.31.77.1', '--env', 'REQUESTS_CA_BUNDLE=/pebble.pem'],
    ...['--volume', `${PEBBLE_CERTIFICATE}:/pebble.pem:ro`],
  ],
});
const signer = newWallet();
let adminKey: string;
let apiKey: string;
let badge: BadgeClient;

beforeAll(async () => {
  const options = `-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=pebble.test -addext subjectAltName=DNS:pebble.test`;
  const files = ['-keyout', join(STATE, 'pebble-key.pem'), '-out', PEBBLE_CERTIFICATE];
  execFileSync('openssl', ['req', ...options.split(' '), ...files], { stdio: 'ignore' });
  await compose.createNetworks();
});
afterAll(async () => {
  await podman('rm', '--force', '--ignore', '--time', '0', ...Object.keys(file.services));
});

/** Sends a request as the operator. */
async function send<T>(path: string, body: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' };
  const response = await fetch(URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

async function createToken(headline: string, client = badge) {
  const token = { signer, communityId: 'my-dao', nftTypeId: 'defaultOrangeRed', totalClaimCount: 1 };
  return await client.createToken({ ...token, headline });
}

/** The name of the authority that signed nginx's certificate, and the certificate's serial number. */
async function readCertificate(): Promise<{ issuer: string; serialNumber: string }> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port: 443, servername: HOST, rejectUnauthorized: false }, () => {
      const { issuer, serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ issuer: String(issuer.CN), serialNumber });
    });
    socket.on('error', reject);
  });
}

test.each(['BADGE_HOST', 'BADGE_VERIFYING_CONTRACT'])('without %s, Compose names it', (name) => {
  expect(() => readComposeFile({ ...VARIABLES, [name]: '' })).toThrow(name);
});

test('the set-up starts with a local certificate, and serves the SDK over TLS', async () => {
  await compose.up(...Object.keys(file.services));
  for (const name of ['api-1', 'api-2', 'worker']) {
    await compose.waitUntilHealthy(name);
  }
  expect((await readCertificate()).issuer).toBe(HOST);
  setDefaultCACertificates([await podman('exec', 'nginx', 'cat', '/certificates/fullchain.pem')]);
  adminKey = await podman('exec', 'api-1', 'cat', '/keys/admin-key');
  await send('/v1/communities', { uniqId: 'my-dao', displayId: 'my-dao', name: 'My DAO' });
  ({ apiKey } = await send<{ apiKey: string }>('/v1/communities/my-dao/apiKeys', { name: 'our backend' }));
  badge = createBadgeClient({ url: URL, apiKey });
  const { tokenId } = await (await createToken('First')).wait();
  expect(tokenId).toBe(1);
});

test('nginx redirects HTTP, and does not pass on /metrics', async () => {
  const response = await fetch(`http://${HOST}/healthz`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([301, `${URL}/healthz`]);
  expect((await fetch(`${URL}/metrics`)).status).toBe(403);
});

test('the metrics key reads the metrics of each process, which know the last backup', async () => {
  const key = await podman('exec', 'api-1', 'cat', '/keys/metrics-key');
  expect(key).not.toBe(adminKey);
  for (const address of ['172.31.77.11', '172.31.77.12', '172.31.77.13']) {
    await waitUntil(`${address} knows of a good backup`, async () => {
      const headers = { Authorization: `Bearer ${key}` };
      const metrics = await (await fetch(`http://${address}:3000/metrics`, { headers })).text();
      return /^badge_backup_last_success_timestamp_seconds [1-9]/m.test(metrics);
    });
  }
});

/** The commit that the label of a container names. */
async function readRevision(container: string): Promise<string | undefined> {
  const { Config } = await inspect<{ Config: { Labels: Record<string, string> } }>(container);
  return Config.Labels['org.opencontainers.image.revision'];
}

function revisionOf(commit: string): string {
  return execFileSync('git', ['rev-parse', commit], { encoding: 'utf8' }).trim();
}

const REPLACED = HAS_PREVIOUS
  ? 'an upgrade from the commit before'
  : 'a replacement of each process (there is no commit before)';
test(`${REPLACED} loses no request beyond one retry`, async () => {
  /** What each creation got: the bodies of its responses, or why there was none. */
  const attempts = new Map<string, string[]>();
  const counting = createBadgeClient({
    url: URL,
    apiKey: (await send<{ apiKey: string }>('/v1/communities/my-dao/apiKeys', { name: 'upgrade' })).apiKey,
    async fetch(url, init) {
      const key = new Headers(init?.headers).get('Idempotency-Key');
      const response = await fetch(url, init).catch((error: unknown) => error);
      const result = response instanceof Response ? await response.clone().text() : String(response);
      if (key !== null) attempts.set(key, [...(attempts.get(key) ?? []), result]);
      if (response instanceof Response) return response;
      throw response;
    },
  });
  // Takes effect when the processes are replaced.
  await compose.run('prepare', '0', 'sh', '-c', 'rm /keys/admin-key && sh /prepare.sh');
  let isOver = false;
  const created = (async () => {
    const operations: Awaited<ReturnType<typeof createToken>>[] = [];
    while (!isOver) {
      operations.push(await createToken(`During the upgrade ${operations.length}`, counting));
      // At most twenty requests a second, so that the load does not slow down the processes that start.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return operations;
  })();
  for (const name of ['api-1', 'api-2', 'worker']) {
    if (HAS_PREVIOUS) expect(await readRevision(name)).toBe(revisionOf('HEAD~1'));
    await compose.replace(name, 'localhost/badge:without-postgresql');
    expect(await readRevision(name)).toBe(revisionOf('HEAD'));
  }
  isOver = true;
  const operations = await created;
  expect(operations.length).toBeGreaterThan(10);
  for (const operation of operations) await operation.wait();
  expect([...attempts.values()].filter(({ length }) => length > 2)).toEqual([]);
});

test('another operator key took effect with the replacement of the processes', async () => {
  const before = adminKey;
  adminKey = await podman('exec', 'api-2', 'cat', '/keys/admin-key');
  expect(adminKey).toMatch(/^[0-9a-f]{64}$/);
  expect(adminKey).not.toBe(before);
  expect(await send('/v1/communities/my-dao/apiKeys', { name: 'after' })).toHaveProperty('apiKey');
  const headers = { Authorization: `Bearer ${before}` };
  expect((await fetch(`${URL}/v1/communities/my-dao/apiKeys`, { headers })).status).toBe(401);
});

test('a container that is killed loses no accepted operation', async () => {
  const operation = await createToken('Accepted before the kill');
  for (const name of ['worker', 'api-1']) {
    await podman('kill', '--signal', 'KILL', name);
    await podman('start', name);
  }
  await compose.waitUntilHealthy('worker');
  await compose.waitUntilHealthy('api-1');
  await expect(operation.wait()).resolves.toHaveProperty('tokenId');
});

/** The names of the secrets that `podman inspect` shows for these containers, or that they have logged. */
async function findShown(secrets: Record<string, string>, ...containers: string[]): Promise<string[]> {
  const logs = await Promise.all(containers.map((name) => podman('logs', name)));
  const shown = [await podman('inspect', ...containers), ...logs].join('\n');
  expect(shown).toContain(containers[0]);
  return Object.keys(secrets).filter((name) => shown.includes(secrets[name] ?? ''));
}

test('no secret of the set-up is in what inspect shows, or in a log', async () => {
  const privateKey = await podman('exec', 'nginx', 'cat', '/certificates/privkey.pem');
  const secrets = { adminKey, apiKey, privateKey: privateKey.split('\n')[1] ?? '' };
  for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThan(20);
  const containers = Object.keys(file.services);
  expect(containers.length).toBeGreaterThan(7);
  expect(await findShown(secrets, ...containers)).toEqual([]);
  // The search finds them in a container that gets them in variables and arguments, and in one that logs one.
  const image = 'localhost/badge:without-postgresql';
  const entrypoint = ['--network', 'none', '--entrypoint', 'echo'];
  const variable = ['--env', `BADGE_ADMIN_KEY=${adminKey}`];
  await podman('create', '--name', 'leaking', ...variable, ...entrypoint, image, secrets.privateKey);
  await podman('run', '--name', 'logging', ...entrypoint, '--env', `KEY=${apiKey}`, image, apiKey);
  expect(await findShown(secrets, 'leaking')).toEqual(['adminKey', 'privateKey']);
  expect(await findShown({ apiKey }, 'logging')).toEqual(['apiKey']);
  await podman('rm', 'leaking', 'logging');
});

test('an ACME authority gives a certificate, and renews it', async () => {
  const config = {
    listenAddress: '0.0.0.0:14000',
    managementListenAddress: '0.0.0.0:15000',
    certificate: PEBBLE_CERTIFICATE,
    privateKey: join(STATE, 'pebble-key.pem'),
    httpPort: 80,
    tlsPort: 443,
    // Shorter than the time before the end at which certbot renews, so that every start renews.
    certificateValidityPeriod: 86_400,
  };
  writeFileSync(join(STATE, 'pebble.json'), JSON.stringify({ pebble: config }));
  const pebble = spawn('pebble', ['-config', join(STATE, 'pebble.json')], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    stdio: 'ignore',
  });
  onTestFinished(() => {
    pebble.kill();
  });
  await compose.stop('certificates');
  const { certificates } = file.services;
  Object.assign(certificates?.environment ?? {}, {
    BADGE_ACME_EMAIL: 'operator@badge.test',
    BADGE_ACME_SERVER: 'https://pebble.test:14000/dir',
  });
  await compose.up('certificates');
  await waitUntil('nginx has the certificate of the authority', async () =>
    (await readCertificate()).issuer.startsWith('Pebble'),
  );
  const first = await readCertificate();
  await podman('restart', '--time', '1', 'certificates');
  await waitUntil('nginx has a new certificate', async () => {
    const { issuer, serialNumber } = await readCertificate();
    return issuer.startsWith('Pebble') && serialNumber !== first.serialNumber;
  });
  setDefaultCACertificates([readFileSync(PEBBLE_CERTIFICATE, 'utf8')]);
  const root = await (await fetch('https://pebble.test:15000/roots/0')).text();
  setDefaultCACertificates([root]);
  expect((await fetch(`${URL}/healthz`)).status).toBe(200);
});

test('a backup is restored to a point in time', async () => {
  const psql = (sql: string) =>
    podman('exec', '--user', 'postgres', 'postgresql', 'psql', '-qAt', '-d', 'postgres', '-c', sql);
  await waitUntil('there is a backup', async () =>
    (await podman('logs', 'backup')).includes('backed up to /backup/base/'),
  );
  const kept = await (await createToken('Before the time')).wait();
  const time = await psql('select clock_timestamp()');
  const lost = await (await createToken('After the time')).wait();
  for (const name of ['api-1', 'api-2', 'worker', 'backup']) await compose.stop(name);
  await psql('select pg_switch_wal()');
  await waitUntil('the last WAL is archived', async () => {
    const count = await psql("select count(*) from pg_ls_archive_statusdir() where name like '%.ready'");
    return count === '0';
  });
  await compose.stop('postgresql');
  await compose.run('postgresql', 'postgres', '/etc/badge/restore.sh', time, '/var/lib/postgresql/data');
  await compose.up('api-1', 'api-2', 'worker');
  await compose.waitUntilHealthy('api-1');
  await expect(badge.getToken({ tokenId: kept.tokenId })).resolves.toMatchObject({
    headline: 'Before the time',
  });
  await expect(badge.getToken({ tokenId: lost.tokenId })).rejects.toThrow();
  expect((await (await createToken('After the restore')).wait()).tokenId).toBe(lost.tokenId);
});
