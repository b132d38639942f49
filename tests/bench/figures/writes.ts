import { query } from '@badge/test-support/sql';
import type { Driver } from '../driver/driver.ts';
import { atLeast, type Bench, compare, type Figure } from '../figure.ts';
import { type BenchedService, createOpenToken, waitUntilSettled } from '../service.ts';
import { type SignedRequest, signClaims, signCreations, type WriteRequest } from '../signed-requests.ts';
import { measureViem } from './signature-check.ts';

const CONNECTIONS = 64;
const WARM_UP_WRITES = 200;
const VIEM_SAMPLES = 200;

/**
 * Sends writes as fast as they are accepted. Returns how many were accepted and settled per second, from the
 * first request until the last operation is settled.
 */
export async function measureWrites(
  driver: Driver,
  { port, databaseUrl }: Pick<BenchedService, 'port' | 'databaseUrl'>,
  writes: WriteRequest[],
): Promise<number> {
  const requests = writes.map(({ request }) => request);
  const { startedTimestamp } = await driver.run({ port, connections: CONNECTIONS, requests });
  const settledTimestamp = await waitUntilSettled(databaseUrl);
  return (requests.length * 1_000) / (settledTimestamp - startedTimestamp);
}

/** Creations of tokens per second, compared with viem's `verifyTypedData` alone. */
export const creations: Figure = {
  name: 'creations',
  async measure(bench) {
    const { service } = bench;
    const sign = (count: number) => signCreations(count, service.community);
    const tokensBefore = await countTokens(service);
    const { sent, compared } = await compareWithViem(bench, 'Badge', sign);
    const created = (await countTokens(service)) - tokensBefore;
    if (created !== sent) throw new Error(`${sent} tokens were accepted, but ${created} were created`);
    return [{ name: 'creations, settled', unit: '/s', ...compared, goal: atLeast(7, 9) }];
  },
};

/**
 * How many signed claims of the same token are settled per second, compared with viem's `verifyTypedData`
 * alone.
 */
export const claims: Figure = {
  name: 'claims',
  async measure(bench) {
    const { service } = bench;
    const tokenId = await createOpenToken(service);
    const { sent, compared } = await compareWithViem(bench, 'Claim', (count) => signClaims(count, tokenId));
    const [row] = await query<{ claims: number; counted: number }>(
      service.databaseUrl,
      `select (select count(*) from claims where token_id = $1)::integer as claims,
              (total_claim_count - remaining_claim_count)::integer as counted
       from tokens where token_id = $1`,
      [tokenId],
    );
    if (row?.claims !== sent || row.counted !== sent)
      throw new Error(`${sent} claims were accepted, but the token has ${JSON.stringify(row)}`);
    return [{ name: 'claims of one token, settled', unit: '/s', ...compared, goal: atLeast(7, 9) }];
  },
};

async function compareWithViem(
  { extent, service, driver }: Bench,
  primaryType: 'Badge' | 'Claim',
  sign: (count: number) => SignedRequest<object>[],
) {
  const { rounds, windowMs } = extent;
  let sent = 0;
  const measure = async (count: number) => {
    sent += count;
    return await measureWrites(driver, service, sign(count));
  };
  // During the first writes, Node still compiles the code. The second measurement says how many writes fit
  // into `windowMs`.
  await measure(WARM_UP_WRITES);
  let ratePerSecond = await measure(WARM_UP_WRITES);
  const measureFigure = async () => {
    ratePerSecond = await measure(Math.ceil((ratePerSecond * windowMs) / 1_000));
    return ratePerSecond;
  };
  const samples = sign(VIEM_SAMPLES);
  const compared = await compare(rounds, measureFigure, () => measureViem(primaryType, samples, windowMs));
  return { sent, compared };
}

async function countTokens({ databaseUrl }: BenchedService): Promise<number> {
  const [row] = await query<{ count: number }>(databaseUrl, 'select count(*)::integer as count from tokens');
  return row?.count ?? 0;
}

/** Returns how many tokens the service can create per second now. */
export async function measureCapacity({ extent, service, driver }: Bench): Promise<number> {
  // As in `compareWithViem`: the first writes only warm up the service. The second ones say how many writes
  // fit into `windowMs`.
  await measureWrites(driver, service, signCreations(WARM_UP_WRITES, service.community));
  const ratePerSecond = await measureWrites(
    driver,
    service,
    signCreations(WARM_UP_WRITES, service.community),
  );
  const count = Math.ceil((ratePerSecond * extent.windowMs) / 1_000);
  return await measureWrites(driver, service, signCreations(count, service.community));
}
