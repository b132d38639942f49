import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Badge, bakeCredential, signBadge, signStatusList, toDidKey } from '@badge/credentials/issue';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { stderr } from '../output.ts';
import { runCli } from './cli.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const did = toDidKey(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const signBytes = (bytes: Uint8Array) => sign(null, bytes, privateKey);
const TIME = '2026-01-02T03:04:05Z';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let directory: string;
let server: Server;
let url: string;
let revokedIndexes: number[] = [];
let output = '';
let requestCount = 0;
let isRedirected = false;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-verify-'));
  server = createServer(async (request, response) => {
    requestCount += 1;
    if (isRedirected) response.writeHead(302, { Location: `${url}/keys` }).end();
    else if (request.url === '/keys') response.end(JSON.stringify({ data: [{ did }] }));
    else if (request.url === '/list')
      response.end(
        await signStatusList(
          { url: `${url}/list`, did, validFrom: TIME, created: TIME, revokedIndexes },
          signBytes,
        ),
      );
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  output = '';
  const print = (text: unknown) => {
    output += text;
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(stderr, 'write').mockImplementation(print);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  revokedIndexes = [];
  isRedirected = false;
});

async function writeCredential(
  name: string,
  change: (credential: string) => string | Uint8Array,
  narrative = 'Gave a talk.',
): Promise<string> {
  const badge: Badge = {
    id: 'urn:uuid:ca98bd9f-bec4-41be-8375-bc1ca12176fd',
    validFrom: TIME,
    created: TIME,
    issuer: { did, name: 'My DAO', pictureUrl: null },
    subjectId: 'did:pkh:eip155:137:0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    startDate: null,
    endDate: null,
    achievement: {
      id: `${url}/1`,
      name: 'Speaker \u001b[31m',
      description: 'A talk',
      narrative,
      picture: { url: `${url}/1.png`, mediaType: 'image/png', digest: Buffer.alloc(32).toString('base64') },
    },
    results: [{ name: 'track', value: 'web' }],
    status: { listUrl: `${url}/list`, index: 7 },
  };
  const file = join(directory, name);
  await writeFile(file, change(await signBadge(badge, signBytes)));
  return file;
}

test('a valid credential, alone or in a picture, is 0, and the output says what it is', async () => {
  const json = await writeCredential('valid.json', (credential) => credential);
  expect(await runCli(['verify', json])).toBe(0);
  expect(output).toMatch(/^VALID: /);
  for (const text of [
    'A talk',
    'Gave a talk.',
    'track: web',
    '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044 (chain 137)',
    did,
  ])
    expect(output).toContain(text);
  expect(output).toContain('says that it is "My DAO"');
  expect(output).toContain('not confirmed: anybody can take any name');
  // Nothing in it can control the terminal.
  expect(output).not.toContain('\u001b');
  const png = await writeCredential('valid.png', (credential) => bakeCredential(PNG, credential));
  expect(await runCli(['verify', png])).toBe(0);
});

test('an issuer is confirmed by a key, or by a list of keys', async () => {
  const file = await writeCredential('confirmed.json', (credential) => credential);
  const keys = join(directory, 'keys.json');
  await writeFile(keys, JSON.stringify({ data: [{ did }] }));
  for (const issuer of [did, `${url}/keys`, keys]) {
    output = '';
    expect(await runCli(['verify', file, '--issuer', issuer])).toBe(0);
    expect(output).toContain('confirmed: it is a key of');
  }
  output = '';
  expect(
    await runCli(['verify', file, '--issuer', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK']),
  ).toBe(1);
  expect(output).toContain('NOT CONFIRMED');
});

test.each([
  ['revoked', (credential: string) => credential, /^REVOKED/],
  ['changed', (credential: string) => credential.replace('A talk', 'Another talk'), /^CHANGED.*\n$/],
  ['a text', () => 'hello', /^NOT A CREDENTIAL/],
  ['a picture without a credential', () => PNG, /^NOT A CREDENTIAL/],
])('a file that is %s is 1', async (name, change, expected) => {
  revokedIndexes = [7];
  expect(await runCli(['verify', await writeCredential(name, change)])).toBe(1);
  expect(output).toMatch(expected);
});

test('only addresses that webhooks may reach are requested, and no redirect is followed', async () => {
  const file = await writeCredential('guarded.json', (credential) => credential);
  for (const [name, value] of [
    ['BADGE_WEBHOOK_ALLOW', 'none'],
    ['BADGE_ENVIRONMENT', 'production'],
  ] as const) {
    requestCount = 0;
    vi.stubEnv(name, value);
    output = '';
    expect(await runCli(['verify', file])).toBe(2);
    expect(output).toMatch(/^STATUS UNKNOWN: .*not open to it/);
    expect(await runCli(['verify', file, '--issuer', `${url}/keys`])).toBe(2);
    expect(requestCount).toBe(0);
    vi.unstubAllEnvs();
  }
  vi.stubEnv('BADGE_ENVIRONMENT', 'production');
  vi.stubEnv('BADGE_WEBHOOK_ALLOW', '127.0.0.1');
  expect(await runCli(['verify', file])).toBe(0);
  isRedirected = true;
  output = '';
  expect(await runCli(['verify', file])).toBe(2);
  expect(output).toMatch(/^STATUS UNKNOWN: .*the status is 302/);
});

test('a long text is cut', async () => {
  const file = await writeCredential('long.json', (credential) => credential, 'x'.repeat(100_000));
  expect(await runCli(['verify', file])).toBe(0);
  expect(output.length).toBeLessThan(10_000);
});

test('what cannot be said is 2', async () => {
  const file = await writeCredential('unknown.json', (credential) => credential);
  expect(await runCli(['verify', file, '--offline'])).toBe(2);
  expect(output).toMatch(/^STATUS UNKNOWN/);
  const elsewhere = await writeCredential('elsewhere.json', (credential) =>
    credential.replaceAll('eddsa-rdfc-2022', 'other'),
  );
  expect(await runCli(['verify', elsewhere])).toBe(2);
  for (const args of [
    ['verify'],
    ['verify', join(directory, 'missing')],
    ['verify', file, file],
    ['verify', file, '--issuer', `${url}/nothing`],
    ['verify', file, '--offline', '--issuer', `${url}/keys`],
    ['doctor', '--offline'],
    ['publish-status'],
  ]) {
    expect(await runCli(args), args.join(' ')).toBe(2);
  }
});
