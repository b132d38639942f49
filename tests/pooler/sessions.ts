/**
 * The number of sessions in PgBouncer's pool. Each of the three processes of the service can open 17
 * connections to PgBouncer: 16 for queries, and 1 for the readiness check. So they must share the sessions.
 */
export const SESSIONS = 10;
