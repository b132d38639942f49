/**
 * SQL: whether a row of `pg_stat_activity` is the dedicated session of a process, which listens for
 * notifications. Its last statement was `notify`, an empty `select`, or the read of the changes of tokens.
 * The brackets keep the condition from finding the session that executes it.
 */
export const IS_DEDICATED_SESSION = `(query = 'select' or query like 'notify %' or query ~ '"is[I]ncomplete"')`;
