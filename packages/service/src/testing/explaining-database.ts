import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from '../storage/database.ts';

/**
 * Opens a database on which a select returns its plan, with the number of pages read, instead of its rows.
 */
export function openExplaining(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const explain = (text: string) =>
    /^\s*(select|with)\b/i.test(text) ? `explain (analyze, buffers, format json) ${text}` : text;
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => {
          const client = await pool.connect();
          return {
            query: (text: string, values: readonly unknown[]) => client.query(explain(text), [...values]),
            release: () => client.release(),
          } as never;
        },
        end: () => pool.end(),
        options: pool.options,
      },
    }),
  });
}

/**
 * Returns how many pages of the database a select read. `rows` must be its result on a database of
 * `openExplaining`.
 */
export function pagesRead(rows: object[]): number {
  const [row] = rows as { 'QUERY PLAN': { Plan: Record<string, number> }[] }[];
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = row?.['QUERY PLAN'][0]?.Plan ?? {};
  if (hit === undefined || read === undefined) throw new TypeError('the result is not a plan');
  return hit + read;
}
