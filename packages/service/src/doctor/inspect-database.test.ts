import { randomUUID } from 'node:crypto';
import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { CONNECTIONS_PER_PROCESS } from '../storage/database.ts';
import { type DatabaseFacts, readDatabaseFacts } from '../storage/inspection.ts';
import type { Finding } from './finding.ts';
import { inspectDatabase } from './inspect-database.ts';
import { inspectDurability } from './inspect-durability.ts';

let healthy: DatabaseFacts;
beforeAll(async () => {
  healthy = await readFacts(await createDatabase());
});

const configured = readConfig({});
function inspectAll(facts: DatabaseFacts): Finding[] {
  return [
    ...inspectDatabase(facts, { isInUse: true, configured }),
    ...inspectDurability(facts, { isEmbedded: true }),
  ];
}
const findComplaints = (facts: DatabaseFacts) =>
  inspectAll(facts)
    .filter(({ level }) => level !== 'ok')
    .map(({ level, check }) => `${level} ${check}`);
// The tests' server is faster with these settings off. `doctor.slow.test.ts` checks that doctor reports them.
const DURABLE = { fsync: 'on', full_page_writes: 'on', autovacuum: 'on' };
async function readFacts(url: string): Promise<DatabaseFacts> {
  const facts = await readDatabaseFacts({ connectionString: url });
  return { ...facts, settings: { ...facts.settings, ...DURABLE } };
}

test('doctor finds nothing wrong with a healthy database', () => {
  expect(findComplaints(healthy)).toEqual([]);
  expect(inspectAll(healthy).map(({ check }) => check)).toContain('durability');
});

async function alterDatabase(change: string): Promise<string> {
  const url = await createDatabase();
  await query(url, `alter database ${new URL(url).pathname.slice(1)} ${change}`);
  return url;
}

test.each([
  ['set synchronous_commit = off', 'warning synchronous_commit'],
  ['set zero_damaged_pages = on', 'problem zero_damaged_pages'],
  ['set ignore_checksum_failure = on', 'problem ignore_checksum_failure'],
  ['set default_transaction_read_only = on', 'problem writes'],
  [`connection limit ${2 * CONNECTIONS_PER_PROCESS - 1}`, 'warning connections'],
  [`connection limit ${CONNECTIONS_PER_PROCESS - 1}`, 'problem connections'],
])('doctor reports the effect of: alter database … %s', async (change, complaint) => {
  expect(findComplaints(await readFacts(await alterDatabase(change)))).toEqual([complaint]);
});

test('doctor reports a database of another deployment', async () => {
  const url = await createDatabase();
  const record = (chainId: number) =>
    query(
      url,
      `insert into deployment (environment, chain_id, verifying_contract)
       values ('sandbox', $1, decode('1000000000000000000000000000000000000001', 'hex'))
       on conflict (is_only_row) do update set chain_id = excluded.chain_id`,
      [chainId],
    );
  await record(80001);
  expect(findComplaints(await readFacts(url))).toEqual([]);
  await record(137);
  expect(findComplaints(await readFacts(url))).toEqual(['problem deployment']);
  const finding = inspectAll(await readFacts(url)).find(({ check }) => check === 'deployment');
  expect(finding?.found).toMatch(/sandbox, chain 137, .* sandbox, chain 80001, /);
});

test('doctor reports a login trigger that switches synchronous_commit off', async () => {
  const url = await createDatabase();
  await query(
    url,
    `create function weaken() returns event_trigger language plpgsql
     as $$ begin set synchronous_commit = off; end $$`,
  );
  await query(url, 'create event trigger weaken on login execute function weaken()');
  expect(findComplaints(await readFacts(url))).toEqual(['problem synchronous_commit']);
});

test.each([
  ['alter table allowlist_entries set unlogged', ['problem unlogged tables']],
  ["insert into kysely_migration values ('9999-from-later', '')", ['problem migrations']],
])('doctor reports the effect of: %s', async (statement, expected) => {
  const url = await createDatabase();
  // PostgreSQL does not make a table unlogged while a foreign key refers to it.
  await query(url, 'alter table claims drop constraint claims_token_id_contributor_key_fkey');
  await query(url, statement);
  expect(findComplaints(await readFacts(url))).toEqual(expected);
});

test('doctor warns before the first migration', async () => {
  expect(findComplaints(await readFacts(await createDatabase('empty')))).toEqual(['warning migrations']);
});

test('doctor reports a role that may not create tables', async () => {
  const url = new URL(await createDatabase('empty'));
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await query(url.href, `create role ${role} login`);
  url.username = role;
  expect(findComplaints(await readFacts(url.href))).toEqual(['problem migrations']);
  await query(url.href.replace(role, 'badge'), `drop role ${role}`);
});

test('doctor reports a database that is not in UTF-8', async () => {
  const url = new URL(await createDatabase('empty'));
  const name = `ascii_${randomUUID().replaceAll('-', '')}`;
  await query(
    url.href,
    `create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  );
  url.pathname = `/${name}`;
  expect(findComplaints(await readFacts(url.href))).toEqual(['problem encoding', 'warning migrations']);
});

test.each([
  ['2 minutes', 'warning operations'],
  ['2 hours', 'problem operations'],
])(
  'doctor reports an operation that has been pending for %s, if a service may be running',
  async (age, complaint) => {
    const url = await createDatabase();
    await query(url, "insert into communities values ('a', 'a', 'a', '')");
    await query(
      url,
      `insert into operations (operation_id, operation_type, community_id, request_bytes, created_at)
     values (gen_random_uuid(), 'createToken', 'a', 0, now() - $1::interval)`,
      [age],
    );
    const facts = await readFacts(url);
    expect(findComplaints(facts)).toEqual([complaint]);
    const findingsIfUnused = inspectDatabase(facts, { isInUse: false, configured });
    expect(findingsIfUnused.filter(({ level }) => level !== 'ok')).toEqual([]);
  },
);

const settings = (changes: Partial<DatabaseFacts['settings']>) => ({
  settings: { ...healthy.settings, ...changes },
});
test.each<[string, () => Partial<DatabaseFacts>, string]>([
  ['an old server', () => settings({ server_version_num: '140012' }), 'problem PostgreSQL'],
  ['a standby', () => ({ isInRecovery: true }), 'problem writes'],
  ['no checksums', () => settings({ data_checksums: 'off' }), 'warning data_checksums'],
  ['a clock ahead', () => ({ clockSkewMs: 5_001 }), 'warning clock'],
  ['a clock far behind', () => ({ clockSkewMs: -60_001 }), 'problem clock'],
  ['old transaction ids', () => ({ transactionIdAge: 1_000_000_001 }), 'warning transactions'],
  ['transaction ids that run out soon', () => ({ transactionIdAge: 1_800_000_001 }), 'problem transactions'],
  ['an old transaction', () => ({ longestTransactionMs: 300_001 }), 'warning transactions'],
  [
    'connections of other programs',
    () => ({ connections: { otherPrograms: Number(healthy.settings.max_connections) - 10, limit: null } }),
    'problem connections',
  ],
])('doctor reports %s', (_name, changes, complaint) => {
  expect(findComplaints({ ...healthy, ...changes() })).toEqual([complaint]);
});

test('the facts contain the duration of the longest transaction and the number of connections of other programs', async () => {
  const url = await createDatabase();
  const before = await readFacts(url);
  expect(before.longestTransactionMs).toBe(0);
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin');
  await client.query('select');
  const facts = await readFacts(url);
  await client.end();
  expect(facts.longestTransactionMs).toBeGreaterThan(0);
  expect(facts.connections.otherPrograms).toBeGreaterThan(0);
});
