import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { parseAddress } from '../../packages/service/src/signatures/address.ts';
import type { Tables } from '../../packages/service/src/storage/schema.ts';
import { listWalletTokens } from '../../packages/service/src/storage/wallet-listings.ts';
import { atLeast, compare, type Figure } from '../figure.ts';
import { measureReads, READ_CONNECTIONS, walletPaths } from './reads.ts';

// The service uses at most this many database connections for reads (http/shares/resources.ts).
const DATABASE_CONNECTIONS = 8;

/** Pages of wallets' tokens per second, compared with the same SQL, prepared, in loops that do nothing else. */
export const walletTokens: Figure = {
  name: 'wallet-tokens',
  async measure(bench) {
    const { service, extent } = bench;
    const paths = walletPaths();
    // A path is /v1/wallets/:address/tokens.
    const addresses = paths.map((path) => path.split('/')[3] ?? '');
    const queries = await Promise.all(addresses.map(captureQuery));
    const pool = new pg.Pool({ connectionString: service.databaseUrl, max: DATABASE_CONNECTIONS });
    try {
      const measureFigure = () => measureReads(bench, service.port, paths);
      const measureReference = () => measureQueries(pool, queries, extent.windowMs);
      // The first measurements only warm up the processes.
      await measureFigure();
      await measureReference();
      const compared = await compare(extent.rounds, measureFigure, measureReference);
      return [{ name: "a wallet's tokens, 50", unit: '/s', ...compared, goal: atLeast(0.6, 0.8) }];
    } finally {
      await pool.end();
    }
  },
};

/** Returns the query that the service runs for a page, without running it. */
async function captureQuery(address: string): Promise<CompiledQuery> {
  const captured: CompiledQuery[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void captured.push(query),
  });
  await listWalletTokens(db, {
    address: parseAddress(address),
    claimStatus: undefined,
    communityId: undefined,
    limit: 50,
    offset: 0,
  });
  const [query, ...more] = captured;
  if (query === undefined || more.length > 0) throw new Error('the page is no longer read by one query');
  return query;
}

async function measureQueries(pool: pg.Pool, queries: CompiledQuery[], windowMs: number): Promise<number> {
  const startMs = performance.now();
  let sent = 0;
  const loop = async () => {
    while (performance.now() - startMs < windowMs) {
      const { sql, parameters } = queries[sent++ % queries.length] as CompiledQuery;
      const { rows } = await pool.query({ name: 'wallet tokens', text: sql, values: [...parameters] });
      if (rows.length !== 50) throw new Error(`the query returned ${rows.length} tokens`);
    }
  };
  await Promise.all(Array.from({ length: READ_CONNECTIONS }, loop));
  return (sent * 1_000) / (performance.now() - startMs);
}
