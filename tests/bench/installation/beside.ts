import { query } from '@badge/test-support/sql';
import { atLeast, type Bench, compare, type Row } from '../figure.ts';
import { measureReads } from '../figures/reads.ts';
import { measureWrites } from '../figures/writes.ts';
import type { BenchedService } from '../service.ts';
import { signClaims, signCreations, type WriteRequest } from '../signed-requests.ts';

const MIN_RATIO_OF_READS = 0.8;
const MIN_RATIO_OF_WRITES = 0.9;
const PAGE_ROWS = 50;
const URLS = 64;
const PICTURES = 8;
const WARM_UP_WRITES = 200;

type Paths = (service: BenchedService) => Promise<string[]>;

/** Reads of the first column of rows. */
async function list(service: BenchedService, sql: string): Promise<string[]> {
  const rows = await query<{ value: string }>(service.databaseUrl, sql);
  if (rows.length === 0) throw new Error(`there are no rows of: ${sql}`);
  return rows.map(({ value }) => value);
}

// From everywhere in the table.
const someTokens = (service: BenchedService) =>
  list(
    service,
    `select token_id::text as value from tokens t
     join generate_series(0, ${URLS - 1}) as i on token_id = 1 + i * (select (count(*) - 1) / ${URLS} from tokens)
     where not is_hidden`,
  );
const pagesOf = async (service: BenchedService, path: string, where: string) =>
  (
    await list(
      service,
      `select (i * ((count - ${PAGE_ROWS}) / ${URLS - 1}))::text as value
       from (select count(*) from tokens where not is_hidden and ${where}) t, generate_series(0, ${URLS - 1}) as i`,
    )
  ).map((offset) => `${path}?limit=${PAGE_ROWS}&offset=${offset}`);
/** The open tokens with the most owners. */
const largeTokens = (service: BenchedService, count: number) =>
  list(
    service,
    `select token_id::text as value from tokens
     where not is_hidden and not is_allowlist_required
     order by total_claim_count desc, token_id limit ${count}`,
  );

/** Each read, of things that are as large in both installations as a page. */
const READS: Record<string, Paths> = {
  'pages of all tokens': (service) => pagesOf(service, '/v1/tokens', 'true'),
  token: async (service) => (await someTokens(service)).map((id) => `/v1/tokens/${id}`),
  "pages of a community's tokens": (service) => {
    const { communityId } = service.community;
    return pagesOf(service, `/v1/communities/${communityId}/tokens`, `community_id = '${communityId}'`);
  },
  'owners of a token, 50': async (service) =>
    (await largeTokens(service, PICTURES)).map((id) => `/v1/tokens/${id}/owners?limit=${PAGE_ROWS}`),
  community: async ({ community }) => [`/v1/communities/${community.communityId}`],
  metadata: async (service) => (await someTokens(service)).map((id) => `/metadata/${id}`),
  operation: async (service) =>
    (
      await list(
        service,
        `select operation_id::text as value from tokens where token_id in (${await someTokens(service)})`,
      )
    ).map((id) => `/v1/operations/${id}`),
  "a wallet's tokens, 50": async (service) =>
    (
      await list(
        service,
        `select encode(address, 'hex') as value from claims
         group by address order by count(*) desc, address limit ${URLS}`,
      )
    ).map((address) => `/v1/wallets/0x${address}/tokens?limit=${PAGE_ROWS}`),
  'picture of a token': async (service) =>
    (await someTokens(service)).slice(0, PICTURES).map((id) => `/images/token/${id}.png`),
};

/** Compares the rates of a large installation with those of a small one. */
export async function compareInstallations(
  bench: Omit<Bench, 'service'>,
  large: BenchedService,
  small: BenchedService,
): Promise<Row[]> {
  const rows: Row[] = [];
  const { rounds, windowMs } = bench.extent;
  for (const [name, pathsOf] of Object.entries(READS)) {
    const measureOf = async (service: BenchedService) => {
      const paths = await pathsOf(service);
      return () => measureReads({ ...bench, service }, service.port, paths);
    };
    const [measureLarge, measureSmall] = [await measureOf(large), await measureOf(small)];
    // The first measurements only warm up the services.
    await measureLarge();
    await measureSmall();
    const compared = await compare(rounds, measureLarge, measureSmall);
    rows.push({ name, unit: '/s', ...compared, goal: atLeast(MIN_RATIO_OF_READS) });
  }
  const writes: Record<string, (service: BenchedService, count: number) => Promise<WriteRequest[]>> = {
    creations: async (service, count) => signCreations(count, service.community),
    [`claims of ${URLS} tokens`]: async (service, count) => {
      const tokenIds = await largeTokens(service, URLS);
      const perToken = Math.ceil(count / tokenIds.length);
      const claims = tokenIds.map((id) => signClaims(perToken, Number(id)));
      // One of each token after the other.
      return Array.from({ length: perToken }, (_, index) =>
        claims.map((ofToken) => ofToken[index]),
      ).flat() as WriteRequest[];
    },
  };
  for (const [name, prepare] of Object.entries(writes)) {
    const measure = async (service: BenchedService, count: number) =>
      await measureWrites(bench.driver, service, await prepare(service, count));
    await measure(large, WARM_UP_WRITES);
    const ratePerSecond = await measure(small, WARM_UP_WRITES);
    const count = Math.ceil((ratePerSecond * windowMs) / 1_000);
    const compared = await compare(
      rounds,
      () => measure(large, count),
      () => measure(small, count),
    );
    rows.push({ name, unit: '/s', ...compared, goal: atLeast(MIN_RATIO_OF_WRITES) });
  }
  return rows;
}
