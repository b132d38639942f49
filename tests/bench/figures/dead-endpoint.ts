import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { alternate, atLeast, type Bench, type Figure, type Row, summarize } from '../figure.ts';
import { type BenchedService, checkNoneFailed, createOpenToken, startService } from '../service.ts';
import { DOMAIN, signClaims, signCreations } from '../signed-requests.ts';
import { DATA_SIZE } from '../sizes.ts';
import { measureWrites } from './writes.ts';

// Each round measures one service after the other.
const MAX_ROUNDS = 3;
const WARM_UP_WRITES = 200;

/** Creations and claims per second. */
interface Rates {
  creations: number;
  claims: number;
}

/**
 * Creations and claims by keys, on a service whose endpoints of chains never respond, compared with one
 * without endpoints.
 */
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
      const writers = {
        figure: await createWriter(bench, withEndpoint),
        reference: await createWriter(bench, without),
      };
      const counts = await countWrites(bench, Object.values(writers));
      const measured = await alternate(
        Math.min(bench.extent.rounds, MAX_ROUNDS),
        () => writers.figure(counts),
        () => writers.reference(counts),
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

/** Creates this many tokens, claims one token this many times, and returns the rates. */
type Writer = (counts: Rates) => Promise<Rates>;

async function createWriter({ driver }: Bench, service: BenchedService): Promise<Writer> {
  const tokenId = await createOpenToken(service);
  return async ({ creations, claims }) => ({
    creations: await measureWrites(driver, service, signCreations(creations, service.community)),
    claims: await measureWrites(driver, service, signClaims(claims, tokenId)),
  });
}

/**
 * Warms the services up. Returns how many writes fit into a window of the faster one. Both are measured with
 * these.
 */
async function countWrites({ extent }: Bench, writers: Writer[]): Promise<Rates> {
  const warmUp = { creations: WARM_UP_WRITES, claims: WARM_UP_WRITES };
  for (const write of writers) await write(warmUp);
  const rates: Rates[] = [];
  for (const write of writers) rates.push(await write(warmUp));
  const countOf = (rate: keyof Rates) =>
    Math.ceil((Math.max(...rates.map((rated) => rated[rate])) * extent.windowMs) / 1_000);
  return { creations: countOf('creations'), claims: countOf('claims') };
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
