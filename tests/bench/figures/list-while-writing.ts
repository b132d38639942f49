import { checkAccepted, getRequest, rateOf } from '../driver/driver.ts';
import { atLeast, type Bench, compare, type Figure } from '../figure.ts';
import { createOpenToken, waitUntilSettled } from '../service.ts';
import { signClaims, signCreations } from '../signed-requests.ts';
import { measureReads, READ_CONNECTIONS, READS } from './reads.ts';

/** This many tokens are created per second, and also this many claims. */
const WRITES_PER_SECOND = 200;
const WRITE_CONNECTIONS = 32;

/**
 * Pages of tokens per second while tokens and claims are written, compared with pages while nothing is
 * written.
 */
export const listWhileWriting: Figure = {
  name: 'list-while-writing',
  async measure(bench) {
    const { service, extent } = bench;
    const paths = READS['token-page']();
    const tokenId = await createOpenToken(service);
    const measureWithoutWrites = () => measureReads(bench, service.port, paths);
    // The first measurement only warms up the service.
    await measureWithoutWrites();
    const compared = await compare(
      extent.rounds,
      () => measureWhileWriting(bench, paths, tokenId),
      measureWithoutWrites,
    );
    return [
      { name: 'GET /v1/tokens?limit=50 while writing', unit: '/s', ...compared, goal: atLeast(0.5, 0.7) },
    ];
  },
};

async function measureWhileWriting(bench: Bench, paths: string[], tokenId: number): Promise<number> {
  const { service, driver, extent } = bench;
  const { port } = service;
  const { windowMs } = extent;
  const [pages, ...writes] = await driver.runAll([
    { port, connections: READ_CONNECTIONS, requests: paths.map(getRequest), durationMs: windowMs },
    ...signWrites(bench, tokenId, windowMs),
  ]);
  if (pages === undefined) throw new Error('the driver returned no result');
  for (const result of [pages, ...writes]) checkAccepted(result);
  await waitUntilSettled(service.databaseUrl);
  return rateOf(pages);
}

/** Signs the creations and claims for `durationMs`. Returns a load of creations and a load of claims. */
export function signWrites({ service }: Bench, tokenId: number, durationMs: number) {
  const { port, community } = service;
  const count = Math.ceil((WRITES_PER_SECOND * durationMs) / 1_000);
  return [signCreations(count, community), signClaims(count, tokenId)].map((signed) => ({
    port,
    connections: WRITE_CONNECTIONS,
    requests: signed.map(({ request }) => request),
    ratePerSecond: WRITES_PER_SECOND,
  }));
}
