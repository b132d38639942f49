import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BIN = '/usr/lib/postgresql/15/bin';
// PostgreSQL refuses to run as root. For another user, `env` runs the program unchanged.
const AS_OWNER =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : ['env'];

/** A directory with clusters of Debian's PostgreSQL 15. Only one of them can run at a time. */
export interface PostgresClusters {
  directory: string;
  /** Runs a program, such as `pg_dump`, as the owner of the clusters, and prints the command. */
  run(program: string, ...args: string[]): Promise<void>;
  /** Creates a cluster with these settings. */
  create(cluster: string, settings: Record<string, string>): Promise<void>;
  /** Appends settings to the cluster's postgresql.conf, and prints them. */
  configure(cluster: string, settings: Record<string, string>): Promise<void>;
  start(cluster: string): Promise<void>;
  stop(cluster: string): Promise<void>;
  /** The URL of a database of the running cluster, on a socket in the directory. */
  databaseUrl(database: string): string;
  /** Stops the running cluster, and removes all files. Also done when this process exits. */
  remove(): void;
}

export async function createPostgresClusters(): Promise<PostgresClusters> {
  const directory = mkdtempSync(join(tmpdir(), 'badge-clusters-'));
  const env = { PATH: `${BIN}:${process.env.PATH}`, LC_ALL: 'C' };
  const log = join(directory, 'log');
  let started: string | undefined;

  function remove(): void {
    if (started !== undefined) {
      const [file = '', ...args] = [...AS_OWNER, 'pg_ctl', '-D', started, '-m', 'immediate', 'stop'];
      spawnSync(file, args, { cwd: directory, env });
      started = undefined;
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
  process.on('exit', remove);
  await chmod(directory, 0o755);
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['postgres:postgres', directory]);

  const clusters: PostgresClusters = {
    directory,
    remove,
    async run(program, ...args) {
      process.stdout.write(`$ ${[program, ...args].join(' ').replaceAll(directory, '…')}\n`);
      const [file = '', ...rest] = [...AS_OWNER, program, ...args];
      await promisify(execFile)(file, rest, { cwd: directory, env });
    },
    async create(cluster, settings) {
      const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--data-checksums'];
      await clusters.run('initdb', '-D', join(directory, cluster), ...options);
      const sockets = { listen_addresses: '', unix_socket_directories: directory };
      await clusters.configure(cluster, { ...sockets, ...settings });
    },
    async configure(cluster, settings) {
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
      for (const line of lines) process.stdout.write(`postgresql.conf: ${line}`);
      await appendFile(join(directory, cluster, 'postgresql.conf'), lines.join(''));
    },
    async start(cluster) {
      started = join(directory, cluster);
      await clusters.run('pg_ctl', '-D', started, '-w', '-l', log, 'start');
    },
    async stop(cluster) {
      await clusters.run('pg_ctl', '-D', join(directory, cluster), '-m', 'fast', '-w', 'stop');
      started = undefined;
    },
    databaseUrl: (database) => `postgres://postgres@localhost/${database}?host=${directory}`,
  };
  return clusters;
}
