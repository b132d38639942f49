import { parseArgs } from 'node:util';
import { EmbeddedPostgresError } from '@badge/embedded-postgres';
import { ConfigError, readConfig } from '../config.ts';
import { doctor } from './doctor.ts';
import { migrate } from './migrate.ts';
import { serve } from './serve.ts';

const USAGE = `badge: a self-hosted Badge Token Service

  badge serve      run the service (the default); configured by environment variables, see docs/configuration.md
  badge migrate    bring the database to this release and stop
  badge doctor     check this installation without changing it; exit code 1 if something is wrong
`;

/** Runs the command that the arguments name; resolves with the exit code, or never while it serves. */
export async function runCli(args: string[]): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    const [command = 'serve', ...rest] = positionals;
    if (values.help) return print(process.stdout, USAGE, 0);
    if (rest.length > 0 || !['serve', 'migrate', 'doctor'].includes(command))
      return print(process.stderr, USAGE, 2);
    if (command === 'doctor') return await doctor();
    const config = readConfig();
    return command === 'serve' ? await serve(config) : await migrate(config);
  } catch (error) {
    const isUsageError = error instanceof ConfigError || isArgumentError(error);
    return print(process.stderr, `badge: ${describe(error)}\n`, isUsageError ? 2 : 1);
  }
}

function isArgumentError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EmbeddedPostgresError)
    return `${error.message}. BADGE_DATA_DIR names the data directory, DATABASE_URL another PostgreSQL server.`;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `${error.message}. Another program listens there: set PORT to a free port.`;
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error.message;
}

function print(stream: NodeJS.WriteStream, text: string, exitCode: number): number {
  stream.write(text);
  return exitCode;
}
