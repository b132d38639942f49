import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { query } from '@badge/test-support/sql';
import { atLeast, type Bench, type Figure, type Row } from '../figure.ts';
import { type BenchedService, checkNoneFailed, createOpenToken, startService } from '../service.ts';
import { signClaims } from '../signed-requests.ts';
import { DATA_SIZE } from '../sizes.ts';
import { median } from '../statistics.ts';
import { measureReads, READS } from './reads.ts';
import { measureWrites } from './writes.ts';

const WARM_UP_CLAIMS = 200;
const POLL_MS = 200;

/** The badges of many owners of one token end at the same time, while people claim and read other tokens. */
export const expiries: Figure = {
  name: 'expiries',
  async measure(bench) {
    const service = await startService(join(bench.directory, 'expiries'), DATA_SIZE, { hasAutovacuum: true });
    try {
      const rows = await measureExpiries({ ...bench, service });
      await checkNoneFailed(service.databaseUrl);
      return rows;
    } finally {
      await service.stop();
    }
  },
};

async function measureExpiries(bench: Bench): Promise<Row[]> {
  const { service, driver, extent } = bench;
  const { expiringOwners, rounds, windowMs } = extent;
  const claimed = await createOpenToken(service);
  const expiring = await createOpenToken(service);
  await insertOwners(service, expiring, expiringOwners);

  const claim = (count: number) => measureWrites(driver, service, signClaims(count, claimed));
  await claim(WARM_UP_CLAIMS);
  const ratePerSecond = await claim(WARM_UP_CLAIMS);
  const measureClaims = () => claim(Math.ceil((ratePerSecond * windowMs) / 1_000));
  const paths = READS['token-page']();
  const measurePages = () => measureReads(bench, service.port, paths);
  await measurePages();
  const before = { claims: [] as number[], pages: [] as number[] };
  const during = { claims: [] as number[], pages: [] as number[] };
  const measure = async ({ claims, pages }: typeof before) => {
    for (let round = 0; round < rounds; round += 1) {
      claims.push(await measureClaims());
      pages.push(await measurePages());
    }
  };
  await measure(before);

  const startMs = performance.now();
  await endNow(service, expiring);
  await measure(during);
  const announcedMeanwhile = await countExpired(service);
  while ((await countExpired(service)) < expiringOwners) await wait(POLL_MS);
  const rate = (expiringOwners * 1_000) / (performance.now() - startMs);

  const compare = (name: 'claims' | 'pages') => {
    const [figure, reference] = [median(during[name]), median(before[name])];
    return { unit: '/s', figure, reference, ratio: figure / reference, goal: atLeast(0.9) };
  };
  return [
    {
      name: `events of ${expiringOwners} badges that end at once`,
      unit: '/s',
      figure: rate,
      reference: null,
      ratio: null,
      goal: atLeast(2_000),
      details: { announcedMeanwhile },
    },
    { name: 'claims while badges end', ...compare('claims'), details: { before, during } },
    { name: 'GET /v1/tokens?limit=50 while badges end', ...compare('pages'), details: {} },
  ];
}

/** Inserts owners of a token, as if each had got it by an airdrop. */
async function insertOwners(
  { databaseUrl, community }: BenchedService,
  tokenId: number,
  count: number,
): Promise<void> {
  await query(
    databaseUrl,
    `with operation as (
       insert into operations
         (operation_id, operation_type, status, community_id, request_bytes, resource_id, created_at, completed_at)
       select gen_random_uuid(), 'airdrop', 'success', $3, 100, $1, now(), now() from generate_series(1, $2::integer)
       returning operation_id
     )
     insert into claims (token_id, address, operation_id, claimed_at)
     select $1, substring(sha256(uuid_send(operation_id)) for 20), operation_id, now() from operation`,
    [tokenId, count, community.communityId],
  );
  await query(databaseUrl, 'analyze operations, claims');
}

async function endNow({ url, community }: BenchedService, tokenId: number): Promise<void> {
  const response = await fetch(`${url}/v1/tokens/${tokenId}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${community.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ validUntilTimestamp: Date.now() }),
  });
  if (response.status !== 200) throw new Error(`the change returned ${response.status}`);
  await response.arrayBuffer();
}

/** How many expiries have a place in the feed. */
async function countExpired({ databaseUrl }: BenchedService): Promise<number> {
  const [row] = await query<{ count: number }>(
    databaseUrl,
    "select count(*)::integer as count from events where type = 'badge.expired'",
  );
  return row?.count ?? 0;
}
