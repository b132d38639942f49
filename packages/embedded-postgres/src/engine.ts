import type { PostgresBinaries } from './binaries.ts';
import type { ProcessLauncher } from './process-launcher.ts';

/** The part of pino's logger that the engine uses. */
export interface EngineLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What one embedded server is made of, fixed for as long as the service runs. */
export interface Engine {
  readonly binaries: PostgresBinaries;
  readonly launcher: ProcessLauncher;
  readonly dataDir: string;
  readonly filesDir: string;
  readonly socketDir: string;
  readonly log: EngineLog;
}

/** The port of a Unix socket is only a part of its file's name. */
export const socketPort = 5432;
export const superuser = 'badge';
