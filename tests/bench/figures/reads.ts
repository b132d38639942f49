import { query } from '@badge/test-support/sql';
import { countWallets, TOKENS_OF_ALL_WALLETS, walletAddress } from '../data.ts';
import { getRequest, rateOf } from '../driver/driver.ts';
import { atLeast, type Bench, compare, type Figure, type Goal } from '../figure.ts';
import type { BenchedService } from '../service.ts';
import { DATA_SIZE } from '../sizes.ts';

/** The number of connections that send reads, each one request at a time. */
export const READ_CONNECTIONS = 64;
const URLS = 64;
const PAGE_TOKENS = 50;

/**
 * Returns the paths of one kind of read. If there are several, each is of another object, such as a token or
 * a page.
 */
export type PathsOfRead = (service: BenchedService) => Promise<string[]> | string[];

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
// Odd ids, because every tenth token is hidden. Not the first ten, because every wallet holds them.
const tokenIds = numbers(URLS).map((index) => 11 + 2 * index);
const pageOffsets = numbers(URLS).map((index) => index * PAGE_TOKENS);

/** The paths of each read that is compared with a bare `node:http` server. */
export const READS = {
  'token-page': () => pageOffsets.map((offset) => `/v1/tokens?limit=${PAGE_TOKENS}&offset=${offset}`),
  token: () => tokenIds.map((id) => `/v1/tokens/${id}`),
  'community-tokens': ({ community }) =>
    pageOffsets.map(
      (offset) => `/v1/communities/${community.communityId}/tokens?limit=${PAGE_TOKENS}&offset=${offset}`,
    ),
  // The tokens that every wallet holds, except the last, which is hidden.
  owners: () => numbers(TOKENS_OF_ALL_WALLETS - 1).map((index) => `/v1/tokens/${index + 1}/owners?limit=50`),
  community: ({ community }) => [`/v1/communities/${community.communityId}`],
  metadata: () => tokenIds.map((id) => `/metadata/${id}`),
  operation: async ({ databaseUrl }) => {
    const rows = await query<{ operation_id: string }>(
      databaseUrl,
      'select operation_id from tokens where token_id = any($1)',
      [tokenIds],
    );
    return rows.map((row) => `/v1/operations/${row.operation_id}`);
  },
  // The first page of 50 tokens of each wallet.
  'wallet-tokens': () =>
    numbers(URLS).map(
      (wallet) => `/v1/wallets/${walletAddress(wallet % countWallets(DATA_SIZE))}/tokens?limit=50`,
    ),
  picture: () => tokenIds.slice(0, 8).map((id) => `/images/token/${id}.png`),
} satisfies Record<string, PathsOfRead>;

const GOALS: Record<keyof typeof READS, Goal> = {
  'token-page': atLeast(0.3, 0.45),
  token: atLeast(0.3, 0.45),
  'community-tokens': atLeast(0.2, 0.4),
  owners: atLeast(0.1, 0.3),
  community: atLeast(0.1, 0.3),
  metadata: atLeast(0.1, 0.3),
  operation: atLeast(0.1, 0.3),
  'wallet-tokens': atLeast(0.25, 0.4),
  picture: atLeast(0.25, 0.5),
};

const TITLES: Record<keyof typeof READS, string> = {
  'token-page': 'GET /v1/tokens?limit=50',
  token: 'GET /v1/tokens/:id',
  'community-tokens': "a community's tokens, 50",
  owners: 'owners of a token, 50',
  community: 'community',
  metadata: 'metadata',
  operation: 'operation',
  'wallet-tokens': "a wallet's tokens, 50",
  picture: 'picture of a token',
};

/** Each read, compared with a bare `node:http` server that responds with the same bytes. */
export const reads: Figure[] = (Object.keys(READS) as (keyof typeof READS)[]).map((name) => ({
  name,
  async measure(bench) {
    const { service, bare, extent } = bench;
    const paths = await READS[name](service);
    const barePort = await bare.record(service.url, paths);
    const measureFigure = () => measureReads(bench, service.port, paths);
    const measureReference = () => measureReads(bench, barePort, paths);
    // The first measurements only warm up the processes.
    await measureFigure();
    await measureReference();
    const compared = await compare(extent.rounds, measureFigure, measureReference);
    return [{ name: TITLES[name], unit: '/s', ...compared, goal: GOALS[name] }];
  },
}));

/** Sends reads as fast as responses arrive. Returns the responses per second. */
export async function measureReads(
  { driver, extent }: Bench,
  port: number,
  paths: string[],
): Promise<number> {
  const requests = paths.map(getRequest);
  const { windowMs } = extent;
  return rateOf(await driver.run({ port, connections: READ_CONNECTIONS, requests, durationMs: windowMs }));
}
