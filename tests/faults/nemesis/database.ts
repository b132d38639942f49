import pg from 'pg';
import type { System } from '../system/system.ts';
import type { Fault } from './fault.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const CONCURRENT_READS = 60;
// As many as the connection pool of one process has connections.
const MIN_WAITING_SESSIONS = 16;
// As many as max_connections. With the connection that runs `terminate`, there is one too many, so one is
// refused.
const CONNECTIONS_PER_ROUND = 100;
const CONNECTION_ROUNDS = 3;

function createClient({ databaseUrl }: System): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  return client;
}

/**
 * Runs statements on a direct connection, not through the proxy. Returns undefined if PostgreSQL does not
 * respond or a statement fails.
 */
async function query<T>(system: System, work: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
  const client = createClient(system);
  try {
    await client.connect();
    return await work(client);
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const TERMINATE_BACKENDS: Fault = {
  name: 'backends terminated',
  effect: "Ends 40 % or all of the services' sessions with pg_terminate_backend.",
  countsIf: 'a session was ended; each one counts',
  weight: 3,
  async inject({ system, random }) {
    const fraction = random.chance(0.3) ? 1 : 0.4;
    const ended = await query(system, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'badge' and pid <> pg_backend_pid() and random() < $1`,
        [fraction],
      ),
    );
    return ended?.rowCount ?? 0;
  },
};

const EXHAUST_POOL: Fault = {
  name: 'pool exhausted',
  effect: `Locks the tables of tokens and operations, and sends ${CONCURRENT_READS} reads in addition to the load.`,
  countsIf: `at least ${MIN_WAITING_SESSIONS} sessions waited for the lock at the end`,
  weight: 2,
  async inject({ system, client: { readAtOnce }, holdFor }) {
    const waiting = await query(system, async (client) => {
      await client.query('begin');
      await client.query('lock table tokens, operations in access exclusive mode');
      const reads = readAtOnce('/v1/tokens?limit=1', CONCURRENT_READS);
      await holdFor(2_000, 7_000);
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::integer as waiting from pg_stat_activity where wait_event_type = 'Lock'`,
      );
      await client.query('rollback');
      await reads;
      return rows[0]?.waiting ?? 0;
    });
    return (waiting ?? 0) >= MIN_WAITING_SESSIONS ? 1 : 0;
  },
};

const TAKE_CONNECTIONS: Fault = {
  name: 'no connection left',
  effect: "Ends the services' sessions and takes all of PostgreSQL's connections.",
  countsIf: 'PostgreSQL refused a connection',
  weight: 1,
  async inject({ system, holdFor }) {
    const taken: pg.Client[] = [];
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'badge' and pid <> pg_backend_pid()`;
    let isFull = false;
    await query(system, async (client) => {
      for (let round = 0; round < CONNECTION_ROUNDS && !isFull; round += 1) {
        await client.query(terminate);
        const added = Array.from({ length: CONNECTIONS_PER_ROUND }, () => createClient(system));
        taken.push(...added);
        const results = await Promise.allSettled(added.map((one) => one.connect()));
        isFull = results.some(({ status }) => status === 'rejected');
      }
      await client.query(terminate);
    });
    await holdFor(1_000, 4_000);
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    return isFull ? 1 : 0;
  },
};

/** Faults inside PostgreSQL. */
export const DATABASE_FAULTS: Fault[] = [TERMINATE_BACKENDS, EXHAUST_POOL, TAKE_CONNECTIONS];
