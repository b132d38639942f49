import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { query } from '@badge/test-support/sql';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { COMMUNITY_NOUNS, PEOPLE } from '../../src/archive/community-nouns.ts';
import { fileOf } from '../../src/archive/lines.ts';
import { COMMUNITY_MANIFEST_SCHEMA, type CommunityManifest } from '../../src/archive/manifest.ts';
import { NOUNS, schemaOf } from '../../src/archive/nouns.ts';
import { ArchiveError } from '../../src/archive/tar.ts';
import { runCli } from '../../src/cli/cli.ts';
import {
  type PeopleChoice,
  writeCommunityArchive,
} from '../../src/domain/archives/write-community-archive.ts';
import { stderr } from '../../src/output.ts';
import { carryKeys, listWithTar, readWithTar, SILENT, withoutLeftOut } from '../../src/testing/archives.ts';
import { startFilledService } from '../../src/testing/filled-installation.ts';
import type { TestService } from '../../src/testing/services.ts';

// As testing/audited-writes.ts invites, names and lists them.
const PERSONAL = ['ada@example.org', 'omar@example.org', 'a note', 'Ada'];
const COMMUNITIES = ['demo', 'other'];

let service: TestService;
let dataDir: string;

beforeAll(async () => {
  service = await startFilledService();
  dataDir = await carryKeys(service.dataDir);
  await divideCommunity(service.databaseUrl);
  for (const communityId of COMMUNITIES) await exportCommunity(communityId);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const archiveOf = (communityId: string) => join(dataDir, `${communityId}.tar`);

async function exportCommunity(
  communityId: string,
  file = archiveOf(communityId),
): Promise<CommunityManifest> {
  const people = { kind: 'none' } as const;
  return await writeCommunityArchive(service.context, file, { communityId, people, progress: SILENT });
}

/** Gives half of everything that the demo has to another community. So both have lines in every file. */
async function divideCommunity(databaseUrl: string): Promise<void> {
  const tables = await query<{ name: string }>(
    databaseUrl,
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'community_id' and table_name <> 'communities'`,
  );
  await query(
    databaseUrl,
    `insert into communities (community_id, display_id, name, description)
     values ('other', 'other', 'Other', '') on conflict do nothing`,
  );
  await query(
    databaseUrl,
    `set session_replication_role = replica;
     insert into issuer_keys select 'other', generation, sha256(public_key), created_at from issuer_keys;
     ${tables
       .filter(({ name }) => name !== 'issuer_keys')
       .map(
         ({ name }) => `
     update ${name} set community_id = 'other' where community_id = 'demo' and ctid in (
       select ctid from (
         select ctid, row_number() over (order by ctid) as position from ${name} where community_id = 'demo'
       ) numbered where position % 2 = 0
     );`,
       )
       .join('')}
     insert into status_lists (community_id, generation, base_url)
     select 'other', generation, base_url from status_lists limit 1;
     update credentials set list_id = (select list_id from status_lists where community_id = 'other')
     where created_at = (select min(created_at) from credentials);`,
  );
}

async function linesOf(communityId: string, name: string): Promise<string[]> {
  return (await readWithTar(archiveOf(communityId), name)).split('\n').slice(0, -1);
}

test('each file says which rows are those of a community, or why there is none', () => {
  for (const { name, ofCommunity, fields } of NOUNS) {
    if (typeof ofCommunity === 'string') {
      expect(ofCommunity, name).toMatch(/\.$/);
      continue;
    }
    const columns = Object.values(fields).map(({ column }) => column);
    for (const column of [...Object.keys(ofCommunity.hidden ?? {}), ...(ofCommunity.onlyAddresses ?? [])])
      expect(columns, name).toContain(column);
  }
});

test('the archives of all communities have every row once, and no row of another one', async () => {
  const others = await query<{ id: string }>(
    service.databaseUrl,
    'select community_id as id from communities where community_id <> all($1)',
    [COMMUNITIES],
  );
  for (const { id } of others) await exportCommunity(id);
  const all = [...COMMUNITIES, ...others.map(({ id }) => id)];
  for (const noun of COMMUNITY_NOUNS) {
    const counts = new Map<string, number>();
    for (const communityId of all) {
      const lines = await linesOf(communityId, fileOf(noun));
      counts.set(communityId, lines.length);
      for (const line of lines) {
        const { communityId: named = communityId, uniqId = communityId } = JSON.parse(line);
        expect([noun.name, named, uniqId]).toEqual([noun.name, communityId, communityId]);
      }
    }
    for (const communityId of COMMUNITIES)
      expect([noun.name, communityId, counts.get(communityId)]).not.toEqual([noun.name, communityId, 0]);
    const rows = await query<{ count: number }>(
      service.databaseUrl,
      // Some are of a person or of the operator, and of no community.
      `select count(*)::integer as count from ${noun.table}
       ${withoutLeftOut(noun)}
       ${['operations', 'events', 'audit_log'].includes(noun.table) ? 'where community_id in (select community_id from communities)' : ''}`,
    );
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    expect([noun.name, total]).toEqual([noun.name, rows[0]?.count]);
  }
});

test('no token id, address or text of another community is in an archive', async () => {
  // Who is in both communities, by a claim or by membership, may be in both archives.
  const [{ headline } = { headline: '' }] = await query<{ headline: string }>(
    service.databaseUrl,
    `update tokens set headline = 'Only of the other' where token_id = (
       select min(token_id) from tokens where community_id = 'other'
     ) returning headline`,
  );
  await exportCommunity('demo', join(dataDir, 'again.tar'));
  expect((await readFile(join(dataDir, 'again.tar'))).includes(headline)).toBe(false);
  for (const [own, other] of [COMMUNITIES, COMMUNITIES.toReversed()] as [string, string][]) {
    const tokens = await query<{ id: number }>(
      service.databaseUrl,
      'select token_id::integer as id from tokens where community_id = $1',
      [other],
    );
    const ids = new Set(tokens.map(({ id }) => id));
    for (const name of ['tokens', 'owners', 'contributors', 'claim-links', 'token-counts'])
      for (const line of await linesOf(own, `${name}.ndjson`))
        expect([name, ids.has((JSON.parse(line) as { tokenId: number }).tokenId)]).toEqual([name, false]);
  }
});

test('the files are as their schemas and the manifest say', async () => {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  for (const communityId of COMMUNITIES) {
    const archive = archiveOf(communityId);
    const manifest = JSON.parse(await readWithTar(archive, 'manifest.json')) as CommunityManifest;
    expect(ajv.validate(COMMUNITY_MANIFEST_SCHEMA, manifest), ajv.errorsText()).toBe(true);
    expect(manifest).toMatchObject({
      scope: 'community',
      communityId,
      publicUrl: service.context.settings.publicUrl,
    });
    expect(await listWithTar(archive)).toEqual([...manifest.files.map(({ name }) => name), 'manifest.json']);
    for (const noun of COMMUNITY_NOUNS) {
      const validate = ajv.compile(schemaOf(noun));
      for (const line of await linesOf(communityId, fileOf(noun)))
        expect(validate(JSON.parse(line)), `${noun.name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      const text = await readWithTar(archive, fileOf(noun));
      expect(manifest.files.find(({ name }) => name === fileOf(noun))).toMatchObject({
        lines: text.split('\n').length - 1,
        sha256: createHash('sha256').update(text).digest('hex'),
      });
    }
    const pictures = await linesOf(communityId, 'pictures.ndjson');
    expect(manifest.files.filter(({ name }) => name.startsWith('pictures/'))).toHaveLength(pictures.length);
  }
});

test('without people, nobody is named, and nobody can be guessed', async () => {
  const keys = await query<{ key: string }>(
    service.databaseUrl,
    `select encode(contributor_key, 'hex') as key from allowlist_entries where octet_length(contributor_key) = 32
     union all select encode(email_hash, 'hex') from recipients where email_hash is not null
     union all select encode(email_hash, 'hex') from kept_addresses
     union all select encode(encrypted_url, 'base64') from webhooks where encrypted_url <> ''`,
  );
  expect(keys.length).toBeGreaterThan(5);
  for (const communityId of COMMUNITIES) {
    const bytes = await readFile(archiveOf(communityId));
    for (const text of [...PERSONAL, ...keys.map(({ key }) => key)])
      expect([text, bytes.includes(text)]).toEqual([text, false]);
  }
});

test('only its owner can read the file, the same data gives the same bytes, and a failure leaves none', async () => {
  const file = join(dataDir, 'same.tar');
  await exportCommunity('other', file);
  const former = await readFile(file);
  await exportCommunity('other', file);
  expect((await readFile(file)).equals(former)).toBe(true);
  expect((await stat(file)).mode & 0o077).toBe(0);
  const missing = join(dataDir, 'missing.tar');
  await expect(exportCommunity('nobody', missing)).rejects.toThrow('there is no community nobody');
  for (const path of [missing, `${missing}.part`]) await expect(stat(path)).rejects.toThrow(/ENOENT/);
});

test('people are in one file, as text or encrypted for a key of age; the other files stay the same', async () => {
  const identity = await generateIdentity();
  const recipientKey = await identityToRecipient(identity);
  const plain = join(dataDir, 'plain.tar');
  const encrypted = join(dataDir, 'encrypted.tar');
  const write = (file: string, people: PeopleChoice) =>
    writeCommunityArchive(service.context, file, { communityId: 'demo', people, progress: SILENT });
  const none = await write(join(dataDir, 'none.tar'), { kind: 'none' });
  const withPeople = await write(plain, { kind: 'plain' });
  const secret = await write(encrypted, { kind: 'encrypted', recipientKey });
  const others = (manifest: CommunityManifest) =>
    manifest.files.filter(({ name }) => !name.startsWith('people.'));
  expect(others(secret)).toEqual(others(withPeople));
  // Without people, what somebody has typed as a reason is left out.
  const withoutReasons = (manifest: CommunityManifest) =>
    others(manifest).filter(({ name }) => name !== 'audit-log.ndjson');
  expect(withoutReasons(withPeople)).toEqual(withoutReasons(none));
  const reasonsOf = async (file: string) => {
    const text = await readWithTar(file, 'audit-log.ndjson');
    const reasons = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).reason);
    return reasons.filter((reason) => reason !== null);
  };
  expect((await reasonsOf(plain)).length).toBeGreaterThan(0);
  expect(await reasonsOf(join(dataDir, 'none.tar'))).toEqual([]);

  const people = await readWithTar(plain, 'people.ndjson');
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const validate = ajv.compile(schemaOf(PEOPLE));
  const lines = people.split('\n').slice(0, -1);
  for (const line of lines) expect(validate(JSON.parse(line)), ajv.errorsText(validate.errors)).toBe(true);
  const [row] = await query<{ count: number }>(
    service.databaseUrl,
    `select count(*)::integer as count from recipients join tokens using (token_id)
     where community_id = 'demo' and removed_at is null`,
  );
  expect(lines).toHaveLength(row?.count ?? -1);
  // Everybody is in one of the two.
  const otherFile = join(dataDir, 'plain-other.tar');
  const options = { communityId: 'other', people: { kind: 'plain' }, progress: SILENT } as const;
  await writeCommunityArchive(service.context, otherFile, options);
  const everybody = people + (await readWithTar(otherFile, 'people.ndjson'));
  for (const text of PERSONAL) expect([text, everybody.includes(text)]).toEqual([text, true]);

  const bytes = await readFile(encrypted);
  for (const text of PERSONAL) expect([text, bytes.includes(text)]).toEqual([text, false]);
  const { stdout } = await promisify(execFile)('tar', ['-xOf', encrypted, 'people.ndjson.age'], {
    encoding: 'buffer',
  });
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  expect(await decrypter.decrypt(stdout, 'text')).toBe(people);
});

test('people cannot be written for a key that is none, or without the encryption key', async () => {
  const file = join(dataDir, 'refused.tar');
  const write = (people: PeopleChoice, context = service.context) =>
    writeCommunityArchive(context, file, { communityId: 'demo', people, progress: SILENT });
  await expect(write({ kind: 'encrypted', recipientKey: 'age1none' })).rejects.toThrow(ArchiveError);
  await expect(write({ kind: 'plain' }, { ...service.context, encryption: null })).rejects.toThrow(
    /no encryption key/,
  );
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
});

test('an export stops if it is told to', async () => {
  const file = join(dataDir, 'stopped.tar');
  const stop = new AbortController();
  const progress = { report: () => stop.abort(new Error('stopped')) };
  const options = { communityId: 'demo', people: { kind: 'none' }, progress, signal: stop.signal } as const;
  await expect(writeCommunityArchive(service.context, file, options)).rejects.toThrow('stopped');
  await expect(stat(`${file}.part`)).rejects.toThrow(/ENOENT/);
});

test('the command writes the same archive as the service', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('BADGE_DATA_DIR', dataDir);
  vi.stubEnv('DATABASE_URL', service.databaseUrl);
  vi.stubEnv('PUBLIC_URL', service.context.settings.publicUrl);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(stderr, 'write').mockReturnValue();
  const file = join(dataDir, 'command.tar');
  expect(await runCli(['export', '--community', 'demo', '--people', 'plain', file])).toBe(0);
  const expected = join(dataDir, 'expected.tar');
  await writeCommunityArchive(service.context, expected, {
    communityId: 'demo',
    people: { kind: 'plain' },
    progress: SILENT,
  });
  expect((await readFile(file)).equals(await readFile(expected))).toBe(true);
  // A file that exists is not replaced.
  expect(await runCli(['export', '--community', 'demo', file])).toBe(1);
  const missing = join(dataDir, 'nothing.tar');
  expect(await runCli(['import', '--from', 'badge', '--community', 'demo', missing])).toBe(1);
  expect(stderr.write).toHaveBeenLastCalledWith(`badge: there is no file or folder ${missing}\n`);
});
