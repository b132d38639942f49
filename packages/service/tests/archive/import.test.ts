import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { beforeAll, expect, test } from 'vitest';
import type { Manifest } from '../../src/archive/manifest.ts';
import { createTar, openTar } from '../../src/archive/tar.ts';
import { readConfig } from '../../src/config.ts';
import { carryKeys, configOf, exportTo, importFrom } from '../../src/testing/archives.ts';
import { startFilledService } from '../../src/testing/filled-installation.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let source: TestService;
let dataDir: string;
let archive: string;
let files: Map<string, Buffer>;

beforeAll(async () => {
  source = await startFilledService();
  dataDir = await carryKeys(source.dataDir);
  await source.stop();
  archive = join(dataDir, 'archive.tar');
  await exportTo(archive, configOf(dataDir, source.databaseUrl));
  files = await readFiles(archive);
});

async function readFiles(path: string): Promise<Map<string, Buffer>> {
  const tar = await openTar(path);
  const contents = new Map<string, Buffer>();
  for (const name of tar.entries.keys()) {
    const pieces: Buffer[] = [];
    for await (const piece of tar.read(name)) pieces.push(piece);
    contents.set(name, Buffer.concat(pieces));
  }
  await tar.close();
  return contents;
}

/** Writes the archive with other files, and a manifest that fits them. Returns its path. */
async function forge(changes: Record<string, (text: string) => string>): Promise<string> {
  const changed = new Map(files);
  for (const [name, change] of Object.entries(changes)) {
    const text = files.get(name)?.toString() ?? '';
    expect(change(text), `nothing was changed in ${name}`).not.toBe(text);
    changed.set(name, Buffer.from(change(text)));
  }
  if (!('manifest.json' in changes)) {
    const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '') as Manifest;
    for (const entry of manifest.files) {
      const bytes = changed.get(entry.name) ?? Buffer.alloc(0);
      entry.bytes = bytes.length;
      entry.sha256 = createHash('sha256').update(bytes).digest('hex');
      if (entry.lines !== null) entry.lines = bytes.toString().split('\n').length - 1;
    }
    changed.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
  }
  const path = join(await mkdtemp(join(tmpdir(), 'badge-forged-')), 'archive.tar');
  const tar = await createTar(path);
  for (const [name, bytes] of changed) await tar.add(name, piecesOf(bytes));
  await tar.end();
  await tar.close();
  return path;
}

async function* piecesOf(bytes: Buffer) {
  yield bytes;
}

/** Changes the fields of a line, which is the last one by default. */
const inLine =
  (fields: Record<string, unknown>, index = -1) =>
  (text: string): string => {
    const lines = text.split('\n').slice(0, -1);
    const line = JSON.parse(lines.at(index) ?? '') as object;
    return `${lines.with(index, JSON.stringify({ ...line, ...fields })).join('\n')}\n`;
  };

async function importInto(path: string): Promise<string> {
  const url = await createDatabase('empty');
  await importFrom(path, configOf(dataDir, url));
  return url;
}

test('an imported installation has the same archive, the same tables, and goes on counting', async () => {
  const url = await importInto(archive);
  const again = join(dataDir, 'again.tar');
  await exportTo(again, configOf(dataDir, url));
  expect((await readFile(again)).equals(await readFile(archive))).toBe(true);

  // What triggers have made of it.
  for (const table of ['token_list_entries', 'token_list_blocks where tokens > 0']) {
    const read = (database: string) => query(database, `select * from ${table} order by 1, 2, 3`);
    expect(await read(url)).toEqual(await read(source.databaseUrl));
  }
  const [{ count = 0 } = {}] = await query<{ count: number }>(
    url,
    'select count(*)::integer as count from asset_pieces',
  );
  expect(count).toBeGreaterThan(0);

  const service = await startTestService({
    DATABASE_URL: url,
    BADGE_ISSUER_SEED_FILE: join(dataDir, 'issuer-seed'),
    BADGE_ENCRYPTION_KEY_FILE: join(dataDir, 'encryption-key'),
    BADGE_CREATOR_SEED_FILE: join(dataDir, 'creator-seed'),
    BADGE_HOLDER_SEED_FILE: join(dataDir, 'holder-seed'),
    BADGE_DEMO_API_KEY: source.apiKey,
    BADGE_ADMIN_KEY: source.adminKey,
  });
  try {
    const read = async (path: string) => {
      const response = await service.call(path, { key: source.adminKey });
      expect(response.status).toBe(200);
      return (await response.json()) as { data: Record<string, unknown>[] };
    };
    const [credential] = await query<{ token_id: number; address: Buffer }>(
      url,
      'select token_id, address from credentials where revoked_at is null limit 1',
    );
    await read(`/v1/tokens/${credential?.token_id}/credentials/0x${credential?.address.toString('hex')}`);
    const { data: webhooks } = await read('/v1/communities/demo/webhooks');
    expect(webhooks.map(({ url: target }) => target)).toContain('http://localhost:9/');
    // Their secrets stayed behind: an owner makes new ones.
    const secrets = "select from webhooks where deleted_at is null and encrypted_secret = ''";
    expect(await query(url, secrets)).toHaveLength(webhooks.length);
    const [{ webhookId } = {}] = webhooks;
    const rotated = await service.call(`/v1/communities/demo/webhooks/${webhookId}/rotateSecret`, {
      key: source.adminKey,
      json: {},
    });
    expect(rotated.status).toBe(200);
    expect(await query(url, secrets)).toHaveLength(webhooks.length - 1);
    const { data: entries } = await read('/v1/auditLog?limit=1');
    const created = await service.call('/v1/communities', {
      key: source.adminKey,
      json: { uniqId: 'after', displayId: 'a', name: 'a', adminAddresses: [`0x${'1'.repeat(40)}`] },
    });
    expect(created.status).toBe(201);
    const { data: later } = await read('/v1/auditLog?limit=1');
    expect(later[0]?.auditEntryId).toBe(Number(entries[0]?.auditEntryId) + 1);
  } finally {
    await service.stop();
  }
});

test('a database that has something is refused, and stays as it is', async () => {
  const url = await importInto(archive);
  await expect(importFrom(archive, configOf(dataDir, url))).rejects.toThrow(/^the database is not empty/);
  const again = join(dataDir, 'unchanged.tar');
  await exportTo(again, configOf(dataDir, url));
  expect((await readFile(again)).equals(await readFile(archive))).toBe(true);
});

test('a service that runs is named, and must be stopped', async () => {
  const service = await startTestService();
  try {
    await expect(importFrom(archive, configOf(dataDir, service.databaseUrl))).rejects.toThrow(
      /^a service uses the database/,
    );
  } finally {
    await service.stop();
  }
});

test('each key that is missing or another one is named', async () => {
  const other = await mkdtemp(join(tmpdir(), 'badge-other-'));
  for (const name of ['creator-seed', 'holder-seed', 'encryption-key'])
    await copyFile(join(dataDir, name), join(other, name));
  await rm(join(other, 'holder-seed'));
  await copyFile(join(dataDir, 'creator-seed'), join(other, 'issuer-seed'));
  const url = await createDatabase('empty');
  await expect(importFrom(archive, configOf(other, url))).rejects.toThrow(
    /^the key of BADGE_ISSUER_SEED_FILE is another one than that of the archive: .*; the key of BADGE_HOLDER_SEED_FILE is missing: [^;]*\/holder-seed$/,
  );
  // Nothing was created.
  await expect(readFile(join(other, 'holder-seed'))).rejects.toThrow(/ENOENT/);
});

test('an archive of another signing domain is refused', async () => {
  const config = readConfig({
    LOG_LEVEL: 'silent',
    BADGE_DATA_DIR: dataDir,
    DATABASE_URL: await createDatabase('empty'),
    BADGE_CHAIN_ID: '5',
  });
  await expect(importFrom(archive, config)).rejects.toThrow(/^the archive is of another deployment/);
});

test('every bit counts: one that was changed in any file is found', async () => {
  const tar = await openTar(archive);
  await tar.close();
  const entries = [...tar.entries.values()].filter(({ size }) => size > 0);
  const largest = entries.reduce((found, entry) => (entry.size > found.size ? entry : found));
  for (const { start, size } of [entries[0], entries.at(-1), largest].filter(
    (entry) => entry !== undefined,
  )) {
    const bytes = await readFile(archive);
    const at = start + Math.floor(size / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const path = join(dataDir, 'damaged.tar');
    await writeFile(path, bytes);
    await expect(importInto(path)).rejects.toThrow(
      /damaged|not an archive|no file|does not name|truncated|manifest/,
    );
  }
});

test('an archive that was cut is refused', async () => {
  const path = join(dataDir, 'cut.tar');
  const size = (await readFile(archive)).length;
  const cuts: [part: number, message: RegExp][] = [
    [0, /is not an archive/],
    [0.5, /truncated/],
    [0.99, /truncated/],
  ];
  for (const [part, message] of cuts) {
    await copyFile(archive, path);
    await truncate(path, Math.floor(size * part));
    await expect(importInto(path)).rejects.toThrow(message);
  }
});

test.each<[string, Record<string, (text: string) => string>, RegExp]>([
  [
    'a field of another type',
    { 'owners.ndjson': inLine({ tokenId: '1' }, 0) },
    /^owners\.ndjson, line 1: \/tokenId must be integer$/,
  ],
  [
    'an unknown field',
    { 'members.ndjson': inLine({ more: 1 }, 0) },
    /^members\.ndjson, line 1: it must NOT have additional properties: "more"$/,
  ],
  [
    'a line that is not JSON',
    { 'events.ndjson': (text) => text.replace('\n', '\nnot JSON\n') },
    /^events\.ndjson, line 2: it is not JSON$/,
  ],
  [
    'a last line without an end',
    { 'events.ndjson': (text) => text.slice(0, -1) },
    /^events\.ndjson: the last line has no end$/,
  ],
  [
    'another headline',
    { 'tokens.ndjson': inLine({ headline: 'Another' }, 0) },
    /^tokens\.ndjson, line 1: the signature is not that of 0x[0-9a-f]{40} over this line/,
  ],
  [
    'another creator',
    { 'tokens.ndjson': inLine({ creator: `0x${'1'.repeat(40)}` }, 1) },
    /^tokens\.ndjson, line 2: the signature is not that of/,
  ],
  [
    'a signature of another token',
    { 'signatures.ndjson': inLine({ tokenId: 999 }, 0) },
    /^signatures\.ndjson, line 1: the signature is not that of/,
  ],
  [
    'unknown types',
    { 'signatures.ndjson': inLine({ typedDataVersion: 'badge/2' }, 0) },
    /^signatures\.ndjson, line 1: the signature is of the types "badge\/2"/,
  ],
  [
    'an owner of no token',
    { 'owners.ndjson': inLine({ tokenId: 9_999 }, 3) },
    /^owners\.ndjson, line 4: insert or update on table "claims" violates/,
  ],
  [
    'a line twice',
    { 'owners.ndjson': (text) => text.replace(/^(.*\n)/, '$1$1') },
    /^owners\.ndjson, line 2: duplicate key value violates/,
  ],
  [
    'a text with NUL',
    { 'communities.ndjson': inLine({ name: 'a\0b' }, 0) },
    /^communities\.ndjson, line 1: /,
  ],
  [
    'a replacement that does not exist',
    { 'tokens.ndjson': inLine({ replacedByTokenId: 9_999, replacedAtTimestamp: 0 }, 0) },
    /violates foreign key constraint/,
  ],
])('an archive with %s is refused, with the line, and nothing is imported', async (_, changes, message) => {
  const path = await forge(changes);
  const url = await createDatabase('empty');
  await expect(importFrom(path, configOf(dataDir, url))).rejects.toThrow(message);
  const rows = await query(
    url,
    'select from communities union all select from audit_log union all select from deployment',
  );
  expect(rows).toHaveLength(0);
});

test('a manifest of another format is refused', async () => {
  const path = await forge({
    'manifest.json': (text) => text.replace('"formatVersion": 1', '"formatVersion": 2'),
  });
  await expect(importInto(path)).rejects.toThrow(/^the archive has the format 2, and this release reads 1/);
});

test('a picture with another content is refused', async () => {
  const name = [...files.keys()].find((each) => each.startsWith('pictures/')) ?? '';
  const path = await forge({ [name]: () => 'another' });
  await expect(importInto(path)).rejects.toThrow(
    /^pictures\.ndjson, line \d+: pictures\/.* has another content$/,
  );
});
