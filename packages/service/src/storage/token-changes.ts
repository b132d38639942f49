import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { DedicatedSession } from './dedicated-session.ts';

/** Tokens that have changed: those from `lowestId` to `highestId`. */
export interface TokenChange {
  lowestId: number;
  highestId: number;
  /**
   * Whether tokens may have been added, removed, hidden or shown, so that they can be at other places in
   * lists.
   */
  changesLists: boolean;
  /** Whether only the owners of the tokens have changed. */
  isOfOwners: boolean;
}

/** `unknown`: any token may have changed. */
export type TokenChanges = TokenChange[] | 'unknown';

export interface TokenChangeReader {
  /** Adds a listener, which gets all changes after the call. */
  onChanges(listener: (changes: TokenChanges) => void): void;
  /**
   * Passes all changes that were committed before the call to the listeners, and then returns true. Returns
   * false if that is not possible now. Concurrent calls share a query.
   */
  catchUp(): Promise<boolean>;
  /** Stops reading and deleting changes. Does not close the session. */
  stop(): void;
}

interface ReaderOptions {
  onError: (error: Error) => void;
  /** Used to delete old changes. */
  database: Database;
}

const MAX_CHANGES = 1_000;
// Without requests, the changes are read at this interval, so that few accumulate.
const READ_MS = 3_000;
const PRUNE_MS = 60_000;

// A snapshot says which transactions it sees. The query returns the changes that its own snapshot sees and
// the last one did not see. At the time of the last snapshot, their transactions had not begun (xid >= xmax)
// or were in progress (xip). The changes of transactions before the horizon may have been deleted. If the
// query can miss some of them, `isIncomplete` is true.
const READ_CHANGES = `
  select pg_current_snapshot()::text as snapshot,
    horizon.xid > pg_snapshot_xmin($1::pg_snapshot) as "isIncomplete",
    (
      select json_agg(json_build_object(
        'lowestId', lowest_id, 'highestId', highest_id, 'changesLists', changes_lists, 'isOfOwners', is_of_owners
      ))
      from (
        select * from token_changes where xid >= pg_snapshot_xmax($1::pg_snapshot)
        union all
        select * from token_changes where xid = any(array(select pg_snapshot_xip($1::pg_snapshot)))
        limit ${MAX_CHANGES + 1}
      ) as change
    ) as changes
  from token_changes_horizon as horizon`;

interface ChangesRow {
  snapshot: string;
  isIncomplete: boolean;
  changes: TokenChange[] | null;
}

/**
 * Reads the changes of tokens. When the session is lost, and when it is connected again, the listeners get
 * `unknown`. Create the reader in the same tick as the session.
 */
export function createTokenChangeReader(
  session: DedicatedSession,
  { onError, database }: ReaderOptions,
): TokenChangeReader {
  const listeners: ((changes: TokenChanges) => void)[] = [];
  // Changes are read up to this snapshot. It is valid only on its own connection, because another server can
  // give the same ids to other transactions.
  let snapshot: string | undefined;
  let waiting: ((isCaughtUp: boolean) => void)[] = [];
  let isReading = false;
  // Changes of transactions before this id can be deleted. It is valid only on its own connection, too.
  let prunableXid: string | undefined;

  function notify(changes: TokenChanges): void {
    for (const listener of listeners) listener(changes);
  }

  session.onLost(() => {
    snapshot = undefined;
    prunableXid = undefined;
    notify('unknown');
  });
  session.onConnect(async () => {
    // READ_CHANGES must use the index even while the table is small, because PostgreSQL keeps its plan. No
    // other statement of the session reads a table.
    await session.query('set enable_seqscan = off');
    const rows = await session.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
    snapshot = rows[0]?.snapshot;
    notify('unknown');
  });

  async function read(): Promise<boolean> {
    if (snapshot === undefined) return false;
    const since = snapshot;
    // The session reports its errors itself.
    const rows = await session
      .query<ChangesRow>({ name: 'token changes', text: READ_CHANGES, values: [since] })
      .catch(() => []);
    const [row] = rows;
    // If the session was lost meanwhile, another snapshot or none is current.
    if (row === undefined || snapshot !== since) return false;
    snapshot = row.snapshot;
    const changes = row.changes ?? [];
    const isUnknown = row.isIncomplete || changes.length > MAX_CHANGES;
    if (isUnknown || changes.length > 0) notify(isUnknown ? 'unknown' : changes);
    return true;
  }

  // A query that has been sent does not see what was committed since. So calls that arrive meanwhile wait for
  // the next.
  async function readForWaiting(): Promise<void> {
    isReading = true;
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      const isCaughtUp = await read();
      for (const resolve of served) resolve(isCaughtUp);
    }
    isReading = false;
  }

  function catchUp(): Promise<boolean> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      // Calls of the same tick share the query.
      if (!isReading && waiting.length === 1) setImmediate(() => void readForWaiting());
    });
  }

  // Deletes the changes of transactions that ended before the last call, a minute ago. Every process has read
  // them since then, unless it was suspended. All processes delete old changes.
  async function prune(): Promise<void> {
    if (prunableXid !== undefined) await deleteTokenChanges(database, prunableXid).catch(onError);
    // A snapshot is written as `xmin:xmax:xip`. All transactions before xmin have ended.
    prunableXid = snapshot?.split(':')[0];
  }

  const reading = setInterval(() => void catchUp(), READ_MS).unref();
  const pruning = setInterval(() => void prune(), PRUNE_MS).unref();
  return {
    onChanges: (listener) => void listeners.push(listener),
    catchUp,
    stop: () => {
      clearInterval(reading);
      clearInterval(pruning);
    },
  };
}

/**
 * Deletes the changes of transactions before `xid`, and moves the horizon to `xid`. A process that has not
 * read these changes detects it by the horizon. A restored database can contain transaction ids that its
 * server has not given yet. Changes with such an id are deleted too, and a horizon with such an id is
 * replaced.
 */
export async function deleteTokenChanges(db: Database, xid: string): Promise<void> {
  await sql`
    with horizon as (
      update token_changes_horizon set xid = ${xid}::xid8
      where xid < ${xid}::xid8 or xid > pg_snapshot_xmax(pg_current_snapshot())
      returning xid
    )
    delete from token_changes c using horizon
    where c.xid < horizon.xid or c.xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
}
