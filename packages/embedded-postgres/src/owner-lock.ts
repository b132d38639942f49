import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { superuser } from './engine.ts';

const ownerLockKey = 730_215_118;
const retryMs = 20;

/** A session on a server, and whether it has the owner lock there. */
export type OwnerLockAttempt =
  | { readonly state: 'taken'; readonly client: Client; readonly servicePid: number | null }
  | { readonly state: 'held'; readonly servicePid: number | null }
  | { readonly state: 'no-answer' }
  | { readonly state: 'no-listener' };

/** Makes a client for the maintenance database, deaf to the PG* variables of the environment. */
export function createMaintenanceClient(server: { host: string; port: number }): Client {
  return new Client({
    ...server,
    user: superuser,
    database: 'postgres',
    ssl: false,
    application_name: 'badge owner',
    options: '-c idle_session_timeout=0',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
}

/** Tries once to take the lock that every running service holds on its embedded server. */
export async function tryOwnerLock(server: { host: string; port: number }): Promise<OwnerLockAttempt> {
  const client = createMaintenanceClient(server);
  // The server's end, its 'end' event, is what the holder listens to.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ isTaken: boolean; servicePid: number | null }>(
      `select pg_try_advisory_lock($1) as "isTaken", current_setting('badge.service_pid', true)::int as "servicePid"`,
      [ownerLockKey],
    );
    const { isTaken = false, servicePid = null } = rows[0] ?? {};
    if (isTaken) return { state: 'taken', client, servicePid };
    await client.end();
    return { state: 'held', servicePid };
  } catch (error) {
    client.end().catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    return { state: code === 'ENOENT' || code === 'ECONNREFUSED' ? 'no-listener' : 'no-answer' };
  }
}

/** Waits for the owner lock of this service's own server, until the signal aborts. */
async function takeOwnerLock(server: { host: string; port: number }, signal: AbortSignal): Promise<Client> {
  for (;;) {
    signal.throwIfAborted();
    const attempt = await tryOwnerLock(server);
    if (attempt.state === 'taken') return attempt.client;
    await wait(retryMs, undefined, { signal });
  }
}

/** Takes the owner lock, and takes it again whenever its session is lost, until the signal aborts. */
export async function holdOwnerLock(
  server: { host: string; port: number },
  signal: AbortSignal,
): Promise<void> {
  let client = await takeOwnerLock(server, signal);
  const hold = async () => {
    for (;;) {
      try {
        await once(client, 'end', { signal });
      } catch {
        client.end().catch(() => {});
      }
      client = await takeOwnerLock(server, signal);
    }
  };
  hold().catch(() => {});
}
