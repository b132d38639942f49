import pg from 'pg';

// A test often runs several statements in a row. To start a session, and to plan in it for the first time,
// takes longer than most statements. On a busy machine, a whole test is often between two statements.
const IDLE_MS = 2_000;
const pools = new Map<string, pg.Pool>();

/** Runs one statement, on a connection that stays open for a moment. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  let pool = pools.get(url);
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true });
    pool.on('error', () => undefined);
    pools.set(url, pool);
  }
  return (await pool.query<Row>(text, values)).rows;
}

/** Returns every row of every table as text. */
export async function dumpTables(url: string): Promise<string> {
  const selects = (await listTables(url)).map(
    (name) => `select '${name} ' || t::text as line from ${name} t`,
  );
  const rows = await query<{ line: string }>(url, selects.join(' union all '));
  return rows.map(({ line }) => line).join('\n');
}

/**
 * Returns how many rows each table has, except some tables, and a hash of them. Equal texts mean equal rows.
 */
export async function hashTables(url: string, exceptTables: string[]): Promise<string> {
  const selects = (await listTables(url, exceptTables)).map(
    (name) => `select '${name}' as name, count(*), sum(hashtextextended(t::text, 0)) as hash from ${name} t`,
  );
  const rows = await query<{ name: string; count: string; hash: string }>(url, selects.join(' union all '));
  return rows.map(({ name, count, hash }) => `${name} ${count} ${hash}`).join('\n');
}

async function listTables(url: string, exceptTables: string[] = []): Promise<string[]> {
  const tables = await query<{ name: string }>(
    url,
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename <> all($1) order by 1`,
    [exceptTables],
  );
  return tables.map(({ name }) => name);
}

/**
 * Locks a table in a transaction that stays open until the returned function is called, or the server ends.
 */
export async function holdLock(url: string, table: string, mode: string): Promise<() => Promise<void>> {
  return await hold(url, `lock table ${table} in ${mode} mode`);
}

/** Locks the rows of a `select … for update`, as `holdLock` does a table. */
export const holdRows = (url: string, select: string): Promise<() => Promise<void>> => hold(url, select);

async function hold(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return () => client.end();
}
