/**
 * SQL: whether a row of `pg_stat_activity` executes the statement that inserts operations. PostgreSQL keeps
 * only the first 1,024 bytes of a statement. The brackets keep the condition from finding the session that
 * executes it.
 */
export const IS_OPERATION_INSERT = "query ~ 'proposed as [m]aterialized'";
