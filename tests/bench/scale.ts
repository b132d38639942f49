import { join } from 'node:path';
import type { DataSize } from './data.ts';
import { atLeast, type Bench, compare, type Row } from './figure.ts';
import { measureReads, READS } from './figures/reads.ts';
import { measureWrites } from './figures/writes.ts';
import { type BenchedService, checkNoneFailed, createOpenToken, startService } from './service.ts';
import {
  hideAndShow,
  signClaims,
  signClaimsAndBurns,
  signCreations,
  type WriteRequest,
} from './signed-requests.ts';
import { DATA_SIZE, LARGE_DATA_SIZE } from './sizes.ts';

// The goals are ratios of requests per second. A request may take twice as long with much data as with little
// data. The last full page may take 1.3 times as long as the first page.
const MIN_RATIO_WITH_MUCH_DATA = 1 / 2;
const MIN_RATIO_OF_LAST_PAGE = 1 / 1.3;
const PAGE_TOKENS = 50;
const WARM_UP_WRITES = 200;

/**
 * Returns about `count` writes. First sends the requests that they depend on, such as claims before burns.
 */
type PrepareWrites = (service: BenchedService, count: number) => Promise<WriteRequest[]>;

/** The two services, and what measures them. */
interface ScaleBench {
  bench: Omit<Bench, 'service'>;
  small: BenchedService;
  large: BenchedService;
  /** The size of the data of `large`. */
  largeSize: DataSize;
}

/**
 * Compares a service with much data to a service with little data, by the rates of reads and writes. The data
 * of both is inserted in bulk, and autovacuum is off. So PostgreSQL plans the reads without statistics, and
 * also the writes until the worker analyzes the tables.
 */
export async function measureScale(bench: Omit<Bench, 'service'>, isQuick: boolean): Promise<Row[]> {
  const largeSize = isQuick ? { tokens: 20_000, claims: 40_000, hidden: 2_000 } : LARGE_DATA_SIZE;
  const small = await startService(join(bench.directory, 'small'), DATA_SIZE, { hasAutovacuum: false });
  try {
    const large = await startService(join(bench.directory, 'large'), largeSize, { hasAutovacuum: false });
    try {
      const scaleBench = { bench, small, large, largeSize };
      const rows = [...(await compareReads(scaleBench)), ...(await compareWrites(scaleBench))];
      for (const { databaseUrl } of [small, large]) await checkNoneFailed(databaseUrl);
      return rows;
    } finally {
      await large.stop();
    }
  } finally {
    await small.stop();
  }
}

async function compareReads({ bench, small, large, largeSize }: ScaleBench): Promise<Row[]> {
  const rows: Row[] = [];
  /** Compares paths of the large service with those of a reference. */
  const addRow = async (
    name: string,
    paths: string[],
    reference: { service: BenchedService; paths: string[] },
    goal: number,
  ) => {
    const measureFigure = () => measureReads({ ...bench, service: large }, large.port, paths);
    const measureReference = () =>
      measureReads({ ...bench, service: reference.service }, reference.service.port, reference.paths);
    // The first measurements only warm up the services.
    await measureFigure();
    await measureReference();
    const compared = await compare(bench.extent.rounds, measureFigure, measureReference);
    rows.push({ name, unit: '/s', ...compared, goal: atLeast(goal) });
  };
  for (const [name, list] of Object.entries(READS)) {
    const reference = { service: small, paths: await list(small) };
    await addRow(`${name}, much data`, await list(large), reference, MIN_RATIO_WITH_MUCH_DATA);
  }

  const lastOffset = largeSize.tokens - largeSize.hidden - PAGE_TOKENS;
  const pageAt = (offset: number) => [`/v1/tokens?limit=${PAGE_TOKENS}&offset=${offset}`];
  const firstPage = { service: large, paths: pageAt(0) };
  const lastName = `token page at offset ${lastOffset}, compared with offset 0`;
  await addRow(lastName, pageAt(lastOffset), firstPage, MIN_RATIO_OF_LAST_PAGE);
  return rows;
}

async function compareWrites({ bench, small, large, largeSize }: ScaleBench): Promise<Row[]> {
  const { driver, extent } = bench;
  const tokenIds = new Map([
    [large, await createOpenToken(large)],
    [small, await createOpenToken(small)],
  ]);
  const prepareWrites: Record<string, PrepareWrites> = {
    creations: async (service, count) => signCreations(count, service.community),
    'claims of one token': async (service, count) => signClaims(count, tokenIds.get(service) ?? 0),
    'burns of one token': async (service, count) => {
      const { claims, burns } = signClaimsAndBurns(count, tokenIds.get(service) ?? 0);
      await measureWrites(driver, service, claims);
      return burns;
    },
    'tokens hidden and shown': async (service, count) => {
      const { tokens } = service === large ? largeSize : DATA_SIZE;
      return hideAndShow(chooseVisibleTokens(tokens, Math.ceil(count / 2)), service.community);
    },
  };
  const rows: Row[] = [];
  for (const [name, prepare] of Object.entries(prepareWrites)) {
    const measure = async (service: BenchedService, count: number) =>
      await measureWrites(driver, service, await prepare(service, count));
    await measure(large, WARM_UP_WRITES);
    const ratePerSecond = await measure(small, WARM_UP_WRITES);
    const count = Math.ceil((ratePerSecond * extent.windowMs) / 1_000);
    const compared = await compare(
      extent.rounds,
      () => measure(large, count),
      () => measure(small, count),
    );
    rows.push({
      name: `${name}, much data`,
      unit: '/s',
      ...compared,
      goal: atLeast(MIN_RATIO_WITH_MUCH_DATA),
    });
  }
  return rows;
}

/**
 * Returns ids of different tokens that are not hidden, spread over all tokens. Every tenth token is hidden.
 */
function chooseVisibleTokens(tokenCount: number, count: number): number[] {
  // At least 2. Otherwise, `id + 1` would be returned twice.
  const distance = Math.max(2, Math.floor(tokenCount / count));
  return Array.from({ length: Math.min(count, Math.floor(tokenCount / distance)) }, (_, index) => {
    const id = 1 + index * distance;
    return id % 10 === 0 ? id + 1 : id;
  });
}
