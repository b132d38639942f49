import type { Binaries, Launcher } from './launcher.ts';

/** The methods of a pino logger that this package calls. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Everything about one embedded server that stays the same over its restarts. */
export interface ServerConfig {
  /** The superuser and the database have this name. */
  readonly name: string;
  readonly binaries: Binaries;
  readonly launcher: Launcher;
  readonly dataDir: string;
  /** PostgreSQL's own directory, inside `dataDir`. */
  readonly filesDir: string;
  readonly socketDir: string;
  readonly maxConnections: number;
  readonly log: Log;
}
