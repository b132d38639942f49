import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BIN = '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid?.() === 0;

/** A directory for clusters, archive and backups, and the user who owns them: PostgreSQL does not run as root. */
export interface Place {
  directory: string;
  /** Runs one of PostgreSQL's programs, or the system's, as that user; prints the command. */
  run(program: string, ...args: string[]): Promise<void>;
}

/** Makes a place whose servers and files are gone when this process ends. */
export async function makePlace(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'badge-restore-'));
  const asOwner = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : ['env'];
  process.on('exit', () => {
    for (const name of ['files', 'restored']) {
      const stop = ['pg_ctl', '-D', join(directory, name), '-m', 'immediate', 'stop'];
      const [file = '', ...args] = [...asOwner, ...stop];
      spawnSync(file, args, { cwd: directory, env: { PATH: `${BIN}:${process.env.PATH}` } });
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  await chmod(directory, 0o755);
  if (isRoot) await promisify(execFile)('chown', ['postgres:postgres', directory]);
  return {
    directory,
    async run(program, ...args) {
      process.stdout.write(`$ ${[program, ...args].join(' ').replaceAll(directory, '…')}\n`);
      const [file = '', ...rest] = [...asOwner, program, ...args];
      await promisify(execFile)(file, rest, {
        cwd: directory,
        env: { PATH: `${BIN}:${process.env.PATH}`, LC_ALL: 'C' },
      });
    },
  };
}

/** Starts a new cluster that archives its WAL; answers its address. */
export async function startArchivedCluster({ directory, run }: Place): Promise<string> {
  const files = join(directory, 'files');
  const archive = join(directory, 'archive');
  await run('mkdir', archive);
  await run('initdb', '-D', files, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-k');
  await addSettings(files, {
    listen_addresses: '',
    unix_socket_directories: directory,
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  });
  await run('pg_ctl', '-D', files, '-w', '-l', join(directory, 'log'), 'start');
  return databaseUrl(directory, 'postgres');
}

/** Takes a base backup from the running server. */
export async function backUp({ directory, run }: Place): Promise<void> {
  const backup = join(directory, 'backup');
  await run('pg_basebackup', '-h', directory, '-U', 'postgres', '-D', backup, '-c', 'fast');
  await run('pg_verifybackup', backup);
}

/** Stops the cluster, and starts another from the backup and the archive, as it was at that time. */
export async function restoreTo({ directory, run }: Place, time: string): Promise<void> {
  const restored = join(directory, 'restored');
  await run('pg_ctl', '-D', join(directory, 'files'), '-m', 'fast', '-w', 'stop');
  await run('cp', '-a', join(directory, 'backup'), restored);
  await addSettings(restored, {
    restore_command: `cp ${directory}/archive/%f %p`,
    recovery_target_time: time,
    recovery_target_action: 'promote',
  });
  await run('touch', join(restored, 'recovery.signal'));
  await run('pg_ctl', '-D', restored, '-w', '-l', join(directory, 'log'), 'start');
}

/** Dumps the database of the running server. */
export async function dump({ directory, run }: Place): Promise<void> {
  await run('pg_dump', '-h', directory, '-U', 'postgres', '-Fc', '-f', join(directory, 'dump'), 'postgres');
}

/** Restores the dump into a new database; answers its address. */
export async function restoreDump({ directory, run }: Place): Promise<string> {
  const server = ['-h', directory, '-U', 'postgres'];
  await run('createdb', ...server, '-T', 'template0', 'from_dump');
  await run(
    'pg_restore',
    ...server,
    '-d',
    'from_dump',
    '--no-owner',
    '--exit-on-error',
    join(directory, 'dump'),
  );
  return databaseUrl(directory, 'from_dump');
}

async function addSettings(files: string, settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  for (const line of lines) process.stdout.write(`postgresql.conf: ${line}`);
  await appendFile(join(files, 'postgresql.conf'), lines.join(''));
}

function databaseUrl(directory: string, database: string): string {
  return `postgres://postgres@localhost/${database}?host=${directory}`;
}
