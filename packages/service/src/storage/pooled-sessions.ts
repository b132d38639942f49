import pg from 'pg';

/** The timeouts of a session, in milliseconds. */
export const SESSION_TIMEOUTS_MS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
};

/**
 * The settings of a session behind a pooler, as PostgreSQL shows them. A pooler forwards no startup
 * parameters, so they are set for the role.
 */
export const POOLED_SETTINGS: Record<string, string> = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  ...Object.fromEntries(Object.entries(SESSION_TIMEOUTS_MS).map(([name, ms]) => [name, `${ms / 1_000}s`])),
};

// This statement ends its own session if the session must not be used. A pooler keeps a session when the
// address of the database moves to another server, and when the settings of the role change. It opens a new
// session only when the old one ends. `case` makes PostgreSQL evaluate the condition before it ends the
// session. If the session can be used, `case` is null, so the statement returns no row. The client could not
// read a row, because it does not ask for a description of the columns.
const CHECK = `
  select where case when
    pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on'
    ${Object.entries(POOLED_SETTINGS)
      .map(([name, value]) => `or current_setting('${name}') <> '${value}'`)
      .join(' ')}
  then not pg_terminate_backend(pg_backend_pid()) end`;

/**
 * Executes a statement if its session may write and has the settings of `POOLED_SETTINGS`. Otherwise ends the
 * session before the statement, and rejects with 57P01. The check and the statement are sent together and
 * share a transaction, because a pooler can use another session for each transaction.
 */
export function queryInCheckedSession(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult> {
  // Without `queryMode`, a statement without values would be sent in another protocol. The type of `pg` lacks
  // this option.
  const config: pg.QueryConfig & { queryMode: string } = { text, values, queryMode: 'extended' };
  return new Promise((resolve, reject) => {
    const query = new pg.Query(config, (error, results: unknown) => {
      if (error) return reject(error);
      const [, result] = results as pg.QueryResult[]; // the first result is that of the check
      resolve(result as pg.QueryResult);
    });
    const submit = query.submit;
    // The messages of the check are sent before those of the statement. A `sync` message comes only at the
    // end of both, so PostgreSQL executes both in one transaction.
    query.submit = (connection) => {
      connection.stream.cork();
      connection.parse({ name: '', text: CHECK, types: [] }, true);
      connection.bind({}, true);
      connection.execute({}, true);
      submit.call(query, connection);
      connection.stream.uncork();
      return null;
    };
    client.query(query);
  });
}
