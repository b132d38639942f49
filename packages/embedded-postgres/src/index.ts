export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type EmbeddedPostgresUse,
  startEmbeddedPostgres,
  useOrStartEmbeddedPostgres,
} from './embedded-postgres.ts';
export { EmbeddedPostgresError } from './error.ts';
export type { Connection } from './owner-lock.ts';
export { isPostmasterOf, isProcessAlive, readPostmasterFile } from './postmaster.ts';
