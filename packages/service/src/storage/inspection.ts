import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Address } from '../signatures/address.ts';
import { type Database, type DatabaseConnection, lacksStartupParameters, openDatabase } from './database.ts';
import { throwConnectionError } from './database-errors.ts';
import { type Deployment, findDeployment } from './deployment.ts';
import { listIssuerKeys } from './issuer-keys.ts';
import { type KeptAddress, readKeptAddressesToCheck } from './kept-addresses.ts';
import { listManagedCreators } from './managed-creators.ts';
import { readExecutedMigrations } from './migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { readBacklog } from './queue.ts';
import { countWebhooksWithoutSecret, findNewestWebhookSecret } from './webhooks.ts';

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
// Of the oldest ones and of the newest ones: a seed that was replaced differs from one end. There can be
// millions.
const CHECKED_KEPT_ADDRESSES = 1_000;
export type SettingName = (typeof SETTINGS)[number];

/** What the doctor reads from a database. Nothing is changed. */
export interface DatabaseFacts {
  settings: Record<SettingName, string>;
  /** The `synchronous_commit` of a session that does not set it. */
  defaultSynchronousCommit: string;
  isInRecovery: boolean;
  /** Whether DATABASE_URL leads to a pooler that ignores startup parameters. */
  isPooled: boolean;
  standbys: number;
  /** Null if nothing was ever archived. */
  lastArchivedAt: Date | null;
  lastArchiveFailureAt: Date | null;
  mayCreateTables: boolean;
  migrations: { missing: string[]; unknown: string[] };
  /** Null if the database has no record yet. */
  deployment: Deployment | null;
  unloggedTables: string[];
  /** Positive if the database's clock is ahead of this machine's. */
  clockSkewMs: number;
  connections: {
    /** Connections of other programs. */
    otherPrograms: number;
    /** The lower of the role's and the database's limit; null if neither has one. */
    limit: number | null;
  };
  /** The age of the oldest transaction id, in transactions. */
  transactionIdAge: number;
  /** How long the oldest transaction of this database has been open. */
  longestTransactionMs: number;
  /** The age of the oldest pending operation; 0 if none is pending. Null before the first migration. */
  oldestPendingMs: number | null;
  /** The communities with a managed creator, and its address. */
  managedCreators: { communityId: string; address: Address }[];
  /** The keys that sign credentials, without those of a seed that was replaced. */
  issuerKeys: { communityId: string; generation: number; publicKey: Buffer }[];
  /** How many kept addresses are recorded, and those of them to check. */
  keptAddresses: { count: number; checked: KeptAddress[] };
  /** The encrypted secret of a webhook; null if there is none. */
  webhookSecret: { webhookId: string; encrypted: Buffer } | null;
  webhooksWithoutSecret: number;
}

/**
 * Reads the facts. All except `defaultSynchronousCommit` are read on a connection with the settings of the
 * service.
 */
export async function readDatabaseFacts(connection: DatabaseConnection): Promise<DatabaseFacts> {
  const defaultSynchronousCommit = await readDefaultSynchronousCommit(connection);
  const db = openDatabase(connection, () => undefined, { connections: 1, mayBeReadOnly: true });
  try {
    const executed = await readExecutedMigrations(db);
    const known = Object.keys(MIGRATIONS);
    const isEmpty = executed.length === 0;
    return {
      settings: await readSettings(db),
      defaultSynchronousCommit,
      ...(await readState(db)),
      clockSkewMs: await readClockSkew(db),
      connections: await readConnections(db),
      migrations: {
        missing: known.filter((name) => !executed.includes(name)),
        unknown: executed.filter((name) => !known.includes(name)),
      },
      deployment: await findDeployment(db),
      oldestPendingMs: isEmpty ? null : (await readBacklog(db)).oldestAgeMs,
      managedCreators: isEmpty ? [] : await listManagedCreators(db),
      issuerKeys: isEmpty ? [] : await listIssuerKeys(db),
      keptAddresses: isEmpty
        ? { count: 0, checked: [] }
        : await readKeptAddressesToCheck(db, CHECKED_KEPT_ADDRESSES),
      webhookSecret: isEmpty ? null : await findNewestWebhookSecret(db),
      webhooksWithoutSecret: isEmpty ? 0 : await countWebhooksWithoutSecret(db),
    };
  } finally {
    await db.destroy();
  }
}

/** Describes a connection for messages: the database and its server, without the password. */
export function describeConnection(connection: DatabaseConnection): string {
  const { host, port, database } = new pg.Client(connection);
  return host.startsWith('/') ? `${database} at ${host}` : `${database} at ${host}:${port}`;
}

// The service's own connections override this setting, so it is read on a plain one.
async function readDefaultSynchronousCommit(connection: DatabaseConnection): Promise<string> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  client.on('error', () => undefined);
  try {
    await client.connect().catch(throwConnectionError);
    const { rows } = await client.query<{ value: string }>(
      "select current_setting('synchronous_commit') as value",
    );
    return rows[0]?.value ?? '';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readRow<Row>(db: Database, query: RawBuilder<Row>): Promise<Row> {
  const { rows } = await query.execute(db);
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0];
}

async function readSettings(db: Database): Promise<DatabaseFacts['settings']> {
  const { rows } = await sql<{ name: SettingName; value: string | null }>`
    select name, current_setting(name, true) as value from unnest(${[...SETTINGS]}::text[]) as name`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value ?? ''])) as DatabaseFacts['settings'];
}

type State = Pick<
  DatabaseFacts,
  | 'isInRecovery'
  | 'isPooled'
  | 'standbys'
  | 'lastArchivedAt'
  | 'lastArchiveFailureAt'
  | 'mayCreateTables'
  | 'unloggedTables'
  | 'transactionIdAge'
  | 'longestTransactionMs'
>;

async function readState(db: Database): Promise<State> {
  return await readRow(
    db,
    sql<State>`
      select pg_is_in_recovery() as "isInRecovery",
        ${lacksStartupParameters} as "isPooled",
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

async function readClockSkew(db: Database): Promise<number> {
  const sentAtMs = Date.now();
  const { now } = await readRow(
    db,
    sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as now`,
  );
  // The server reads its clock about halfway between the query and its result.
  return now - (sentAtMs + Date.now()) / 2;
}

async function readConnections(db: Database): Promise<DatabaseFacts['connections']> {
  return await readRow(
    db,
    sql<DatabaseFacts['connections']>`
      select
        (select count(*) from pg_stat_activity
         where backend_type = 'client backend' and application_name not like 'badge%')::integer as "otherPrograms",
        least(
          (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
          (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
        ) as limit`,
  );
}
