export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
export { EmbeddedPostgresError } from './embedded-postgres-error.ts';
export { isPostmasterOf, isProcessAlive, readPostmasterFile } from './postmaster-file.ts';
export { visitEmbeddedPostgres } from './visit-embedded-postgres.ts';
