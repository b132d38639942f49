import pg from 'pg';
import { clientConfig, type DatabaseConnection } from './database.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

const SETTINGS = [
  'server_version',
  'server_version_num',
  'server_encoding',
  'fsync',
  'full_page_writes',
  'data_checksums',
  'zero_damaged_pages',
  'ignore_checksum_failure',
  'wal_level',
  'archive_mode',
  'synchronous_standby_names',
  'synchronous_commit',
  'default_transaction_read_only',
  'autovacuum',
  'max_connections',
  'superuser_reserved_connections',
] as const;
export type SettingName = (typeof SETTINGS)[number];

/** What an operator wants to know of a database; read without changing it. */
export interface DatabaseFacts {
  settings: Record<SettingName, string>;
  /** What a session gets that does not ask for it. */
  defaultSynchronousCommit: string;
  isInRecovery: boolean;
  standbys: number;
  /** Null where nothing was archived, or could not be. */
  lastArchivedAt: Date | null;
  lastArchiveFailureAt: Date | null;
  mayCreateTables: boolean;
  migrations: { missing: string[]; unknown: string[] };
  unloggedTables: string[];
  /** The database's clock less this machine's. */
  clockSkewMs: number;
  connections: {
    /** Of other programs. */
    foreign: number;
    /** The least of the limits of the role and of the database; null if there is none. */
    limit: number | null;
  };
  /** The age of the oldest transaction id, in transactions. */
  transactionIdAge: number;
  /** How long the oldest transaction of this database has been open. */
  longestTransactionMs: number;
  /** Null before the first migration. */
  oldestPendingMs: number | null;
}

/** Reads the facts on one connection of its own, with the settings that the service's connections have. */
export async function readDatabaseFacts(connection: DatabaseConnection): Promise<DatabaseFacts> {
  const { synchronous_commit: defaultSynchronousCommit = '' } = await withClient(
    { ...connection, connectionTimeoutMillis: 5_000, query_timeout: 30_000 },
    (client) => readSettings(client, ['synchronous_commit']),
  );
  return await withClient(clientConfig(connection), async (client) => {
    const executed = await readExecutedMigrations(client);
    const known = Object.keys(MIGRATIONS);
    return {
      settings: (await readSettings(client, SETTINGS)) as DatabaseFacts['settings'],
      defaultSynchronousCommit,
      ...(await readState(client)),
      clockSkewMs: await readClockSkew(client),
      connections: await readConnections(client),
      migrations: {
        missing: known.filter((name) => !executed.includes(name)),
        unknown: executed.filter((name) => !known.includes(name)),
      },
      oldestPendingMs: executed.length === 0 ? null : await readOldestPending(client),
    };
  });
}

/** Where a connection leads to, without its password. */
export function describeConnection(connection: DatabaseConnection): string {
  const { host, port, database } = new pg.Client(connection);
  return host.startsWith('/') ? `${database} at ${host}` : `${database} at ${host}:${port}`;
}

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readRow<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  if (rows[0] === undefined) throw new Error('the database answered no row');
  return rows[0];
}

async function readSettings(client: pg.Client, names: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    'select name, current_setting(name, true) as value from unnest($1::text[]) as name',
    [names],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value ?? '']));
}

type State = Pick<
  DatabaseFacts,
  | 'isInRecovery'
  | 'standbys'
  | 'lastArchivedAt'
  | 'lastArchiveFailureAt'
  | 'mayCreateTables'
  | 'unloggedTables'
  | 'transactionIdAge'
  | 'longestTransactionMs'
>;

async function readState(client: pg.Client): Promise<State> {
  return await readRow<State>(
    client,
    `select pg_is_in_recovery() as "isInRecovery",
      (select count(*) from pg_stat_replication)::integer as standbys,
      (select last_archived_time from pg_stat_archiver) as "lastArchivedAt",
      (select last_failed_time from pg_stat_archiver) as "lastArchiveFailureAt",
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreateTables",
      array(
        select relname::text from pg_class
        where relpersistence = 'u' and relkind = 'r' and relnamespace = current_schema()::regnamespace
        order by 1
      ) as "unloggedTables",
      (select max(age(datfrozenxid)) from pg_database)::integer as "transactionIdAge",
      coalesce((
        select extract(epoch from clock_timestamp() - min(xact_start)) * 1000 from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      ), 0)::double precision as "longestTransactionMs"`,
  );
}

async function readExecutedMigrations(client: pg.Client): Promise<string[]> {
  const { found } = await readRow<{ found: boolean }>(
    client,
    "select to_regclass('kysely_migration') is not null as found",
  );
  if (!found) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

async function readClockSkew(client: pg.Client): Promise<number> {
  const askedAtMs = Date.now();
  const { now } = await readRow<{ now: number }>(
    client,
    'select (extract(epoch from clock_timestamp()) * 1000)::double precision as now',
  );
  return now - (askedAtMs + Date.now()) / 2;
}

async function readConnections(client: pg.Client): Promise<DatabaseFacts['connections']> {
  return await readRow<DatabaseFacts['connections']>(
    client,
    `select
      (select count(*) from pg_stat_activity
       where backend_type = 'client backend' and application_name not like 'badge%')::integer as foreign,
      least(
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
      ) as limit`,
  );
}

async function readOldestPending(client: pg.Client): Promise<number> {
  const { age } = await readRow<{ age: number | null }>(
    client,
    `select (extract(epoch from clock_timestamp() - min(created_at)) * 1000)::double precision as age
     from operations where status = 'pending'`,
  );
  return age ?? 0;
}
