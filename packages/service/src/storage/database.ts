import { Socket } from 'node:net';
import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { parse as parseConnectionString } from 'pg-connection-string';
import {
  DatabaseReadOnly,
  isRejectedByPooler,
  READ_ONLY_TRANSACTION,
  throwConnectionError,
  UnusableDatabase,
} from './database-errors.ts';
import { queryInCheckedSession, SESSION_TIMEOUTS_MS } from './pooled-sessions.ts';
import { findStatementName } from './prepared-statements.ts';
import { createReplacement, type Replacement } from './replacement.ts';
import type { Tables } from './schema.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

/**
 * The address of a PostgreSQL server or of a pooler in transaction mode, or the socket of the embedded
 * server.
 */
export type DatabaseConnection =
  | { connectionString: string; isPooler?: boolean }
  | { host: string; port: number; user: string; database: string };

const POOLED_CONNECTIONS = 16;
/** The connections of a separate pool, so that readiness and backlog checks never wait for a busy pool. */
export const MONITOR_CONNECTIONS = 2;
/** Both pools, and the dedicated session (dedicated-session.ts). */
export const CONNECTIONS_PER_PROCESS = POOLED_CONNECTIONS + MONITOR_CONNECTIONS + 1;
/** The connections of a process that never go through a pooler. */
export const DIRECT_CONNECTIONS_PER_PROCESS = MONITOR_CONNECTIONS + 1;
/** PostgreSQL 15, as `server_version_num` writes it. */
export const OLDEST_SERVER_VERSION = 150_000;

// Sent at startup, unless the connection leads to a pooler. So durability and isolation do not depend on the
// server's configuration. Our statements read few rows each: to compile one can take 100 ms.
const SESSION_OPTIONS =
  '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c timezone=UTC -c jit=off';

// The server ends a statement itself after the statement timeout. If the server is silent for this much
// longer than the timeout, it is frozen or unreachable.
const SILENCE_MARGIN_MS = 5_000;
const IDLE_MARGIN_MS = SILENCE_MARGIN_MS - 1_000;
// After a replacement, a query that is still running may wait for a server that never responds again. So its
// connection is closed after this silence.
const MAX_SILENCE_AFTER_REPLACEMENT_MS = 1_000;

/** The configuration of a connection. Statements have no timeout if `statementTimeoutMs` is 0. */
export function clientConfig(
  connection: DatabaseConnection,
  replacement: Replacement,
  statementTimeoutMs = SESSION_TIMEOUTS_MS.statement_timeout,
): pg.ClientConfig {
  // Parsed here, because `pg` lets the parameters of a `connectionString` override all other settings.
  const address: object =
    'connectionString' in connection ? parseConnectionString(connection.connectionString) : connection;
  const settings = {
    options: SESSION_OPTIONS,
    ...SESSION_TIMEOUTS_MS,
    statement_timeout: statementTimeoutMs,
  };
  return {
    application_name: 'badge',
    ...address,
    // A pooler rejects these startup parameters or ignores them. Its sessions have the settings of the role.
    ...(isPooler(connection) ? {} : settings),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    stream: () => {
      const replacementsWhenOpened = replacement.count();
      // 0 means no timeout.
      const maxSilenceMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + SILENCE_MARGIN_MS;
      const socket = openSocket(maxSilenceMs, () => replacement.replace(replacementsWhenOpened));
      const removeListener = replacement.onReplace(() => socket.setTimeout(MAX_SILENCE_AFTER_REPLACEMENT_MS));
      return socket.once('close', removeListener);
    },
    types: { getTypeParser },
  };
}

/** Whether the connection is a Unix socket, so that it always leads to the same server. */
export function isSocket(connection: DatabaseConnection): boolean {
  const { host } =
    'connectionString' in connection ? parseConnectionString(connection.connectionString) : connection;
  return host?.startsWith('/') ?? false;
}

export function isPooler(connection: DatabaseConnection): boolean {
  return 'isPooler' in connection && connection.isPooler === true;
}

function openSocket(maxSilenceMs: number, onSilence: () => void): Socket {
  const socket = new Socket();
  socket.setTimeout(maxSilenceMs, () => {
    onSilence();
    socket.destroy(Object.assign(new Error('The database does not respond.'), { code: 'ETIMEDOUT' }));
  });
  return socket;
}

// Numbers, not strings: every bigint column holds a safe integer.
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

// If one of these settings is `on`, the server rejects writes. A server reports them when a client connects,
// and when they change.
const READ_ONLY_SETTINGS: Record<string, string> = {
  in_hot_standby: 'The database server is a standby.',
  default_transaction_read_only: 'The database server is read-only (default_transaction_read_only).',
};

/** What is known about a connection without a query. */
export interface ConnectionState {
  /** Whether the connection was opened before the last replacement, so that it may lead to an old server. */
  isOutdated(): boolean;
  /** Throws if the server rejects writes. */
  checkWritable(): void;
}

/** Watches the connection of a client. Call it before the client connects. */
export function watchConnection({ connection }: pg.Client, replacement: Replacement): ConnectionState {
  const replacementsWhenOpened = replacement.count();
  const readOnlySettings = new Set<string>();
  connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
    if (!(name in READ_ONLY_SETTINGS)) return;
    if (value === 'on') readOnlySettings.add(name);
    else readOnlySettings.delete(name);
  });
  connection.on('errorMessage', ({ code }) => {
    if (code === READ_ONLY_TRANSACTION) replacement.replace(replacementsWhenOpened);
  });
  return {
    isOutdated: () => replacementsWhenOpened !== replacement.count(),
    checkWritable: () => {
      const [setting] = readOnlySettings;
      if (setting !== undefined) throw new DatabaseReadOnly(READ_ONLY_SETTINGS[setting]);
    },
  };
}

export interface PoolOptions {
  connections?: number;
  /** 0 means no timeout. */
  statementTimeoutMs?: number;
  /** Connections are replaced at this age. Default: 0, which means never. */
  maxAgeSeconds?: number;
  replacement?: Replacement;
  /**
   * Whether a read-only server, such as a standby, can be used too. Through a pooler, this also allows
   * sessions that lack `POOLED_SETTINGS`.
   */
  mayBeReadOnly?: boolean;
}

/** Opens a pool, which connects on first use. */
export function openDatabase(
  connection: DatabaseConnection,
  onError: (error: Error) => void,
  {
    connections = POOLED_CONNECTIONS,
    statementTimeoutMs = SESSION_TIMEOUTS_MS.statement_timeout,
    maxAgeSeconds = 0,
    replacement = createReplacement(),
    mayBeReadOnly = false,
  }: PoolOptions = {},
): Database {
  const states = new WeakMap<pg.Client, ConnectionState>();
  const pool = new pg.Pool({
    ...clientConfig(connection, replacement, statementTimeoutMs),
    // The pool creates its clients itself. The proxy watches each of them before it connects.
    Client: new Proxy(pg.Client, {
      construct(Client, [config]) {
        const client = new Client(config);
        states.set(client, watchConnection(client, replacement));
        return client;
      },
    }),
    max: connections,
    maxLifetimeSeconds: maxAgeSeconds,
    // Idle connections are closed before the silence timeout, which would treat them as broken.
    idleTimeoutMillis: (statementTimeoutMs || SESSION_TIMEOUTS_MS.statement_timeout) + IDLE_MARGIN_MS,
  });
  // The pool does not listen to clients in use. Without a listener, a lost connection would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  // The pool repeats the errors of idle clients, which `onError` has already got.
  pool.on('error', () => undefined);

  async function connect(): Promise<PostgresPoolClient> {
    for (;;) {
      const client = await pool.connect().catch(throwConnectionError);
      const state = states.get(client);
      if (state === undefined) throw new TypeError('the pool created a client that is not watched');
      if (state.isOutdated()) {
        client.release(true);
        continue;
      }
      try {
        if (!mayBeReadOnly) state.checkWritable();
        if (!isPooler(connection)) return prepareStatements(client);
        return mayBeReadOnly ? client : checkSessions(client);
      } catch (error) {
        client.release(true);
        throw error;
      }
    }
  }

  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: () => pool.end() } }),
  });
}

// Names the statements that are written with `prepared`, so that they are prepared. Not used with a pooler,
// because only the session that has prepared a statement knows its name.
function prepareStatements(client: pg.PoolClient): PostgresPoolClient {
  return createKyselyClient(
    client,
    (text, values) =>
      new Promise((resolve, reject) => {
        // Without a `Query`, the driver copies each property descriptor of its argument, which is slow.
        const query = new pg.Query(text, values, (error, result) =>
          error ? reject(error) : resolve(result),
        );
        client.query(Object.assign(query, { name: findStatementName(text) }));
      }),
  );
}

// A transaction stays in its session, so only its first statement needs the check. The status before this
// statement is `I` (idle).
function checkSessions(client: pg.PoolClient): PostgresPoolClient {
  return createKyselyClient(client, (text, values) =>
    client.getTransactionStatus() === 'I'
      ? queryInCheckedSession(client, text, values)
      : client.query(text, values),
  );
}

function createKyselyClient(
  client: pg.PoolClient,
  execute: (text: string, values: unknown[]) => Promise<pg.QueryResult>,
): PostgresPoolClient {
  function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('the service uses no cursors');
    return execute(text, [...values]).then(joinResults);
  }
  return { query, release: (isBroken) => client.release(isBroken) };
}

// The driver returns an array for a text of several statements, which Kysely does not know.
function joinResults(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult {
  return Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result;
}

/** SQL: whether this session lacks the settings that its client sent at startup. A pooler can ignore them. */
export const lacksStartupParameters = sql<boolean>`
  (select source <> 'client' from pg_settings where name = 'lock_timeout')`;

/**
 * Throws if the connection leads to a pooler, if the server is too old, or if its database is not in UTF-8.
 */
export async function checkServer(db: Database): Promise<void> {
  const { rows } = await sql<{ versionNumber: number; version: string; encoding: string; isPooled: boolean }>`
    select current_setting('server_version_num')::integer as "versionNumber",
           current_setting('server_version') as version,
           current_setting('server_encoding') as encoding,
           ${lacksStartupParameters} as "isPooled"`
    .execute(db)
    .catch((error: unknown) => {
      throw isRejectedByPooler(error) ? new UnusableDatabase(POOLER_ADVICE) : error;
    });
  const server = rows[0];
  if (server?.isPooled) throw new UnusableDatabase(POOLER_ADVICE);
  if (server === undefined || server.versionNumber < OLDEST_SERVER_VERSION) {
    throw new UnusableDatabase(
      `PostgreSQL 15 or newer is needed; the server has version ${server?.version}.`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new UnusableDatabase(`The database's encoding must be UTF8; it is ${server.encoding}.`);
  }
}

const POOLER_ADVICE =
  'DATABASE_URL leads to a pooler. Set BADGE_POOLER_URL to it, and DATABASE_URL to the server.';
