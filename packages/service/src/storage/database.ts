import { Socket } from 'node:net';
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
/** Kept apart, so that what watches the service never waits for a busy pool. */
export const MONITOR_CONNECTIONS = 2;
/** The two pools', and the one that listens to signals. */
export const CONNECTIONS_PER_PROCESS = POOLED_CONNECTIONS + MONITOR_CONNECTIONS + 1;
export const OLDEST_SERVER_VERSION = 150_000;

// Durability and isolation do not depend on what a server or database was set to.
const SESSION_OPTIONS =
  '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c timezone=UTC';

/** How long one statement may take; 0 for as long as it needs. */
const LONGEST_STATEMENT_MS = 15_000;
const SILENCE_PAST_STATEMENT_MS = 5_000;

/** The settings of every connection; no wait is without an end, unless `longestStatementMs` is 0. */
export function clientConfig(
  connection: DatabaseConnection,
  longestStatementMs = LONGEST_STATEMENT_MS,
): pg.ClientConfig {
  return {
    ...connection,
    application_name: 'badge',
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: 5_000,
    statement_timeout: longestStatementMs,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: LONGEST_STATEMENT_MS,
    keepAlive: true,
    stream: () => openSocket(longestStatementMs && longestStatementMs + SILENCE_PAST_STATEMENT_MS),
    types: { getTypeParser },
  };
}

// A server ends a statement that takes too long, and says so: one that is silent for longer is frozen or cut off.
function openSocket(longestSilenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(longestSilenceMs, () => {
    socket.destroy(Object.assign(new Error('The database is silent.'), { code: 'ETIMEDOUT' }));
  });
  return socket;
}

// Every bigint column holds a safe integer: counts and timestamps are checked, ids are dense.
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

/** What bounds a pool: its connections, and a statement's time (0: none). */
export interface PoolBounds {
  connections?: number;
  longestStatementMs?: number;
}

/** Opens a pool; connections are made when they are needed. */
export function openDatabase(
  connection: DatabaseConnection,
  onError: (error: Error) => void,
  { connections = POOLED_CONNECTIONS, longestStatementMs = LONGEST_STATEMENT_MS }: PoolBounds = {},
): Database {
  const pool = new pg.Pool({
    ...clientConfig(connection, longestStatementMs),
    max: connections,
    // Silence says nothing about an idle connection: it is closed before.
    idleTimeoutMillis: longestStatementMs || LONGEST_STATEMENT_MS,
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
const PASSING_CODES = [
  '25006', // read-only: a standby, until it is promoted
  '25P03', // idle in a transaction for too long
];
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
    return PASSING_CODES.includes(code) || PASSING_CLASSES.includes(code.slice(0, 2));
  }
  return /timeout|Connection terminated|Client has encountered a connection error|Client was closed|pool after calling end|driver has already been destroyed/.test(
    error.message,
  );
}

/** Whether a statement was ended for its time: its own, or that of waiting for a lock. */
export function findTimeout(error: unknown): 'statement' | 'lock' | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === '57014') return 'statement';
  return error.code === '55P03' ? 'lock' : undefined;
}
