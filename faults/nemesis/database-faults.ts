import pg from 'pg';
import type { Random } from '../random.ts';
import type { DatabaseProxy } from '../system/database-proxy.ts';
import type { System } from '../system/system.ts';
import type { Fault } from './fault.ts';

const hasProxy = ({ proxy }: System) => proxy !== null;

/** Runs statements past the proxy; undefined where PostgreSQL does not answer. */
async function ask<T>(
  { databaseUrl }: System,
  work: (client: pg.Client) => Promise<T>,
): Promise<T | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
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
  weight: 3,
  async strike({ system, random }) {
    const share = random.hasLuck(0.3) ? 1 : 0.4;
    const ended = await ask(system, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'badge' and pid <> pg_backend_pid() and random() < $1`,
        [share],
      ),
    );
    return ended?.rowCount ?? 0;
  },
};

const LOSE_COMMITS: Fault = {
  name: "COMMIT's acknowledgement lost",
  weight: 4,
  isPossible: hasProxy,
  async strike({ system: { proxy }, random, last }) {
    const before = proxy?.lostCommits ?? 0;
    proxy?.loseCommits(random.integer(5, 20));
    await last(1_000, 3_000);
    proxy?.loseCommits(0);
    return (proxy?.lostCommits ?? 0) - before;
  },
};

function brokenWay(
  name: string,
  [shortestMs, longestMs]: [number, number],
  harm: (proxy: DatabaseProxy, random: Random) => void,
): Fault {
  return {
    name,
    weight: 2,
    isPossible: hasProxy,
    async strike({ system: { proxy }, random, last }) {
      if (proxy === null) return 0;
      harm(proxy, random);
      await last(shortestMs, longestMs);
      proxy.heal();
      return 1;
    },
  };
}

const CUT_DATABASE = brokenWay('database cut off', [500, 4_000], (proxy) => proxy.cut());
const FREEZE_DATABASE = brokenWay('database silent', [1_000, 8_000], (proxy) => proxy.freeze());
const SLOW_DATABASE = brokenWay('database slow', [2_000, 6_000], (proxy, random) =>
  proxy.slowDown(random.integer(20, 250)),
);

const EXHAUST_POOL: Fault = {
  name: 'pool exhausted',
  weight: 2,
  async strike({ system, client: { readAtOnce }, last }) {
    const waiting = await ask(system, async (client) => {
      await client.query('begin');
      await client.query('lock table tokens, operations in access exclusive mode');
      // More readers than the pools have connections.
      const reads = readAtOnce('/v1/tokens?limit=1', 60);
      await last(2_000, 7_000);
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::integer as waiting from pg_stat_activity where wait_event_type = 'Lock'`,
      );
      await client.query('rollback');
      await reads;
      return rows[0]?.waiting ?? 0;
    });
    return (waiting ?? 0) >= 16 ? 1 : 0;
  },
};

const TAKE_CONNECTIONS: Fault = {
  name: 'no connection left',
  weight: 1,
  async strike({ system, last }) {
    const connect = () => {
      const client = new pg.Client({ connectionString: system.databaseUrl, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      return client;
    };
    const taken: pg.Client[] = [];
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'badge' and pid <> pg_backend_pid()`;
    let isFull = false;
    await ask(system, async (client) => {
      for (let round = 0; round < 3 && !isFull; round += 1) {
        await client.query(terminate);
        const wanted = Array.from({ length: 100 }, connect);
        taken.push(...wanted);
        const results = await Promise.allSettled(wanted.map((one) => one.connect()));
        isFull = results.some(({ status }) => status === 'rejected');
      }
      await client.query(terminate);
    });
    await last(1_000, 4_000);
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    return isFull ? 1 : 0;
  },
};

/** Faults of the database and of the way to it. */
export const DATABASE_FAULTS: Fault[] = [
  TERMINATE_BACKENDS,
  LOSE_COMMITS,
  CUT_DATABASE,
  FREEZE_DATABASE,
  SLOW_DATABASE,
  EXHAUST_POOL,
  TAKE_CONNECTIONS,
];
