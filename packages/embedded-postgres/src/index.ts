export {
  type Connection,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  type Visit,
  visitEmbeddedPostgres,
} from './embedded-postgres.ts';
export { EmbeddedPostgresError } from './error.ts';
export { isPostmasterOf, isProcessAlive, readPostmasterFile } from './postmaster.ts';
