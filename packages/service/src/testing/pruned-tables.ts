/**
 * The tables that a process changes every minute: it deletes old changes of tokens, and moves the horizon before which
 * changes are deleted. So these tables can change although no request writes.
 */
export const PRUNED_TABLES = ['token_changes', 'token_changes_horizon'];
