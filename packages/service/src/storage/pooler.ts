import { sql } from 'kysely';
import type { Database } from './database.ts';
import { UnusableDatabase } from './database-errors.ts';
import { POOLED_SETTINGS } from './pooled-sessions.ts';

// The key of an advisory lock. It can be any fixed number; this one is "Pool" in ASCII.
const SETTINGS_LOCK = 0x506f6f6c;

/**
 * Sets what is missing of `POOLED_SETTINGS`, for the role and the database of this connection. Returns the
 * names of the settings that it has set. Only new sessions have them.
 */
export async function setPooledSettings(db: Database): Promise<string[]> {
  return await db.transaction().execute(async (tx) => {
    // PostgreSQL rejects concurrent changes of one role.
    await sql`select pg_advisory_xact_lock(${sql.lit(SETTINGS_LOCK)})`.execute(tx);
    const { rows } = await sql<{ database: string; stored: string[] | null }>`
      select current_database() as database, (
        select setconfig from pg_db_role_setting
        where setrole = (select oid from pg_roles where rolname = current_user)
          and setdatabase = (select oid from pg_database where datname = current_database())
      ) as stored`.execute(tx);
    const { database = '', stored } = rows[0] ?? {};
    const missing = Object.entries(POOLED_SETTINGS).filter((pair) => !stored?.includes(pair.join('=')));
    for (const [name, value] of missing) {
      await sql`
        alter role current_user in database ${sql.id(database)} set ${sql.id(name)} = ${sql.lit(value)}`.execute(
        tx,
      );
    }
    return missing.map(([name]) => name);
  });
}

/**
 * What is wrong with a pooler (`found`), and what to do (`advice`). The last sentence of each has no full
 * stop.
 */
export interface PoolerProblem {
  found: string;
  advice: string;
  /** Whether the problem can end without a change of the configuration, as after a failover. */
  isTransient: boolean;
}

/**
 * Compares a session of the pooler with a session of the server itself. With `mayEndSession`, ends the
 * session of the pooler if its problem is transient, so that the pooler opens another. `pooled` must not
 * check its sessions (`mayBeReadOnly`).
 */
export async function findPoolerProblem(
  direct: Database,
  pooled: Database,
  { mayEndSession }: { mayEndSession: boolean },
): Promise<PoolerProblem | null> {
  const expected = await readSession(direct);
  // The problem is returned even if the transaction fails. `found` is an object, because TypeScript does not
  // see that the callback assigns a variable.
  const found: { problem?: PoolerProblem | null } = {};
  try {
    // A transaction, so that a pooler that allows none is detected.
    await pooled.transaction().execute(async (tx) => {
      found.problem = compareSessions(await readSession(tx), expected);
      if (found.problem?.isTransient && mayEndSession) {
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      }
    });
  } catch (error) {
    // The transaction fails if it has ended its own session.
    if (!found.problem) throw error;
  }
  return found.problem ?? null;
}

/**
 * Throws if something is wrong with the pooler. A problem that can end by itself counts as an unavailable
 * database.
 */
export async function checkPooler(direct: Database, pooled: Database): Promise<void> {
  const problem = await findPoolerProblem(direct, pooled, { mayEndSession: true });
  if (problem === null) return;
  const message = `${problem.found}. ${problem.advice}.`;
  throw problem.isTransient ? new PoolerNotReady(message) : new UnusableDatabase(message);
}

/** The pooler leads to a server or to sessions that cannot be used yet. */
class PoolerNotReady extends Error {
  override name = 'PoolerNotReady';
  readonly code = '57P03'; // cannot_connect_now
}

interface Session {
  role: string;
  /** Identifies the database on its primary and all standbys. */
  database: string;
  /** Identifies the running server. */
  server: string;
  isReadOnly: boolean;
  settings: Record<string, string>;
}

async function readSession(db: Database): Promise<Session> {
  const { rows } = await sql<Session>`
    select session_user as role,
      (select system_identifier from pg_control_system()) || ' '
        || (select oid from pg_database where datname = current_database()) as database,
      extract(epoch from pg_postmaster_start_time())::text as server,
      pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      (select jsonb_object_agg(name, current_setting(name)) from unnest(${Object.keys(POOLED_SETTINGS)}::text[]) as name)
        as settings`.execute(db);
  const [session] = rows;
  if (session === undefined) throw new Error('the database returned no row');
  return session;
}

function compareSessions(session: Session, expected: Session): PoolerProblem | null {
  if (session.database !== expected.database) {
    return {
      found: 'BADGE_POOLER_URL leads to another database than DATABASE_URL',
      advice: 'Let both lead to the same database',
      isTransient: false,
    };
  }
  if (session.role !== expected.role) {
    return {
      found: 'BADGE_POOLER_URL leads to another role than DATABASE_URL',
      advice: `Let both lead to the same role. They lead to ${session.role} and ${expected.role}`,
      isTransient: false,
    };
  }
  if (session.isReadOnly || session.server !== expected.server) {
    return {
      found: `BADGE_POOLER_URL leads to ${session.isReadOnly ? 'a read-only server' : 'another server than DATABASE_URL'}`,
      advice: 'Let both lead to the primary',
      isTransient: true,
    };
  }
  const wrong = Object.entries(POOLED_SETTINGS).find(([name, value]) => session.settings[name] !== value);
  if (wrong === undefined) return null;
  const [name, value] = wrong;
  return {
    found: `A session of the pooler has ${name} = ${session.settings[name]} instead of ${value}`,
    advice: `Run "npm run migrate". If that does not help, remove ${name} from the configuration of the pooler`,
    isTransient: true,
  };
}
