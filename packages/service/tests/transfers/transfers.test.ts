import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BadgeImport, CommunityExport, Operation, Problem, Token } from '@badge/protocol';
import { LIMITS } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleFiles } from '../../../../tests/acceptance/sample-files.ts';
import { createApiKey, createSession } from '../../src/testing/access-matrix-roles.ts';
import { listWithTar, readWithTar } from '../../src/testing/archives.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';
import { importForm, waitForTransfers } from '../../src/testing/transfers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

const EXPORTS = '/v1/communities/demo/exports';
const IMPORTS = '/v1/communities/demo/imports';
const NOBODY = { people: 'none' };

async function settle(response: Response, to: TestService = service): Promise<Operation> {
  expect(response.status, await response.clone().text()).toBe(202);
  const operation = await to.call(`${response.headers.get('location')}?wait=30`);
  return (await operation.json()) as Operation;
}

async function readExport(
  exportId: number | null,
  { from = service, key = service.adminKey } = {},
): Promise<CommunityExport> {
  const response = await from.call(`${EXPORTS}/${exportId}`, { key });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as CommunityExport;
}

async function makeExport(body: object = NOBODY, from = service): Promise<CommunityExport> {
  const { resourceId } = await settle(await from.call(EXPORTS, { key: service.adminKey, json: body }));
  await waitForTransfers(service);
  return await readExport(resourceId);
}

async function makeImport(form: FormData, key = service.adminKey): Promise<BadgeImport> {
  const { resourceId } = await settle(await service.call(IMPORTS, { method: 'POST', key, body: form }));
  await waitForTransfers(service);
  const response = await service.call(`${IMPORTS}/${resourceId}`, { key: service.adminKey });
  expect(response.status).toBe(200);
  return (await response.json()) as BadgeImport;
}

const download = ({ downloadUrl }: CommunityExport, from = service) => {
  const { pathname, search } = new URL(downloadUrl ?? '');
  return from.call(pathname + search);
};
const problemOf = async (response: Response) => {
  const { name, status, errors } = (await response.json()) as Problem;
  return { name, status, ...(errors && { errors }) };
};
const csvOf = (rows: string[][]) => `${rows.map((row) => row.join(',')).join('\n')}\n`;

async function countTokens(): Promise<number> {
  const [row] = await query<{ count: number }>(
    service.databaseUrl,
    'select count(*)::integer as count from tokens',
  );
  return row?.count ?? 0;
}

async function save(response: Response): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'badge-test-')), 'archive.tar');
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return file;
}

test('an export is made, and downloaded once; the next read has another URL', async () => {
  const made = await makeExport();
  expect(made).toMatchObject({ status: 'success', people: 'none', error: null, percent: 100 });
  expect(made.expiresAtTimestamp - made.createdAtTimestamp).toBeLessThanOrEqual(25 * 3_600_000);
  expect(await readExport(made.exportId)).toEqual(made);

  const { pathname, search } = new URL(made.downloadUrl ?? '');
  const head = await service.call(pathname + search, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(made.bytes)]);

  const downloaded = await download(made);
  expect(downloaded.status).toBe(200);
  expect(Object.fromEntries(downloaded.headers)).toMatchObject({
    'content-type': 'application/x-tar',
    'content-disposition': `attachment; filename="demo-${made.exportId}.tar"`,
    'cache-control': 'no-store',
  });
  const bytes = Buffer.from(await downloaded.arrayBuffer());
  expect(bytes).toHaveLength(made.bytes ?? 0);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(made.sha256);

  expect(await problemOf(await download(made))).toEqual({ name: 'DownloadEnded', status: 410 });
  const next = await readExport(made.exportId);
  expect(next.downloadUrl).not.toBe(made.downloadUrl);
  expect(Buffer.from(await (await download(next)).arrayBuffer()).equals(bytes)).toBe(true);
});

test('of downloads of one URL at the same time, one gets the file', async () => {
  const made = await makeExport();
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await download(made)).status));
  expect(statuses.sort()).toEqual([200, 410, 410, 410, 410]);
});

test('a URL works only as the service has signed it, and until it expires', async () => {
  const made = await makeExport();
  const { pathname, search, searchParams } = new URL(made.downloadUrl ?? '');
  const changed = (name: string, value: string) => {
    const query = new URLSearchParams(searchParams);
    query.set(name, value);
    return `${pathname}?${query}`;
  };
  const signature = searchParams.get('signature') ?? '';
  for (const path of [
    changed('download', '1'),
    changed('expires', String(made.expiresAtTimestamp + 1)),
    changed(
      'signature',
      signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    ),
    changed('signature', 'x'),
    `/exports/${made.exportId + 1}${search}`,
    `/exports/x${search}`,
  ])
    expect([path, await problemOf(await service.call(path))]).toEqual([
      path,
      { name: 'ExportNotFound', status: 404 },
    ]);
  expect((await service.call(pathname)).status).toBe(400);

  await query(service.databaseUrl, 'update transfers set expires_at = now() where transfer_id = $1', [
    made.exportId,
  ]);
  expect(await problemOf(await download(made))).toEqual({ name: 'DownloadEnded', status: 410 });
  expect((await service.call(`${EXPORTS}/${made.exportId}`, { key: service.adminKey })).status).toBe(404);
});

test('only owners of the community have its exports and imports', async () => {
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  await service.call('/v1/communities', { key: service.adminKey, json: other });
  const made = await makeExport();
  const imported = await makeImport(importForm());
  const paths = [`${EXPORTS}/${made.exportId}`, `${IMPORTS}/${imported.importId}`];
  const owner = await createSession(service, { communityId: 'demo', role: 'owner' });
  const editor = await createSession(service, { communityId: 'demo', role: 'editor' });
  const otherOwner = await createSession(service, { communityId: 'other', role: 'owner' });
  const otherKey = (await createApiKey(service, 'other', 'owner')).apiKey;
  for (const path of paths) {
    expect((await service.call(path, { key: owner })).status).toBe(200);
    expect((await service.call(path, { key: editor })).status).toBe(403);
    expect((await service.call(path, { key: otherOwner })).status).toBe(403);
    expect((await service.call(path, { key: otherKey })).status).toBe(403);
    expect((await service.call(path)).status).toBe(401);
    // Of another community, it does not exist.
    const elsewhere = path.replace('demo', 'other');
    expect((await service.call(elsewhere, { key: otherKey })).status).toBe(404);
  }
  // An export is no import.
  expect((await service.call(`${IMPORTS}/${made.exportId}`, { key: owner })).status).toBe(404);
});

test('an export that one process has made is downloaded from another', async () => {
  const made = await makeExport();
  const keyFile = join(service.dataDir, 'encryption-key');
  const other = await startOtherProcess(service, {
    BADGE_ROLE: 'api',
    BADGE_ENCRYPTION_KEY_FILE: keyFile,
  });
  try {
    expect(await readExport(made.exportId, { from: other })).toMatchObject({ bytes: made.bytes });
    const file = await save(await download(made, other));
    expect(await listWithTar(file)).toContain('manifest.json');
  } finally {
    await other.stop();
  }
});

test('people are left out, or in plain text, or encrypted for the recipient', async () => {
  const csv = csvOf([
    ['badgeId', 'headline', 'email', 'name'],
    ['1', 'Speaker', 'grace@example.org', 'Grace'],
  ]);
  expect(await makeImport(importForm({}, csv))).toMatchObject({ status: 'success', problems: [] });

  const nobody = await save(await download(await makeExport()));
  expect(await listWithTar(nobody)).not.toContain('people.ndjson');
  const plain = await save(await download(await makeExport({ people: 'plain' })));
  expect(await readWithTar(plain, 'people.ndjson')).toContain('grace@example.org');

  const identity = await generateIdentity();
  const recipientKey = await identityToRecipient(identity);
  const encrypted = await makeExport({ people: 'encrypted', recipientKey });
  const response = await download(encrypted);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.includes('grace@example.org')).toBe(false);
  const start = bytes.indexOf('age-encryption.org/v1');
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const size = Number.parseInt(
    bytes
      .subarray(bytes.indexOf('people.ndjson.age') + 124, bytes.indexOf('people.ndjson.age') + 136)
      .toString(),
    8,
  );
  const text = await decrypter.decrypt(bytes.subarray(start, start + size), 'text');
  expect(text).toContain('grace@example.org');
});

test.each([
  ['no people', {}, '/people'],
  ['unknown people', { people: 'all' }, '/people'],
  ['no recipient', { people: 'encrypted' }, '/recipientKey'],
  ['a recipient for nothing', { people: 'none', recipientKey: 'age1' }, '/recipientKey'],
  ['no age recipient', { people: 'encrypted', recipientKey: 'age1' }, '/recipientKey'],
])('an export with %s is refused', async (_name, json, pointer) => {
  const problem = await problemOf(await service.call(EXPORTS, { key: service.adminKey, json }));
  expect(problem).toMatchObject({ name: 'InvalidRequest', errors: [{ pointer }] });
});

test('of many exports at once, some wait and the rest are refused; the latest files are kept', async () => {
  const responses = await Promise.all(
    Array.from({ length: 30 }, () => service.call(EXPORTS, { key: service.adminKey, json: NOBODY })),
  );
  const accepted = responses.filter(({ status }) => status === 202);
  expect(accepted.length).toBeGreaterThanOrEqual(10);
  const refused = responses.filter(({ status }) => status !== 202);
  expect(refused.length).toBeGreaterThan(0);
  for (const response of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await problemOf(response)).toEqual({ name: 'RateLimited', status: 429 });
  }
  await Promise.all(accepted.map((response) => settle(response)));
  await waitForTransfers(service);
  const rows = await query<{ status: string; has_file: boolean }>(
    service.databaseUrl,
    "select status, asset_id is not null as has_file from transfers where kind = 'export'",
  );
  expect(rows).toEqual(Array(3).fill({ status: 'success', has_file: true }));
});

test('a request with the same Idempotency-Key starts no other transfer', async () => {
  const headers = { 'Idempotency-Key': randomBytes(8).toString('hex') };
  const send = () => service.call(EXPORTS, { key: service.adminKey, json: NOBODY, headers });
  const responses = await Promise.all([send(), send(), send()]);
  responses.push(await send());
  const locations = new Set(responses.map((response) => response.headers.get('location')));
  expect([...locations]).toHaveLength(1);
  const [first] = responses;
  if (first === undefined) throw new Error('nothing was sent');
  const { resourceId } = await settle(first);
  await waitForTransfers(service);
  const rows = await query(service.databaseUrl, 'select from transfers where transfer_id > $1', [resourceId]);
  expect(rows).toEqual([]);
});

test('a dry run says what would happen, and changes nothing; an import can be repeated', async () => {
  const address = newAddress();
  const csv = csvOf([
    ['badgeId', 'headline', 'address'],
    ['7', 'Guest', address],
    ['7', 'Guest', '0x12'],
  ]);
  const before = await countTokens();
  const dry = await makeImport(importForm({ isDryRun: 'true' }, csv));
  expect(dry).toMatchObject({ status: 'success', isDryRun: true, format: 'csv', error: null });
  expect(dry.plan?.length).toBe(dry.lines);
  expect(dry.plan).toContainEqual(expect.objectContaining({ outcome: 'imported' }));
  expect(dry.problems.length).toBe(dry.problemCount);
  expect(dry.problemCount).toBeGreaterThan(0);
  expect(await countTokens()).toBe(before);

  const first = await makeImport(importForm({}, csv));
  expect(first).toMatchObject({ lines: dry.lines, imported: dry.imported, plan: null });
  expect(first.problems).toEqual(dry.problems);
  expect(await countTokens()).toBe(before + 1);
  const again = await makeImport(importForm({}, csv));
  expect(again).toMatchObject({ imported: 0, skipped: first.imported, problemCount: first.problemCount });
  expect(await countTokens()).toBe(before + 1);
  // Files of imports are not kept.
  const files = await query(
    service.databaseUrl,
    "select from transfers where kind = 'import' and asset_id is not null",
  );
  expect(files).toEqual([]);
});

test('a picture is read from its URL, but not from an address that is not open', async () => {
  const png = Buffer.from(sampleFiles['image/png'] ?? []);
  const server = createServer((_, response) => response.end(png)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // A sandbox opens the addresses of its machine only.
  const csv = csvOf([
    ['headline', 'picture'],
    ['Drawn', `http://127.0.0.1:${port}/picture`],
    ['Refused', `http://169.254.169.254:${port}/picture`],
  ]);
  const done = await makeImport(importForm({}, csv));
  server.close();
  expect(done).toMatchObject({ imported: 1, problemCount: 1 });
  expect(done.problems[0]?.detail).toContain('has no address that is open');
  const [row] = await query<{ token_id: string }>(
    service.databaseUrl,
    "select token_id from tokens where headline = 'Drawn'",
  );
  const { imageUrl } = (await (await service.call(`/v1/tokens/${row?.token_id}`)).json()) as Token;
  const picture = await service.call(new URL(imageUrl).pathname);
  expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true);
});

test('the creator of imported tokens is the member who imports, otherwise an owner', async () => {
  const csv = csvOf([
    ['badgeId', 'headline', 'address'],
    ['creator', 'By a member', newAddress()],
  ]);
  const session = await createSession(service, { communityId: 'demo', role: 'owner' });
  const { address } = (await (await service.call('/v1/caller', { key: session })).json()) as {
    address: string;
  };
  expect(await makeImport(importForm({}, csv), session)).toMatchObject({ problemCount: 0 });
  const { data } = (await (await service.call('/v1/tokens?order=desc&limit=1')).json()) as { data: Token[] };
  expect(data[0]?.createdByAddress).toBe(address);
});

test.each<[string, () => FormData, string]>([
  ['no format', () => importForm({ format: undefined }), '/format'],
  ['an unknown format', () => importForm({ format: 'xls' }), '/format'],
  ['no word about a dry run', () => importForm({ isDryRun: undefined }), '/isDryRun'],
  ['another word about a dry run', () => importForm({ isDryRun: 'yes' }), '/isDryRun'],
  ['a mapping that is no JSON', () => importForm({ mapping: '{' }), '/mapping'],
  ['a mapping of numbers', () => importForm({ mapping: '{"headline": 1}' }), '/mapping'],
  ['a mapping that is a list', () => importForm({ mapping: '[]' }), '/mapping'],
  [
    'a mapping of a format without one',
    () => importForm({ format: 'openbadges', mapping: '{}' }),
    '/mapping',
  ],
  ['an empty file', () => importForm({}, ''), '/file'],
])('an import with %s is refused', async (_name, form, pointer) => {
  const problem = await problemOf(
    await service.call(IMPORTS, { method: 'POST', key: service.adminKey, body: form() }),
  );
  expect(problem).toMatchObject({ name: 'InvalidRequest', errors: [{ pointer }] });
});

test('a broken form, another content type and a file that is too large are refused, and nothing is stored', async () => {
  const send = (body: string | FormData, headers?: Record<string, string>) =>
    service.call(IMPORTS, { method: 'POST', key: service.adminKey, body, ...(headers && { headers }) });
  const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  expect(await problemOf(await send(`${start}rest`, type))).toMatchObject({ name: 'InvalidRequest' });
  expect(await problemOf(await send('a,b', { 'Content-Type': 'text/csv' }))).toMatchObject({
    name: 'UnsupportedMediaType',
  });
  const large = importForm();
  large.set('file', new Blob([new Uint8Array(LIMITS.importBytes + 1)]), 'large.csv');
  expect(await problemOf(await send(large))).toEqual({ name: 'TooLarge', status: 413 });
  const rows = await query(
    service.databaseUrl,
    "select from transfers where kind = 'import' and completed_at is null",
  );
  expect(rows).toEqual([]);
});

test('a file in another form than its format ends in an error with a sentence', async () => {
  const form = importForm({}, '');
  form.set('file', new Blob([randomBytes(1_000)]), 'badges.csv');
  const imported = await makeImport(form);
  expect(imported).toMatchObject({ status: 'error', imported: 0 });
  expect(imported.error).toMatch(/^[A-Z].*\.$/);
});

test('what has expired is deleted with its file', async () => {
  const made = await makeExport();
  await query(service.databaseUrl, 'update transfers set expires_at = now()');
  const { cleanUpTransfers } = await import('../../src/domain/transfers/clean-up-transfers.ts');
  while (await cleanUpTransfers(service.context));
  expect(await query(service.databaseUrl, 'select from transfers')).toEqual([]);
  expect(
    await query(
      service.databaseUrl,
      'select from assets where asset_id not in (select asset_id from nft_types)',
    ),
  ).toEqual([]);
  expect(made.status).toBe('success');
});

test('files are stored encrypted', async () => {
  const csv = csvOf([
    ['badgeId', 'headline', 'email'],
    ['secret', 'Speaker', 'hidden-person@example.org'],
  ]);
  await makeImport(importForm({}, csv));
  await makeExport({ people: 'plain' });
  const rows = await query<{ bytes: Buffer }>(
    service.databaseUrl,
    'select bytes from asset_pieces where asset_id in (select asset_id from transfers)',
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { bytes } of rows) {
    expect(bytes.includes('hidden-person')).toBe(false);
    expect(bytes.includes('manifest.json')).toBe(false);
  }
});
