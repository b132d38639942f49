/** The embedded PostgreSQL cannot run; the message says in one line why and what the operator can do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
