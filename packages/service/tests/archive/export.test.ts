import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { exportInstallation } from '../../src/archive/export-installation.ts';
import { fileOf } from '../../src/archive/lines.ts';
import { MANIFEST_SCHEMA, type Manifest } from '../../src/archive/manifest.ts';
import { LEFT_OUT, NOUNS, OTHERWISE_ARCHIVED, schemaOf } from '../../src/archive/nouns.ts';
import { readConfig } from '../../src/config.ts';
import {
  carryKeys,
  configOf,
  exportTo,
  KEY_FILES,
  listWithTar,
  readWithTar,
  SILENT,
  withoutLeftOut,
} from '../../src/testing/archives.ts';
import { startFilledService } from '../../src/testing/filled-installation.ts';
import type { TestService } from '../../src/testing/services.ts';

const DEFAULT_CONTRACT = '1000000000000000000000000000000000000001';
let service: TestService;
let dataDir: string;
let archive: string;

beforeAll(async () => {
  service = await startFilledService();
  dataDir = await carryKeys(service.dataDir);
  archive = join(dataDir, 'archive.tar');
  // Beside a running service.
  await exportTo(join(dataDir, 'running.tar'), configOf(dataDir, service.databaseUrl));
  await service.stop();
  await exportTo(archive, configOf(dataDir, service.databaseUrl));
});

test('every table and column of the database is archived, or left out for a reason', async () => {
  const rows = await query<{ table_name: string; column_name: string }>(
    await createDatabase(),
    "select table_name, column_name from information_schema.columns where table_schema = 'public'",
  );
  const known = NOUNS.flatMap(({ table, fields, leftOut }) =>
    [...Object.values(fields).map(({ column }) => column), ...Object.keys(leftOut)].map(
      (column) => `${table}.${column}`,
    ),
  );
  const other = [...Object.keys(LEFT_OUT), ...Object.keys(OTHERWISE_ARCHIVED)];
  const columns = rows
    .filter(({ table_name }) => !other.includes(table_name))
    .map(({ table_name, column_name }) => `${table_name}.${column_name}`);
  expect(known.sort(), 'archive/nouns.ts must name it').toEqual(columns.sort());
  const tables = new Set(rows.map(({ table_name }) => table_name));
  expect(other.filter((table) => !tables.has(table))).toEqual([]);
});

test('whether a field can be null is what the database says', async () => {
  const rows = await query<{ name: string }>(
    service.databaseUrl,
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and is_nullable = 'YES'`,
  );
  const nullable = new Set(rows.map(({ name }) => name));
  const ajv = new Ajv2020({ allowUnionTypes: true });
  for (const { table, fields } of NOUNS) {
    for (const { column, kind } of Object.values(fields)) {
      if (table === 'expiry_turns') continue;
      expect([column, ajv.validate(kind.schema, null)]).toEqual([column, nullable.has(`${table}.${column}`)]);
    }
  }
});

test('the files have all rows, as their schemas and the manifest say', async () => {
  const manifest = JSON.parse(await readWithTar(archive, 'manifest.json')) as Manifest;
  const ajv = new Ajv2020({ allowUnionTypes: true });
  expect(ajv.validate(MANIFEST_SCHEMA, manifest), ajv.errorsText()).toBe(true);
  expect(await listWithTar(archive)).toEqual([...manifest.files.map(({ name }) => name), 'manifest.json']);
  for (const noun of NOUNS) {
    const text = await readWithTar(archive, fileOf(noun));
    const lines = text.split('\n').slice(0, -1);
    const validate = ajv.compile(schemaOf(noun));
    for (const line of lines) {
      expect(validate(JSON.parse(line)), `${noun.name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
    const [row] = await query<{ count: number }>(
      service.databaseUrl,
      `select count(*)::integer as count from ${noun.table} ${withoutLeftOut(noun)}`,
    );
    expect([noun.name, lines.length]).toEqual([noun.name, row?.count]);
    // What is never filled is never tested.
    if (!['unplaced-events'].includes(noun.name))
      expect([noun.name, lines.length > 0]).toEqual([noun.name, true]);
    expect(manifest.files.find(({ name }) => name === fileOf(noun))).toEqual({
      name: fileOf(noun),
      lines: lines.length,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  }
});

test('pictures are files with the bytes that were uploaded', async () => {
  const pictures = (await readWithTar(archive, 'pictures.ndjson')).trim().split('\n');
  const files = (await listWithTar(archive)).filter((name) => name.startsWith('pictures/'));
  expect(files).toHaveLength(pictures.length);
  const manifest = JSON.parse(await readWithTar(archive, 'manifest.json')) as Manifest;
  for (const line of pictures) {
    const { assetId, sha256, sizeBytes } = JSON.parse(line) as Record<string, string>;
    expect(manifest.files.find(({ name }) => name.startsWith(`pictures/${assetId}.`))).toMatchObject({
      lines: null,
      bytes: sizeBytes,
      sha256: sha256?.slice(2),
    });
  }
});

test('another export of the same data has the same bytes', async () => {
  const again = join(dataDir, 'again.tar');
  await exportTo(again, configOf(dataDir, service.databaseUrl));
  expect((await readFile(again)).equals(await readFile(archive))).toBe(true);
});

test('no archive has a key, a seed, or the secret of a webhook, and only its owner can read it', async () => {
  const bytes = await readFile(archive);
  for (const name of KEY_FILES) {
    const key = await readFile(join(dataDir, name));
    for (const form of [key, key.toString('hex'), key.toString('base64')]) {
      expect(bytes.includes(form)).toBe(false);
    }
  }
  const secrets = await query<{ secret: Buffer }>(
    service.databaseUrl,
    "select encrypted_secret as secret from webhooks where encrypted_secret <> '' union all select key from challenge_key",
  );
  expect(secrets.length).toBeGreaterThan(1);
  for (const { secret } of secrets) {
    for (const form of [secret, secret.toString('hex'), secret.toString('base64')]) {
      expect(bytes.includes(form)).toBe(false);
    }
  }
  expect((await stat(archive)).mode & 0o077).toBe(0);
});

test('no person is readable', async () => {
  const bytes = await readFile(archive);
  // As testing/audited-writes.ts invites and names them.
  for (const text of ['ada@example.org', 'omar@example.org', 'a note'])
    expect(bytes.includes(text)).toBe(false);
});

test('a file that exists is not replaced', async () => {
  const file = join(dataDir, 'existing');
  await writeFile(file, 'mine');
  await expect(exportTo(file, configOf(dataDir, service.databaseUrl))).rejects.toThrow(/exists already/);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('a configuration of another deployment, or without seeds, is refused', async () => {
  const env = { LOG_LEVEL: 'silent', BADGE_DATA_DIR: dataDir, DATABASE_URL: service.databaseUrl };
  const file = join(dataDir, 'other.tar');
  await expect(exportTo(file, readConfig({ ...env, BADGE_CHAIN_ID: '5' }))).rejects.toThrow(
    /^The database belongs to another deployment/,
  );
  await expect(exportTo(file, readConfig({ ...env, BADGE_ROLE: 'worker' }))).rejects.toThrow(
    /^a worker has no seeds/,
  );
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
});

test('a key that the configuration lacks is null in the manifest', async () => {
  const url = await createDatabase();
  const contract = '0x2000000000000000000000000000000000000002';
  await query(
    url,
    "insert into deployment (environment, chain_id, verifying_contract) values ('production', 137, $1)",
    [Buffer.from(contract.slice(2), 'hex')],
  );
  const config = readConfig({
    LOG_LEVEL: 'silent',
    BADGE_ENVIRONMENT: 'production',
    BADGE_ADMIN_KEY: 'k3y-of-an-operator-for-a-test-1234567890',
    PUBLIC_URL: 'https://badge.example',
    BADGE_VERIFYING_CONTRACT: contract,
    BADGE_DATA_DIR: dataDir,
    DATABASE_URL: url,
    BADGE_ISSUER_SEED_FILE: join(dataDir, 'issuer-seed'),
  });
  const { keys } = await exportTo(join(dataDir, 'production.tar'), config);
  const { keys: sandboxKeys } = JSON.parse(await readWithTar(archive, 'manifest.json')) as Manifest;
  expect(keys).toEqual({
    creatorSeed: null,
    issuerSeed: sandboxKeys.issuerSeed,
    holderSeed: null,
    encryptionKey: null,
  });
  expect(new Set(Object.values(sandboxKeys)).size).toBe(4);
});

test('pending operations are waited for, and refused if nobody settles them', async () => {
  const url = await createDatabase();
  await query(
    url,
    "insert into deployment (environment, chain_id, verifying_contract) values ('sandbox', 80001, $1)",
    [Buffer.from(DEFAULT_CONTRACT, 'hex')],
  );
  await query(
    url,
    "insert into communities (community_id, display_id, name, description) values ('a', 'a', 'a', '')",
  );
  await query(
    url,
    `insert into operations (operation_id, operation_type, community_id, request_bytes)
     values (gen_random_uuid(), 'claim', 'a', 0)`,
  );
  const file = join(dataDir, 'pending.tar');
  const config = configOf(dataDir, url);
  await expect(exportInstallation(config, file, { progress: SILENT, maxWaitMs: 0 })).rejects.toThrow(
    /1 operations are not settled/,
  );
  await expect(stat(`${file}.part`)).rejects.toThrow(/ENOENT/);
  const waiting = new Promise<void>((resolve) => {
    void exportInstallation(config, file, { progress: { report: () => resolve() } });
  });
  await waiting;
  await query(url, "update operations set status = 'error', error = '{}', completed_at = now()");
  await expect
    .poll(() =>
      stat(file).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await readWithTar(file, 'operations.ndjson')).toContain('"status":"error"');
});
