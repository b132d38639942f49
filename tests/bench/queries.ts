import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';
import type { Tables } from '../../packages/service/src/storage/schema.ts';
import { READ_CONNECTIONS } from './figures/reads.ts';

/** The service uses at most this many database connections for reads (http/shares/resources.ts). */
export const DATABASE_CONNECTIONS = 8;

/** Returns the only query that `read` runs, without running it. */
export async function captureQuery(read: (db: Kysely<Tables>) => Promise<unknown>): Promise<CompiledQuery> {
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
  await read(db);
  const [query, ...more] = captured;
  if (query === undefined || more.length > 0) throw new Error('this is no longer read by one query');
  return query;
}

/** Runs the queries, prepared, in loops that do nothing else. Returns the queries per second. */
export async function measureQueries(
  pool: pg.Pool,
  queries: CompiledQuery[],
  { windowMs, rowCount }: { windowMs: number; rowCount: number },
): Promise<number> {
  const startMs = performance.now();
  let sent = 0;
  const loop = async () => {
    while (performance.now() - startMs < windowMs) {
      const { sql, parameters } = queries[sent++ % queries.length] as CompiledQuery;
      const { rows } = await pool.query({ name: 'bench', text: sql, values: [...parameters] });
      if (rows.length !== rowCount) throw new Error(`the query returned ${rows.length} rows`);
    }
  };
  await Promise.all(Array.from({ length: READ_CONNECTIONS }, loop));
  return (sent * 1_000) / (performance.now() - startMs);
}
