import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';

/** A table, or a part of its columns, in the order in which its rows are read. */
export interface RowsOfTable {
  table: string;
  columns: string[];
  /** These columns make the order unique. */
  order: string[];
  /** The columns of `order` that are text. They are sorted by bytes, as no collation of a server does. */
  textColumns: string[];
  /** Not the rows that another table names in the column of this name. */
  notIn?: { table: string; column: string } | undefined;
  /** Only rows of one community. */
  ofCommunity?: CommunityRows;
}

export interface ColumnValues {
  column: string;
  values: string[] | null;
}

/** The rows of one community, and what of them. */
export interface CommunityRows {
  communityId: string;
  /** The column that says the community, or the row of `through` that does. */
  column: string;
  /** The table with that column and `community_id`. */
  through?: string | undefined;
  /** The values that a column must have. Null: it must be null. */
  only?: ColumnValues | undefined;
  /** The same of a column of `through`. */
  throughOnly?: ColumnValues | undefined;
  /** The columns that are read as null. */
  hidden: string[];
  /** The columns that are read as null unless they are an address. */
  onlyAddresses: string[];
}

/** The values of a row, as the driver returns them. */
export type Row = Record<string, unknown>;

const nameOf = (name: string) => sql.id(name);
const joinNames = (names: string[]) => sql.join(names.map(nameOf));

// Rows have very different sizes. So many are read next that they have about this many bytes.
const READ_BYTES = 1024 * 1024;
const FIRST_ROWS = 64;
const MAX_ROWS = 2_048;

/**
 * Reads all rows in pieces, with a cursor, so that memory stays flat. Yields each piece as `write` writes it.
 */
export async function* readRows(
  tx: DatabaseTransaction,
  { table, columns, order, textColumns, notIn, ofCommunity }: RowsOfTable,
  write: (rows: Row[]) => Buffer,
): AsyncGenerator<{ rows: Row[]; bytes: Buffer }> {
  // A name without a table is that of the value that is read, so nobody can tell what was there from the
  // order.
  const keys = order.map((column) =>
    textColumns.includes(column) ? sql`${nameOf(column)} collate "C"` : nameOf(column),
  );
  const values = columns.map((column) => {
    if (ofCommunity?.hidden.includes(column)) return sql`null as ${nameOf(column)}`;
    return ofCommunity?.onlyAddresses.includes(column)
      ? sql`case when octet_length(${nameOf(column)}) = 20 then ${nameOf(column)} end as ${nameOf(column)}`
      : nameOf(column);
  });
  const query = sql<Row>`
    select ${sql.join(values)} from ${nameOf(table)}
    where ${ofCommunity === undefined ? sql`true` : isOfCommunity(ofCommunity)} ${isNotIn(notIn)}
    order by ${sql.join(keys)}`;
  let count = FIRST_ROWS;
  for await (const rows of readWithCursor(tx, query, () => count)) {
    const bytes = write(rows);
    yield { rows, bytes };
    count = bytes.length > READ_BYTES ? Math.ceil(count / 2) : Math.min(count * 2, MAX_ROWS);
  }
}

/** Reads the rows of a query in pieces. The transaction may do something else meanwhile. */
export async function* readWithCursor<T>(
  tx: DatabaseTransaction,
  query: RawBuilder<T>,
  countRows: () => number,
): AsyncGenerator<T[]> {
  await sql`declare archived_rows no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<T>`fetch forward ${sql.lit(countRows())} from archived_rows`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close archived_rows`.execute(tx);
}

function isOfCommunity({
  communityId,
  column,
  through,
  only,
  throughOnly,
}: CommunityRows): RawBuilder<unknown> {
  const isNamed =
    through === undefined
      ? sql`${nameOf(column)} = ${communityId}`
      : sql`${nameOf(column)} in (
          select ${nameOf(column)} from ${nameOf(through)}
          where community_id = ${communityId} ${andHas(throughOnly)}
        )`;
  return sql`${isNamed} ${andHas(only)}`;
}

function isNotIn(notIn: RowsOfTable['notIn']): RawBuilder<unknown> {
  if (notIn === undefined) return sql``;
  const column = nameOf(notIn.column);
  return sql`and ${column} not in (
    select ${column} from ${nameOf(notIn.table)} where ${column} is not null
  )`;
}

function andHas(only: ColumnValues | undefined): RawBuilder<unknown> {
  if (only === undefined) return sql``;
  return only.values === null
    ? sql`and ${nameOf(only.column)} is null`
    : sql`and ${nameOf(only.column)} = any(${only.values}::text[])`;
}

/**
 * Inserts rows with all their columns, also those that the database would number itself. All rows have the
 * same columns. Their values are written as PostgreSQL reads them.
 */
export async function insertRows(tx: DatabaseTransaction, table: string, rows: Row[]): Promise<void> {
  const columns = joinNames(Object.keys(rows[0] ?? {}));
  await sql`
    insert into ${nameOf(table)} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${nameOf(table)}, ${JSON.stringify(rows)}::json)`.execute(
    tx,
  );
}

export async function deleteRows(tx: DatabaseTransaction, table: string): Promise<void> {
  await sql`delete from ${nameOf(table)}`.execute(tx);
}

export async function countRows(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${nameOf(table)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns the first of these tables that has a row; undefined if all are empty. */
export async function findFilledTable(db: Database, tables: string[]): Promise<string | undefined> {
  for (const table of tables) {
    const { rows } = await sql<{ found: boolean }>`
      select exists (select from ${nameOf(table)}) as found`.execute(db);
    if (rows[0]?.found) return table;
  }
  return undefined;
}

/**
 * Removes the indexes of a table that refuse no row, because to make them of all rows takes a fraction of the
 * time. Returns what makes them again.
 */
export async function dropIndexes(tx: DatabaseTransaction, table: string): Promise<() => Promise<void>> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass(${table}) and not i.indisunique`.execute(tx);
  for (const { name } of rows) await sql`drop index ${nameOf(name)}`.execute(tx);
  return async () => {
    for (const { definition } of rows) await sql.raw(definition).execute(tx);
  };
}

/** Lets a token name one that is inserted later. */
export async function deferConstraints(tx: DatabaseTransaction): Promise<void> {
  await sql`set constraints all deferred`.execute(tx);
}

/** Checks whether what was inserted names what exists. */
export async function checkConstraints(tx: DatabaseTransaction): Promise<void> {
  await sql`set constraints all immediate`.execute(tx);
}

/** Makes the database number further rows after those that it has. */
export async function continueNumbering(
  tx: DatabaseTransaction,
  table: string,
  column: string,
): Promise<void> {
  await sql`
    select setval(pg_get_serial_sequence(${table}, ${column}), max(${nameOf(column)}))
    from ${nameOf(table)} having count(*) > 0`.execute(tx);
}

/** Counts the sessions of services that use this database. */
export async function countServiceSessions(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name like 'badge%' and pid <> pg_backend_pid()`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

const SAVEPOINT = sql.raw('rows_of_archive');

/** Runs `work`. If it fails, its writes are undone, and the transaction can go on. */
export async function inSavepoint(tx: DatabaseTransaction, work: () => Promise<void>): Promise<void> {
  await sql`savepoint ${SAVEPOINT}`.execute(tx);
  try {
    await work();
  } catch (error) {
    await sql`rollback to savepoint ${SAVEPOINT}`.execute(tx);
    throw error;
  }
  await sql`release savepoint ${SAVEPOINT}`.execute(tx);
}

/** Lets the planner know the sizes of the tables. */
export async function analyzeTables(db: Database): Promise<void> {
  await sql`analyze`.execute(db);
}

/**
 * Ends the time limits of a transaction that takes as long as the data is large. Some of its statements
 * follow each other after a pause, in which lines are written or checked.
 */
export async function removeTimeLimits(tx: DatabaseTransaction): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

/** Lets the transaction make indexes in memory: the default of 64 MB is for servers of long ago. */
export async function allowMemory(tx: DatabaseTransaction): Promise<void> {
  await sql`set local maintenance_work_mem = '256MB'`.execute(tx);
}
