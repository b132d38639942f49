import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@badge/test-support/sql';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeAll, expect, test } from 'vitest';
import type { CommunityManifest } from '../../src/archive/manifest.ts';
import { createTar, openTar } from '../../src/archive/tar.ts';
import { READERS } from '../../src/arrivals/formats.ts';
import {
  type PeopleChoice,
  writeCommunityArchive,
} from '../../src/domain/archives/write-community-archive.ts';
import { importArrivals } from '../../src/domain/imports/import-arrivals.ts';
import { decryptPerson } from '../../src/domain/recipients/rules.ts';
import { toAddress } from '../../src/signatures/address.ts';
import type { PersonalFields } from '../../src/storage/recipients.ts';
import {
  carryKeys,
  configOf,
  exportTo,
  importFrom,
  listWithTar,
  readWithTar,
  SILENT,
} from '../../src/testing/archives.ts';
import { IMPORTER } from '../../src/testing/arrivals.ts';
import { startFilledService } from '../../src/testing/filled-installation.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let source: TestService;
let target: TestService;
let directory: string;

beforeAll(async () => {
  [source, target] = [await startFilledService(), await startTestService()];
  directory = await mkdtemp(join(tmpdir(), 'badge-round-trip-'));
  await keepBadge();
  await query(
    source.databaseUrl,
    `update tokens t set nft_type_id = n.nft_type_id, asset_content_type = a.content_type
     from nft_types n join assets a using (asset_id)
     where n.community_id = 'demo' and t.token_id = (select min(token_id) from tokens where community_id = 'demo')`,
  );
});

const KEPT_EMAIL = 'kept@example.org';

/** Somebody has a badge without a wallet. */
async function keepBadge(): Promise<void> {
  const [owner] = await query<{ address: Buffer; token_id: number; key: Buffer }>(
    source.databaseUrl,
    `select address, token_id::integer, r.contributor_key as key from recipients r
     join claims c using (token_id, address) join tokens t using (token_id)
     where burnt_at is null and community_id = 'demo' and replaced_by_token_id is null and email is null limit 1`,
  );
  if (owner === undefined) throw new Error('nobody has a badge');
  const encrypted = source.context.encryption?.encrypt('emailAddress', owner.key.toString('hex'), KEPT_EMAIL);
  await query(
    source.databaseUrl,
    'update recipients set email = $1, email_hash = $2 where token_id = $3 and contributor_key = $4',
    [encrypted, createHash('sha256').update(KEPT_EMAIL).digest(), owner.token_id, owner.key],
  );
  await query(
    source.databaseUrl,
    "insert into kept_addresses (address, community_id, email_hash) values ($1, 'demo', $2)",
    [owner.address, createHash('sha256').update(KEPT_EMAIL).digest()],
  );
}

async function exportDemo(name: string, people: PeopleChoice): Promise<string> {
  const file = join(directory, name);
  await writeCommunityArchive(source.context, file, { communityId: 'demo', people, progress: SILENT });
  return file;
}

interface Import {
  lines: string[];
  result: Awaited<ReturnType<typeof importArrivals>>;
}

async function importInto(
  { context }: TestService,
  path: string,
  { communityId = 'demo', identityFile = null as string | null, isDryRun = false } = {},
): Promise<Import> {
  const lines: string[] = [];
  const read = READERS.badge;
  if (read === undefined) throw new Error('there is no reader');
  const arrivals = read({
    name: 'the file',
    path,
    mapping: {},
    picturesFolder: null,
    fetchUrl: null,
    identityFile,
  });
  const result = await importArrivals(context, arrivals, {
    communityId,
    importer: toAddress(Buffer.from(IMPORTER.slice(2), 'hex')),
    actor: { kind: 'operator', apiKeyId: null },
    isDryRun,
    onLine: ({ place, outcome, detail }) => void lines.push(`${place} ${outcome}: ${detail}`),
  });
  return { lines, result };
}

// Columns that an import makes new: ids, who made it, operations and signatures.
const TOKEN = `headline, description, start_timestamp, end_timestamp, links, custom_attributes, criteria,
  claimable_from_timestamp, valid_until, validity_days, is_signature_required, is_allowlist_required,
  total_claim_count, expiration_timestamp, created_at, is_hidden, asset_content_type`;
const SOURCE_ID = { source: 'token_id::text', target: 'imported_id' };

/** Reads rows of the demo of both, by the former id of the token. */
async function compare(select: (id: string, extra: string) => string): Promise<[unknown[], unknown[]]> {
  const former = await query(source.databaseUrl, select(SOURCE_ID.source, ''));
  const now = await query(target.databaseUrl, select(SOURCE_ID.target, 'and imported_at is not null'));
  return [former, now];
}

test('every badge, owner, entry, link and picture of a community arrives, and only once', async () => {
  const file = await exportDemo('plain.tar', { kind: 'plain' });
  const planned = await importInto(target, file, { isDryRun: true });
  const imported = await importInto(target, file);
  expect(imported.lines.filter((line) => line.includes('problem'))).toEqual([]);
  expect(imported.result.skipped).toBe(0);
  expect(planned.result).toEqual(imported.result);

  const tokens = await compare(
    (id, extra) => `select ${id} as id, ${TOKEN} from tokens where community_id = 'demo' ${extra} order by 1`,
  );
  expect(tokens[0].length).toBeGreaterThan(10);
  expect(tokens[1]).toEqual(tokens[0]);

  // The one who keeps a badge with an e-mail has it at another address.
  const owners = await compare(
    (id, extra) =>
      `select ${id} as id, case when k.address is null then encode(c.address, 'hex') end as address, claimed_at,
         burnt_at, ending, encode(moved_from, 'hex') as moved_from, renewed_until
       from claims c join tokens t using (token_id) left join kept_addresses k using (address)
       where t.community_id = 'demo' and replaced_by_token_id is null ${extra} order by 1, 2`,
  );
  expect(owners[0].length).toBeGreaterThan(10);
  expect(owners[1]).toEqual(owners[0]);
  for (const ending of ['revoked', 'moved'])
    expect(owners[0]).toContainEqual(expect.objectContaining({ ending }));
  expect(owners[0]).toContainEqual(expect.objectContaining({ address: null, burnt_at: null }));

  // Who was imported as an owner is listed with the address. An entry that was used is that of its owner.
  const entries = await compare(
    (id, extra) =>
      `select ${id} as id, coalesce(a.identifier, encode(a.contributor_key, 'hex')) as entry
       from allowlist_entries a join tokens t using (token_id)
       where t.community_id = 'demo' and replaced_by_token_id is null ${extra}
         and not exists (
           select from claims c where c.token_id = a.token_id and a.contributor_key in (c.contributor_key, c.address)
         )
         and coalesce(a.identifier, '') not like 'claimLink:%'
       order by 1, 2`,
  );
  expect(entries[0].length).toBeGreaterThan(5);
  expect(entries[1]).toEqual(entries[0]);

  const links = await compare(
    (id, extra) =>
      `select ${id} as id, encode(code_hash, 'hex') as code, l.identifier, l.created_at, expires_at, starts_at, paused_at,
         max_claims, claim_count, max_claims_per_client, l.is_signature_required
       from claim_links l join tokens t using (token_id)
       where t.community_id = 'demo' and not is_used and revoked_at is null ${extra} order by 1, 2`,
  );
  expect(links[0].length).toBeGreaterThan(3);
  expect(links[1]).toEqual(links[0]);

  const pictures = await compare(
    (id, extra) =>
      `select ${id} as id, encode(content_hash, 'hex') as hash, content_type from tokens t
       join nft_types n using (community_id, nft_type_id) join assets a using (asset_id)
       where t.community_id = 'demo' and asset_content_type is not null ${extra} order by 1`,
  );
  expect(pictures[0].length).toBeGreaterThan(0);
  expect(pictures[1]).toEqual(pictures[0]);

  const again = await importInto(target, file);
  expect(again.result).toEqual({ ...imported.result, imported: 0, skipped: imported.result.imported });
});

/** What is known about whom, by the former id of the token. */
async function readKnown({ databaseUrl, context }: TestService, where: string): Promise<(string | null)[][]> {
  const rows = await query<PersonalFields & { id: string; key: Buffer }>(
    databaseUrl,
    `select ${databaseUrl === source.databaseUrl ? 'token_id::text' : 'imported_id'} as id, r.contributor_key as key, r.name, r.email, r.note
     from recipients r join tokens t using (token_id)
     where num_nonnulls(r.name, r.email, r.note) > 0 and removed_at is null and ${where}`,
  );
  return rows
    .map(({ id, key, ...person }) => [id, ...Object.values(decryptPerson(context.encryption, key, person))])
    .sort();
}

test('what the community knows about people arrives with them', async () => {
  const former = await readKnown(source, "community_id = 'demo' and replaced_by_token_id is null");
  expect(former.length).toBeGreaterThan(3);
  expect(await readKnown(target, "community_id = 'demo' and imported_at is not null")).toEqual(former);
});

test('an old id of a badge that was replaced leads to the one that people have', async () => {
  const [row] = await query<{ former: string; now: string }>(
    target.databaseUrl,
    `select o.imported_id as former, n.imported_id as now from tokens o
     join tokens n on n.token_id = o.replaced_by_token_id where o.imported_at is not null`,
  );
  const [expected] = await query<{ now: string }>(
    source.databaseUrl,
    'select replaced_by_token_id::text as now from tokens where token_id = $1',
    [row?.former],
  );
  expect(row?.now).toBe(expected?.now);
});

async function createCommunity(communityId: string): Promise<string> {
  await query(
    target.databaseUrl,
    "insert into communities (community_id, display_id, name, description) values ($1, $1, $1, '')",
    [communityId],
  );
  return communityId;
}

/** Of a second import, the codes of links are taken. */
const withoutLinks = ({ lines }: Import) => lines.filter((line) => !line.startsWith('claim-links.'));

test('people who are encrypted arrive with the identity of their key, and without it they have no name', async () => {
  const identity = await generateIdentity();
  const recipientKey = await identityToRecipient(identity);
  const file = await exportDemo('encrypted.tar', { kind: 'encrypted', recipientKey });
  const identityFile = join(directory, 'key.txt');
  await writeFile(identityFile, `# created: today\n# public key: ${recipientKey}\n${identity}\n`);
  const withKey = await importInto(target, file, {
    communityId: await createCommunity('with-key'),
    identityFile,
  });
  expect(withoutLinks(withKey).filter((line) => line.includes('problem'))).toEqual([]);
  const known = await readKnown(target, "community_id = 'with-key'");
  const listed = await readKnown(
    target,
    "community_id = 'demo' and imported_at is not null and claim_link_id is null",
  );
  for (const person of listed) expect(known).toContainEqual(person);

  const withoutKey = await importInto(target, file, { communityId: await createCommunity('without-key') });
  const [first, ...others] = withoutLinks(withoutKey).filter((line) => line.includes('problem'));
  expect(first).toMatch(/^people\.ndjson\.age problem: it is encrypted/);
  // At the kept address of another installation, nobody would have the badge.
  expect(others.length).toBeGreaterThan(0);
  for (const line of others)
    expect(line).toMatch(/^owners\.ndjson:\d+ problem: it is kept for an e-mail that the file does not have/);
  const owners = await query(
    target.databaseUrl,
    "select address from claims join tokens using (token_id) where community_id = 'without-key'",
  );
  const former = await query<{ address: Buffer }>(source.databaseUrl, 'select address from kept_addresses');
  expect(former.length).toBeGreaterThan(0);
  for (const { address } of former) expect(owners).not.toContainEqual({ address });
  expect(await readKnown(target, "community_id = 'without-key'")).toEqual([]);

  await writeFile(identityFile, await generateIdentity());
  await expect(importInto(target, file, { communityId: 'without-key', identityFile })).rejects.toThrow(
    'people.ndjson.age cannot be decrypted',
  );
  for (const none of ['no identity', '# only a comment']) {
    await writeFile(identityFile, none);
    await expect(importInto(target, file, { communityId: 'without-key', identityFile })).rejects.toThrow(
      'the file of --identity has no age identity',
    );
  }
});

/** Copies an archive, with another content of one file. Unless `isSummed`, the manifest stays as it was. */
async function alter(
  file: string,
  name: string,
  change: (text: string) => string,
  isSummed: boolean,
): Promise<string> {
  const altered = join(directory, `altered-${name}-${isSummed}.tar`);
  const tar = await createTar(altered);
  const manifest = JSON.parse(await readWithTar(file, 'manifest.json')) as CommunityManifest;
  const former = await openTar(file);
  for (const entry of await listWithTar(file)) {
    if (entry === 'manifest.json') continue;
    if (entry !== name) {
      await tar.add(entry, former.read(entry));
      continue;
    }
    const bytes = Buffer.from(change(await readWithTar(file, entry)));
    await tar.add(entry, toStream(bytes));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (isSummed)
      manifest.files = manifest.files.map((one) =>
        one.name === name ? { ...one, bytes: bytes.length, sha256 } : one,
      );
  }
  await tar.add('manifest.json', toStream(Buffer.from(JSON.stringify(manifest))));
  await tar.end();
  await Promise.all([tar.close(), former.close()]);
  return altered;
}

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

test('a damaged or altered archive is refused with the line, before anything is imported', async () => {
  const file = await exportDemo('whole.tar', { kind: 'none' });
  const communityId = await createCommunity('damaged');
  const import_ = (path: string) => importInto(target, path, { communityId });
  const burn = (text: string) => text.replace('"burntAtTimestamp":null', '"burntAtTimestamp":1234');
  await expect(import_(await alter(file, 'owners.ndjson', burn, false))).rejects.toThrow(
    'owners.ndjson is damaged',
  );
  const breakThird = (text: string) =>
    text
      .split('\n')
      .map((line, index) => (index === 2 ? line.replace('"address":"0x', '"address":"0y') : line))
      .join('\n');
  await expect(import_(await alter(file, 'owners.ndjson', breakThird, true))).rejects.toThrow(
    /^owners\.ndjson, line 3: \/address must match pattern/,
  );
  const rename = (text: string) => text.replace('"headline":"', '"headline":"Not ');
  await expect(import_(await alter(file, 'tokens.ndjson', rename, true))).rejects.toThrow(
    /^tokens\.ndjson, line 1: the signature is not that of 0x/,
  );
  const truncated = join(directory, 'truncated.tar');
  await writeFile(truncated, (await readFile(file)).subarray(0, 20_000));
  await expect(import_(truncated)).rejects.toThrow('the archive is truncated');
  const rows = await query(target.databaseUrl, "select from tokens where community_id = 'damaged'");
  expect(rows).toEqual([]);
});

test('each kind of archive is refused where the other one is expected, and the message says what to do', async () => {
  const dataDir = await carryKeys(source.dataDir);
  const installation = join(directory, 'installation.tar');
  await exportTo(installation, configOf(dataDir, source.databaseUrl));
  await expect(importInto(target, installation)).rejects.toThrow(
    'it is the archive of an installation, which is only imported into an empty one',
  );
  const community = await exportDemo('community.tar', { kind: 'none' });
  await expect(importFrom(community, configOf(dataDir, source.databaseUrl))).rejects.toThrow(
    'it is the archive of the community demo: import it into a community',
  );
});
