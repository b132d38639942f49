import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type BadgeOptions, type BadgeService, readLog } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, spawnTestBadge, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { holdLock, query } from '@badge/test-support/sql';
import { countWrongTokenLists } from '@badge/test-support/token-lists';
import { expect, test, vi } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import {
  createToken,
  listTokens,
  postToken,
  readOperation,
  signTokens,
} from '../../src/testing/creations.ts';

const NAMES = Object.keys(MIGRATIONS);
// The later release is this one, with one more migration.
const TRIAL = '9000-trial';
const TRIAL_MODULE = fileURLToPath(new URL('../../src/testing/trial-migration.ts', import.meta.url));
const LATER_RELEASE = { imports: [TRIAL_MODULE] };

const listMigrations = (databaseUrl: string) =>
  query(databaseUrl, 'select name from kysely_migration order by name').then((rows) =>
    rows.map(({ name }) => name),
  );
const listTrialColumns = (databaseUrl: string) =>
  query(
    databaseUrl,
    `select table_name from information_schema.columns where column_name = 'trial' order by 1`,
  ).then((rows) => rows.map(({ table_name }) => table_name));

/** Creates, claims and reads tokens on the processes in `targets`, until `stop` is called. */
function startLoad(bodies: Awaited<ReturnType<typeof signTokens>>, first: BadgeService) {
  const targets = [first];
  const tokens = new Map<string, object>();
  const claims: string[] = [];
  const statuses = new Map<number, number>();
  const callsInFlight = new Map<BadgeService, Set<Promise<Response>>>();
  const remaining = bodies.values();
  let attempts = 0;
  let isStopping = false;

  // Sends a request. If it fails with 503, sends the request again, to the next process.
  async function callUntilAvailable(call: (service: BadgeService) => Promise<Response>): Promise<Response> {
    for (;;) {
      const target = targets[attempts % targets.length] ?? first;
      attempts += 1;
      const calling = call(target);
      const inFlight = callsInFlight.get(target) ?? new Set();
      callsInFlight.set(target, inFlight.add(calling));
      const response = await calling.finally(() => inFlight.delete(calling));
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status !== 503) return response;
      await response.text();
    }
  }
  async function createAndClaim(): Promise<void> {
    for (const body of remaining) {
      if (isStopping) return;
      const created = await callUntilAvailable((service) => postToken(service, body));
      const location = created.headers.get('location') ?? '';
      tokens.set(location, body);
      const operation = await callUntilAvailable(({ url }) => fetch(`${url}${location}?wait=30`));
      const { resourceId } = (await operation.json()) as { resourceId: number | null };
      if (resourceId === null || body.isAllowlistRequired) continue;
      const claimed = await callUntilAvailable(({ url, apiKey }) =>
        fetch(`${url}/v1/tokens/${resourceId}/claim`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
          body: JSON.stringify({ claimingAddress: `0x${randomBytes(20).toString('hex')}` }),
        }),
      );
      claims.push(claimed.headers.get('location') ?? '');
    }
  }
  async function readAll(): Promise<void> {
    while (!isStopping) {
      const response = await callUntilAvailable(({ url }) => fetch(`${url}/v1/tokens?limit=10&order=desc`));
      await response.json();
    }
  }

  const running = Promise.all([...Array.from({ length: 4 }, createAndClaim), readAll()]);
  return {
    targets,
    tokens,
    claims,
    statuses,
    waitForMoreTokens: (count: number) => {
      const wanted = tokens.size + count;
      return vi.waitFor(() => expect(tokens.size).toBeGreaterThanOrEqual(wanted), WAIT_OPTIONS);
    },
    /** Stops sending to a process, as a proxy does before that process is stopped. */
    async stopSendingTo(service: BadgeService) {
      targets.splice(targets.indexOf(service), 1);
      await Promise.all(callsInFlight.get(service) ?? []);
    },
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

test('a rolling upgrade with a migration under load: both releases serve, and nothing is lost', async () => {
  const bodies = await signTokens(400);
  const databaseUrl = await createDatabase('empty');
  const keys = { BADGE_DEMO_API_KEY: makeKey('sandbox'), BADGE_ADMIN_KEY: makeKey('admin') };
  const start = async (options?: BadgeOptions) =>
    startTestBadge({ DATABASE_URL: databaseUrl, BADGE_DATA_DIR: await makeDataDir(), ...keys }, options);
  const former = await start();
  const load = startLoad(bodies, former);
  await load.waitForMoreTokens(30);

  const later = await start(LATER_RELEASE);
  expect(await listMigrations(databaseUrl)).toEqual([...NAMES, TRIAL]);
  load.targets.push(later);
  await load.waitForMoreTokens(30);
  expect((await fetch(`${former.url}/readyz`)).status).toBe(200);
  await load.stopSendingTo(former);
  expect(await former.end('SIGTERM'), former.output.stderr).toBe(0);
  await load.waitForMoreTokens(30);
  await load.stop();

  expect([...load.statuses.keys()].filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
  const ids = Array.from({ length: load.tokens.size }, (_, index) => index + 1);
  const created = new Map<unknown, object>();
  for (const [location, body] of load.tokens) {
    const operation = await readOperation(later, location);
    expect(operation).toMatchObject({ status: 'success' });
    created.set(operation.resourceId, body);
  }
  const tokens = await listTokens(later);
  expect(tokens.map(({ tokenId }) => Number(tokenId))).toEqual(ids);
  for (const { tokenId, headline } of tokens)
    expect(created.get(Number(tokenId))).toMatchObject({ headline });
  for (const location of load.claims) {
    expect(await readOperation(later, location)).toMatchObject({ status: 'success' });
  }
  expect(await query(databaseUrl, 'select count(*)::integer as claims from claims')).toEqual([
    { claims: load.claims.length },
  ]);
  expect(await query(databaseUrl, 'select distinct trial from tokens')).toEqual([
    { trial: 'default of the trial migration' },
  ]);
});

test.for([
  { way: 'its process is killed', isProcessKilled: true },
  { way: 'its connection is ended', isProcessKilled: false },
])(
  'a migration interrupted in the middle ($way) is rolled back, and the next run of migrate applies it',
  async ({ isProcessKilled }) => {
    const databaseUrl = await createDatabase();
    // The migration changes one table, then waits for this lock on the other.
    const release = await holdLock(databaseUrl, 'operations', 'access share');
    const badge = spawnTestBadge({ DATABASE_URL: databaseUrl }, { ...LATER_RELEASE, command: 'migrate' });
    const backendPid = await vi.waitUntil(async () => {
      const [row] = await query<{ pid: number }>(
        databaseUrl,
        "select pid from pg_locks where not granted and relation = 'operations'::regclass",
      );
      return row?.pid;
    }, WAIT_OPTIONS);
    if (isProcessKilled) expect(await badge.end('SIGKILL')).toBe('SIGKILL');
    else {
      await query(databaseUrl, 'select pg_terminate_backend($1)', [backendPid]);
      expect(await badge.closed).toBe(1);
    }
    await release();
    await vi.waitFor(async () => {
      expect(await query(databaseUrl, 'select from pg_stat_activity where pid = $1', [backendPid])).toEqual(
        [],
      );
    }, WAIT_OPTIONS);
    expect(await listTrialColumns(databaseUrl)).toEqual([]);
    expect(await listMigrations(databaseUrl)).toEqual(NAMES);

    const next = spawnTestBadge({ DATABASE_URL: databaseUrl }, { ...LATER_RELEASE, command: 'migrate' });
    expect(await next.closed).toBe(0);
    expect(await listTrialColumns(databaseUrl)).toEqual(['operations', 'tokens']);
    expect(await listMigrations(databaseUrl)).toEqual([...NAMES, TRIAL]);
  },
);

// Inserts 2,000 operations. Every tenth has failed, and each of the others has created a token: 1,800 tokens.
// A token with an even id has an allowlist, which contains only the creator. A token with an odd id is open,
// and can be claimed 9 times.
const FILL_STATEMENTS = [
  "insert into communities (community_id, display_id, name, description) values ('demo', 'demo', 'Demo', 'of 1.0.0')",
  `insert into operations (operation_id, operation_type, status, community_id, request_bytes, resource_id, error, completed_at)
   select gen_random_uuid(), 'createToken', case when n % 10 = 0 then 'error' else 'success' end, 'demo', 100,
          case when n % 10 <> 0 then n - n / 10 end, case when n % 10 = 0 then '{"name": "InternalError", "detail": ""}'::jsonb end, now()
   from generate_series(1, 2000) as n`,
  `insert into tokens (token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
     is_signature_required, is_allowlist_required, total_claim_count, remaining_claim_count, custom_attributes, signature, created_at)
   select resource_id, operation_id, 'demo', decode(lpad(to_hex(resource_id), 40, '0'), 'hex'), 'Token ' || resource_id, '', '[]',
     'defaultOrangeRed', false, resource_id % 2 = 0, nullif((resource_id % 2) * 9, 0), nullif((resource_id % 2) * 9, 0), '[]', '\\x00', created_at
   from operations where status = 'success'`,
  `insert into allowlist_entries (token_id, contributor_key, position, added_at)
   select token_id, creator, 1, created_at from tokens where is_allowlist_required`,
  'update token_counter set last_token_id = (select max(token_id) from tokens)',
];

test('two concurrent processes migrate a filled database of 1.0.0 once, and keep its data', async () => {
  const databaseUrl = await createDatabase();
  for (const statement of FILL_STATEMENTS) await query(databaseUrl, statement);
  const countRows = () =>
    query(
      databaseUrl,
      `select (select count(*) from communities) as communities, (select count(*) from operations) as operations,
              (select count(*) from tokens) as tokens, (select count(*) from allowlist_entries) as entries,
              (select count(*) from token_counter) as counters`,
    );
  const tokensBefore = await query(databaseUrl, 'select to_jsonb(t) as row from tokens t order by token_id');
  const countsBefore = await countRows();

  const command = 'migrate';
  const processes = [1, 2].map(() =>
    spawnTestBadge({ DATABASE_URL: databaseUrl }, { ...LATER_RELEASE, command }),
  );
  for (const badge of processes) expect(await badge.closed, badge.output.stderr).toBe(0);
  const migrated = processes.flatMap(({ output }) =>
    readLog(output.stderr).flatMap((line) => line.migrations),
  );
  expect(migrated).toEqual([TRIAL]);
  expect(await listMigrations(databaseUrl)).toEqual([...NAMES, TRIAL]);
  expect(await countRows()).toEqual(countsBefore);
  const tokensAfter = await query(databaseUrl, 'select to_jsonb(t) as row from tokens t order by token_id');
  expect(tokensAfter).toMatchObject(tokensBefore);
  expect(await countWrongTokenLists(databaseUrl)).toBe(0);

  const service = await startTestBadge(
    { DATABASE_URL: databaseUrl, BADGE_DATA_DIR: await makeDataDir() },
    LATER_RELEASE,
  );
  const listed = await listTokens(service);
  expect(listed.map(({ headline }) => headline)).toEqual(
    Array.from({ length: 1800 }, (_, index) => `Token ${index + 1}`),
  );
  const wallet = `0x${(1800).toString(16).padStart(40, '0')}`;
  const walletTokens = await (await fetch(`${service.url}/v1/wallets/${wallet}/tokens`)).json();
  expect(walletTokens).toMatchObject({ data: [{ badgeTokenId: 1800, claimStatus: 'unclaimed' }] });
  const claimed = await fetch(`${service.url}/v1/tokens/1800/claim`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.apiKey}` },
    body: JSON.stringify({ claimingAddress: wallet }),
  });
  expect(await readOperation(service, claimed.headers.get('location') ?? '')).toMatchObject({
    status: 'success',
    resourceId: 1800,
  });
  expect(await createToken(service)).toMatchObject({ resourceId: 1801 });
});
