import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { EmbeddedPostgresError } from './error.ts';
import { SOCKET_PORT } from './socket-directory.ts';

// The process that starts a server is its owner. The owner holds an advisory lock in the server, so that a
// second process can find out whether the owner is alive.

const OWNER_LOCK_KEY = 730_215_118;
const RETRY_MS = 20;
// PostgreSQL's errors if the user is rejected (class 28) or the database does not exist (3D000).
const WRONG_SERVER_CODE = /^(28|3D)/;

/** A server's socket directory, and the name of its superuser. */
export interface ServerAddress {
  readonly host: string;
  readonly name: string;
}

/** One attempt to acquire the owner lock. `ownerPid` is null if another program started the server. */
export type OwnerLockAttempt =
  | { readonly state: 'acquired'; readonly client: Client; readonly ownerPid: number | null }
  | { readonly state: 'held'; readonly ownerPid: number | null }
  | { readonly state: 'no-reply' }
  | { readonly state: 'no-listener' };

/** The setting in which a server keeps its owner's pid. */
export function ownerPidSetting(name: string): string {
  return `${name}.service_pid`;
}

/** The options that a `pg` client needs to connect. `host` is the directory of a Unix socket. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

// Without these values, a client would take them from the PG* environment variables, which are meant for
// other servers.
const NOT_FROM_ENVIRONMENT = {
  ssl: false,
  sslnegotiation: 'postgres',
  client_encoding: 'UTF8',
  replication: 'false',
  options: '-c timezone=UTC',
} as const;

/**
 * Returns the connection to a database of the server; by default the one that is named like its superuser.
 */
export function connectionTo({ host, name }: ServerAddress, database = name): Connection {
  return { ...NOT_FROM_ENVIRONMENT, host, port: SOCKET_PORT, user: name, database };
}

/** Creates a client for the database `postgres`. */
export function createMaintenanceClient(server: ServerAddress): Client {
  return new Client({
    ...connectionTo(server, 'postgres'),
    application_name: `${server.name} owner`,
    options: '-c idle_session_timeout=0',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
}

/**
 * Tries once to acquire the owner lock. The lock is held as long as the returned client is connected. Throws
 * an `EmbeddedPostgresError` if the server rejects the user or has no database `postgres`, because retries
 * cannot help.
 */
export async function tryOwnerLock(server: ServerAddress): Promise<OwnerLockAttempt> {
  const client = createMaintenanceClient(server);
  // Errors need no handling here: `holdOwnerLock` reacts to the event 'end'.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ isAcquired: boolean; ownerPid: number | null }>(
      `select pg_try_advisory_lock($1) as "isAcquired", current_setting($2, true)::int as "ownerPid"`,
      [OWNER_LOCK_KEY, ownerPidSetting(server.name)],
    );
    const { isAcquired = false, ownerPid = null } = rows[0] ?? {};
    if (isAcquired) return { state: 'acquired', client, ownerPid };
    await client.end();
    return { state: 'held', ownerPid };
  } catch (error) {
    client.end().catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof DatabaseError && WRONG_SERVER_CODE.test(code ?? '')) {
      throw new EmbeddedPostgresError(
        `the database files were not created by this service (${error.message}); use another data directory, or use another PostgreSQL server`,
        { cause: error },
      );
    }
    return { state: code === 'ENOENT' || code === 'ECONNREFUSED' ? 'no-listener' : 'no-reply' };
  }
}

async function acquireOwnerLock(server: ServerAddress, signal: AbortSignal): Promise<Client> {
  for (;;) {
    signal.throwIfAborted();
    const attempt = await tryOwnerLock(server);
    if (attempt.state === 'acquired') return attempt.client;
    await wait(RETRY_MS, undefined, { signal });
  }
}

/**
 * Waits until the owner lock is acquired, then returns. From then on, reacquires the lock whenever its
 * session ends. When the signal aborts, ends the session, which releases the lock.
 */
export async function holdOwnerLock(server: ServerAddress, signal: AbortSignal): Promise<void> {
  let client = await acquireOwnerLock(server, signal);
  const hold = async () => {
    for (;;) {
      try {
        await once(client, 'end', { signal });
      } catch {
        // The signal has aborted. After this, `acquireOwnerLock` throws, which ends the loop.
        client.end().catch(() => {});
      }
      client = await acquireOwnerLock(server, signal);
    }
  };
  hold().catch(() => {});
}
