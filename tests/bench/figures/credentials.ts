import { query } from '@badge/test-support/sql';
import { countWallets, TOKENS_OF_ALL_WALLETS, walletAddress } from '../data.ts';
import { getRequest, rateOf } from '../driver/driver.ts';
import { atLeast, type Bench, compare, type Figure } from '../figure.ts';
import { DATA_SIZE } from '../sizes.ts';
import { median } from '../statistics.ts';
import { measureReads, READ_CONNECTIONS } from './reads.ts';

const REPEATED_URLS = 64;
/** In one window, as many new credentials are made as in 4 seconds at the least rate that is wanted. */
const NEW_CREDENTIALS = 600;

// Every wallet holds each of these tokens.
const PATHS = Array.from({ length: TOKENS_OF_ALL_WALLETS - 1 }, (_, index) => index + 1).flatMap((tokenId) =>
  Array.from(
    { length: countWallets(DATA_SIZE) },
    (_, wallet) => `/v1/tokens/${tokenId}/credentials/${walletAddress(wallet)}`,
  ),
);

/**
 * Credentials per second: new ones, which are recorded and signed, and repeated ones, compared with a bare
 * server.
 */
export const credentials: Figure = {
  name: 'credentials',
  async measure(bench) {
    const { service, bare, extent } = bench;
    const made: number[] = [];
    // The first round only warms up the process, and draws the pictures.
    for (let round = 0; round <= extent.rounds; round += 1) made.push(await measureNew(bench));
    const paths = PATHS.slice(0, REPEATED_URLS);
    const barePort = await bare.record(service.url, paths);
    const measureFigure = () => measureReads(bench, service.port, paths);
    const measureReference = () => measureReads(bench, barePort, paths);
    await measureFigure();
    await measureReference();
    const repeated = await compare(extent.rounds, measureFigure, measureReference);
    const alone = { unit: '/s', reference: null, ratio: null };
    const { figure, details } = repeated;
    return [
      {
        name: 'new credentials',
        ...alone,
        figure: median(made.slice(1)),
        details: { made },
        goal: atLeast(150),
      },
      { name: 'repeated credentials', ...alone, figure, details, goal: atLeast(5_000) },
      { name: 'the same, and a bare server', unit: '/s', ...repeated, goal: atLeast(0.1, 0.3) },
    ];
  },
};

/** Makes credentials for owners who have none, each once. */
async function measureNew({ driver, service }: Bench): Promise<number> {
  await query(service.databaseUrl, 'delete from credentials');
  await query(service.databaseUrl, 'vacuum analyze credentials');
  // The name of the community is in each credential, so the service drops the responses that it keeps.
  // As the service does when a community changes its name.
  await query(
    service.databaseUrl,
    `with renamed as (update communities set name = left(name, 10) || md5(random()::text))
     insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
     values (0, ${Number.MAX_SAFE_INTEGER}, false, true)`,
  );
  const requests = PATHS.slice(0, NEW_CREDENTIALS).map(getRequest);
  return rateOf(await driver.run({ port: service.port, connections: READ_CONNECTIONS, requests }));
}
