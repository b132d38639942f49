import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

// PgBouncer refuses to run as root. For another user, `env` runs the program unchanged.
const AS_OWNER =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : ['env'];

/** A PgBouncer of Debian's package, in transaction mode. */
export interface Pgbouncer {
  /** The URL of the database, through PgBouncer. */
  url: string;
  stop(): Promise<void>;
}

export interface PgbouncerOptions {
  /** Settings in the section `pgbouncer` of its configuration. */
  settings?: Record<string, string | number>;
  /** A statement that PgBouncer executes in each new session. */
  connectQuery?: string;
}

/** Starts a PgBouncer in front of the database of a URL. */
export async function startPgbouncer(
  databaseUrl: string,
  { settings = {}, connectQuery }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'badge-pgbouncer-'));
  const { host, port, user = '', database = '' } = new pg.Client(databaseUrl);
  const parameters = [`host=${host} port=${port} user=${user}`];
  if (connectQuery !== undefined) parameters.push(`connect_query='${connectQuery.replaceAll("'", "''")}'`);
  const allSettings = { pool_mode: 'transaction', auth_type: 'any', unix_socket_dir: directory, ...settings };
  const lines = Object.entries(allSettings).map(([name, value]) => `${name} = ${value}`);
  const file = join(directory, 'pgbouncer.ini');
  const sections = ['[databases]', `${database} = ${parameters.join(' ')}`, '[pgbouncer]', ...lines];
  writeFileSync(file, `${sections.join('\n')}\n`);
  // PgBouncer, which may run as another user, creates its socket here.
  chmodSync(directory, 0o777);

  const [program = '', ...args] = [...AS_OWNER, '/usr/sbin/pgbouncer', file];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const killAtExit = () => child.kill('SIGKILL');
  process.on('exit', killAtExit);
  const stop = async () => {
    process.off('exit', killAtExit);
    child.kill('SIGKILL');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  };

  const log = createInterface(child.stderr);
  const { promise: started, resolve } = Promise.withResolvers<boolean>();
  const output: string[] = [];
  log.on('line', (line) => {
    output.push(line);
    if (line.includes('process up')) resolve(true);
  });
  log.on('close', () => resolve(false));
  if (!(await started)) {
    await stop();
    throw new Error(`PgBouncer did not start:\n${output.join('\n')}`);
  }
  // 6432 is PgBouncer's default port, which is part of the name of its socket.
  return { url: `postgres://${user}@localhost:6432/${database}?host=${directory}`, stop };
}
