import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './schema.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

/** Where the PostgreSQL server is: an address, or the socket of the embedded one. */
export type DatabaseConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

const POOLED_CONNECTIONS = 16;
/** The pool's, and the one that listens to signals. */
export const CONNECTIONS_PER_PROCESS = POOLED_CONNECTIONS + 1;
export const OLDEST_SERVER_VERSION = 150_000;

// Durability and isolation do not depend on what a server or database was set to.
const SESSION_OPTIONS =
  '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c timezone=UTC';

/** The settings of every connection; no wait is without an end. */
export function clientConfig(connection: DatabaseConnection): pg.ClientConfig {
  return {
    ...connection,
    application_name: 'badge',
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    types: { getTypeParser },
  };
}

// Every bigint column holds a safe integer: counts and timestamps are checked, ids are dense.
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

/** Opens a pool; connections are made when they are needed. */
export function openDatabase(connection: DatabaseConnection, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    ...clientConfig(connection),
    max: POOLED_CONNECTIONS,
    idleTimeoutMillis: 30_000,
  });
  // A client in use has no listener of the pool's: without one of its own, a lost connection ends the process.
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('error', () => undefined);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Refuses a server that is too old or whose database is not in UTF-8. */
export async function checkServer(db: Database): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
           current_setting('server_encoding') as encoding`.execute(db);
  const server = rows[0];
  if (server === undefined || server.version < OLDEST_SERVER_VERSION) {
    throw new DatabaseRefused(`PostgreSQL 15 or newer is needed; the server is ${server?.version}.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseRefused(`The database's encoding must be UTF8; it is ${server.encoding}.`);
  }
}

/** A database that this service must not use. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

const PASSING_CLASSES = ['08', '53', '57', '58', '40', '55'];
const IDLE_TRANSACTION_TIMEOUT = '25P03';
const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
];

/**
 * Whether a failed query says that the database cannot answer now (out of reach, full, timed out,
 * lock or deadlock), rather than that the query is wrong.
 */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOutOfReach);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (NETWORK_CODES.includes(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) {
    return code === IDLE_TRANSACTION_TIMEOUT || PASSING_CLASSES.includes(code.slice(0, 2));
  }
  return /timeout|Connection terminated|Client has encountered a connection error|Client was closed|pool after calling end|driver has already been destroyed/.test(
    error.message,
  );
}
