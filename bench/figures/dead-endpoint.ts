import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { alternate, atLeast, type Bench, type Figure, type Row, summarize } from '../figure.ts';
import { type BenchedService, checkNoneFailed, createOpenToken, startService } from '../service.ts';
import { DOMAIN, signClaims, signCreations } from '../signed-requests.ts';
import { DATA_SIZE } from '../sizes.ts';
import { measureWrites } from './writes.ts';

// Each round measures both services, in turn.
const MAX_ROUNDS = 3;
const WARM_UP_WRITES = 200;

/** Creations and claims per second. */
interface Rates {
  creations: number;
  claims: number;
}

/** Creations and claims by keys, on a service whose endpoints of chains never respond, compared with one without endpoints. */
export const deadEndpoint: Figure = {
  name: 'dead-endpoint',
  async measure(bench) {
    const endpoint = await startDeadEndpoint();
    const { port } = endpoint.server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/`;
    const env = { BADGE_CHAIN_RPC_URLS: `${DOMAIN.chainId}=${url}`, BADGE_ENS_RPC_URL: url };
    const services: BenchedService[] = [];
    const start = async (name: string, more: NodeJS.ProcessEnv) => {
      const options = { hasAutovacuum: true, env: more };
      const service = await startService(join(bench.directory, name), DATA_SIZE, options);
      services.push(service);
      return service;
    };
    try {
      const withEndpoint = await start('dead-endpoint', env);
      const without = await start('no-endpoint', {});
      const measured = await alternate(
        Math.min(bench.extent.rounds, MAX_ROUNDS),
        await prepare(bench, withEndpoint),
        await prepare(bench, without),
      );
      for (const { databaseUrl } of services) await checkNoneFailed(databaseUrl);
      if (endpoint.connections() > 0)
        throw new Error('a signature of a key has caused a call of the endpoint');
      const row = (name: string, rate: keyof Rates): Row => ({
        name: `dead endpoint: ${name}`,
        unit: '/s',
        ...summarize(
          measured.map(({ figure, reference }) => ({ figure: figure[rate], reference: reference[rate] })),
        ),
        goal: atLeast(0.9),
      });
      return [row('creations', 'creations'), row('claims of one token', 'claims')];
    } finally {
      await Promise.all(services.map((service) => service.stop()));
      endpoint.server.close();
    }
  },
};

/** Warms a service up. Returns the function that measures it. */
async function prepare({ driver, extent }: Bench, service: BenchedService): Promise<() => Promise<Rates>> {
  const tokenId = await createOpenToken(service);
  const create = (count: number) => measureWrites(driver, service, signCreations(count, service.community));
  const claim = (count: number) => measureWrites(driver, service, signClaims(count, tokenId));
  // The first writes only warm up the service. The second ones say how many writes fit into the window.
  await create(WARM_UP_WRITES);
  await claim(WARM_UP_WRITES);
  const rates = { creations: await create(WARM_UP_WRITES), claims: await claim(WARM_UP_WRITES) };
  const countOf = (rate: number) => Math.ceil((rate * extent.windowMs) / 1_000);
  return async () => ({
    creations: await create(countOf(rates.creations)),
    claims: await claim(countOf(rates.claims)),
  });
}

/** Starts a server that accepts connections and never responds. */
async function startDeadEndpoint(): Promise<{ server: Server; connections(): number }> {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, connections: () => connections };
}
