import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Badge,
  bakeCredential,
  hashIdentity,
  signBadge,
  signStatusList,
  toDidKey,
} from '@badge/credentials/issue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { stderr } from '../output.ts';
import { runCli } from './cli.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const did = toDidKey(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const signBytes = (bytes: Uint8Array) => sign(null, bytes, privateKey);
const DID_OF_OTHERS = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
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
    else if (request.url?.startsWith('/many')) {
      const { pathname, searchParams } = new URL(request.url, url);
      const offset = pathname === '/many-static' ? 0 : Number(searchParams.get('offset') ?? 0);
      const others = Array.from({ length: 1_000 }, (_, index) => ({ did: `did:key:${offset + index}` }));
      // The key is on the third page.
      response.end(JSON.stringify({ data: offset >= 2_000 && pathname === '/many' ? [{ did }] : others }));
    } else if (request.url === '/list')
      response.end(
        await signStatusList(
          { url: `http://${request.headers.host}/list`, did, validFrom: TIME, created: TIME, revokedIndexes },
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
  // The server is that of the operator.
  vi.stubEnv('PUBLIC_URL', url);
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
  origin = url,
  identities: Badge['identities'] = [],
): Promise<string> {
  const badge: Badge = {
    id: 'urn:uuid:ca98bd9f-bec4-41be-8375-bc1ca12176fd',
    validFrom: TIME,
    created: TIME,
    validUntil: null,
    issuer: { did, name: 'My DAO', pictureUrl: null },
    subjectId: 'did:pkh:eip155:137:0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    identities,
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
    status: { listUrl: `${origin}/list`, index: 7 },
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

describe('who it is for', () => {
  const hashOf = (address: string) => ({
    type: 'emailAddress' as const,
    hash: hashIdentity(address, 'salt'),
    salt: 'salt',
  });
  const writeFor = (...identities: Badge['identities']) =>
    writeCredential('person.json', (credential) => credential, undefined, undefined, identities);

  test('is printed: a name, and that there is a hash of an address', async () => {
    const file = await writeFor({ type: 'name', name: 'Ada \u001b[31mLovelace' }, hashOf('ada@example.org'));
    expect(await runCli(['verify', file])).toBe(0);
    expect(output).toContain(
      '\nName:     Ada [31mLovelace\n          signed by the issuer, but perhaps typed',
    );
    expect(output).toContain(
      '\nMail:     only a hash (sha256)\n          --email compares an address with it\n',
    );
    expect(output).not.toContain('\u001b');
  });

  test('is compared with the given address, in each of its spellings', async () => {
    const file = await writeFor(hashOf('ada@example.org'));
    for (const email of ['ada@example.org', ' Ada@EXAMPLE.org ']) {
      output = '';
      expect(await runCli(['verify', file, '--email', email])).toBe(0);
      expect(output).toContain('it is the given address');
    }
    // Other services may have hashed what was typed.
    expect(
      await runCli(['verify', await writeFor(hashOf('Ada@Example.org')), '--email', 'Ada@Example.org']),
    ).toBe(0);
    output = '';
    expect(await runCli(['verify', file, '--email', 'eve@example.org'])).toBe(1);
    expect(output).toContain('it is NOT the given address');
    expect(await runCli(['verify', await writeFor(), '--email', 'ada@example.org'])).toBe(1);
    // A name is no address.
    expect(
      await runCli([
        'verify',
        await writeFor({ type: 'name', name: 'ada@example.org' }),
        '--email',
        'ada@example.org',
      ]),
    ).toBe(1);
  });
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
  expect(await runCli(['verify', file, '--issuer', DID_OF_OTHERS])).toBe(1);
  expect(output).toContain('NOT CONFIRMED');
});

test('a list of keys is read to its end, and an endless one is not', async () => {
  const file = await writeCredential('old-key.json', (credential) => credential);
  expect(await runCli(['verify', file, '--issuer', `${url}/many`])).toBe(0);
  for (const [path, requests] of [
    // The list of revoked ones, and the pages.
    ['/many-static', 1 + 2],
    ['/many-endless', 1 + 20],
  ] as const) {
    requestCount = 0;
    expect(await runCli(['verify', file, '--issuer', `${url}${path}`])).toBe(1);
    expect(requestCount).toBe(requests);
  }
});

test.each([
  ['revoked', (credential: string) => credential, /^REVOKED/],
  ['changed', (credential: string) => credential.replace('A talk', 'Another talk'), /^CHANGED.*\n$/s],
  ['a text', () => 'hello', /^NOT A CREDENTIAL/],
  ['a picture without a credential', () => PNG, /^NOT A CREDENTIAL/],
])('a file that is %s is 1', async (name, change, expected) => {
  revokedIndexes = [7];
  expect(await runCli(['verify', await writeCredential(name, change)])).toBe(1);
  expect(output).toMatch(expected);
});

test('a file makes no request on this machine or in this network', async () => {
  const { port } = new URL(url);
  const file = await writeCredential('guarded.json', (credential) => credential);
  requestCount = 0;
  for (const env of [
    {},
    { BADGE_ENVIRONMENT: 'sandbox' },
    { BADGE_ENVIRONMENT: 'production' },
    { BADGE_WEBHOOK_ALLOW: 'none' },
    { BADGE_WEBHOOK_ALLOW: '10.0.0.0/8' },
    // Another port of this machine, and a name that could lead anywhere.
    { PUBLIC_URL: 'http://127.0.0.1:1' },
    { PUBLIC_URL: `http://localhost:${port}` },
    { PUBLIC_URL: `https://127.0.0.1:${port}` },
    { PUBLIC_URL: `http://127.0.0.1.example:${port}` },
  ]) {
    vi.unstubAllEnvs();
    vi.stubEnv('PUBLIC_URL', undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    output = '';
    expect(await runCli(['verify', file]), JSON.stringify(env)).toBe(2);
    expect(output).toMatch(/^STATUS UNKNOWN: .*not\s+open\s+to\s+it/s);
  }
  expect(requestCount).toBe(0);
});

test.each<[string, () => { env?: Record<string, string>; issuer?: string }]>([
  ['BADGE_WEBHOOK_ALLOW', () => ({ env: { BADGE_WEBHOOK_ALLOW: '127.0.0.1' } })],
  ['PUBLIC_URL', () => ({ env: { PUBLIC_URL: `${url}/` } })],
  ['--issuer', () => ({ issuer: `${url}/keys` })],
])('what %s opens is requested, and no redirect is followed', async (_what, given) => {
  const file = await writeCredential('opened.json', (credential) => credential);
  const { env = {}, issuer } = given();
  vi.stubEnv('PUBLIC_URL', undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const args = ['verify', file, ...(issuer === undefined ? [] : ['--issuer', issuer])];
  expect(await runCli(args)).toBe(0);
  isRedirected = true;
  output = '';
  expect(await runCli(args)).toBe(2);
  expect(output).toMatch(/the\s+status\s+is\s+302/);
});

test('a sandbox’s own credential is valid by the documented command, with its name', async () => {
  const { port } = new URL(url);
  const local = `http://localhost:${port}`;
  const file = await writeCredential('local.json', (credential) => credential, 'Gave a talk.', local);
  vi.stubEnv('PUBLIC_URL', undefined);
  expect(await runCli(['verify', file])).toBe(2);
  expect(await runCli(['verify', file, '--issuer', `${local}/keys`])).toBe(0);
});

test('a long text is cut', async () => {
  const file = await writeCredential('long.json', (credential) => credential, 'x'.repeat(100_000));
  expect(await runCli(['verify', file])).toBe(0);
  expect(output.length).toBeLessThan(10_000);
});

test.each([
  ...['\n', ' ', '\u00a0', '\u3000', '\u2003', '\u3164', '\u115f', '\u2800', '\u200b', '\u00ad', '\ufe0f'],
  ...['x', '漢', '─'],
])('no text looks like a line of its own: padding with %j', async (padding) => {
  for (const columns of [80, 120]) {
    const fake = `${padding.repeat(columns - 10)}${`Key:      ${DID_OF_OTHERS}`.padEnd(columns, padding)}x`;
    output = '';
    const file = await writeCredential('padded.json', (credential) => credential, fake);
    expect(await runCli(['verify', file])).toBe(0);
    const rows = output.trimEnd().split('\n');
    for (const row of rows) {
      expect(row.replaceAll(/[^\0-\u10ff]/gu, 'xx').length, row).toBeLessThanOrEqual(78);
      expect(row.slice(10)).not.toMatch(/ {2}/);
    }
    const labels = rows.filter((row, index) => index > 0 && !row.startsWith(' '));
    expect(labels.map((row) => row.split(':')[0])).toEqual([
      ...['Badge', 'About', 'Criteria', 'Result', 'For', 'Since', 'Picture', 'Issuer', 'Key'],
    ]);
  }
});

test('all credentials of a presentation are verified', async () => {
  const present = (...all: unknown[]) =>
    JSON.stringify({ type: 'VerifiablePresentation', verifiableCredential: all });
  const one = await writeCredential('presented.json', (credential) => present(JSON.parse(credential)));
  expect(await runCli(['verify', one])).toBe(0);
  expect(output).toMatch(/^VALID: .*\nIn: {7}a presentation, credential 1 of 1\n {10}Only the credential/s);
  output = '';
  const several = await writeCredential('several.json', (credential) =>
    present(JSON.parse(credential), JSON.parse(credential.replace('A talk', 'Another talk')), 'e30.e30.c2ln'),
  );
  expect(await runCli(['verify', several])).toBe(1);
  expect(output).toMatch(
    /^VALID.* 1 of 3\n.*^CHANGED.* 2 of 3\n.*^NOT SUPPORTED: It is signed as a JWT.* 3 of 3\n/ms,
  );
  const first = await writeCredential('first.json', (credential) =>
    present(JSON.parse(credential), 'e30.e30.c2ln'),
  );
  expect(await runCli(['verify', first])).toBe(2);
});

test.each<[string, (credential: string) => string, RegExp]>([
  ['a JWT', () => 'e30.e30.c2ln', /^NOT SUPPORTED: It is signed as a JWT\./],
  ['did:web', (credential) => credential.replaceAll(did, 'did:web:example.org'), /^NOT SUPPORTED: .*did:web/],
  [
    'Open Badges 2.0',
    () => JSON.stringify({ '@context': 'https://w3id.org/openbadges/v2', type: 'Assertion' }),
    /^NOT SUPPORTED: It is of Open Badges 2\.0/,
  ],
])('%s is named as what it is', async (name, change, expected) => {
  expect(await runCli(['verify', await writeCredential(name.replaceAll(':', ''), change)])).toBe(2);
  expect(output).toMatch(expected);
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
    ['doctor', '--email', 'ada@example.org'],
    ['publish-status'],
  ]) {
    expect(await runCli(args), args.join(' ')).toBe(2);
  }
});
