import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type EngineLog, superuser } from './engine.ts';
import { asOneLine } from './one-line.ts';
import { isProcessAlive } from './postmaster-file.ts';
import { type ProcessLauncher, runProgram } from './process-launcher.ts';

// A restarted container's service often has its predecessor's pid: the token tells the two apart.
const processToken = randomUUID().slice(0, 8);
const unfinishedName = /^postgres\.new-(?<pid>\d+)-(?<token>[0-9a-f]{8})-/;

/** Makes a new database's files, all or nothing: a start cut off here leaves no half database behind. */
export async function createDataFiles(
  filesDir: string,
  { dataDir, binaries, launcher }: { dataDir: string; binaries: PostgresBinaries; launcher: ProcessLauncher },
): Promise<void> {
  const unfinishedDir = join(
    dataDir,
    `postgres.new-${process.pid}-${processToken}-${randomUUID().slice(0, 8)}`,
  );
  const { isSuccess, output } = await runProgram(launcher, [
    binaries.initdb,
    `--pgdata=${unfinishedDir}`,
    `--username=${superuser}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
  ]);
  if (!isSuccess) {
    await rm(unfinishedDir, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      `the database files in ${filesDir} could not be made: ${asOneLine(output.slice(-500))}`,
    );
  }
  try {
    await rename(unfinishedDir, filesDir);
  } catch {
    // Another start was first, or something else is there: what is there now is checked next.
    await rm(unfinishedDir, { recursive: true, force: true });
    return;
  }
  await using directory = await open(dataDir);
  await directory.sync();
}

/** Removes what starts that were killed while making a database have left behind. */
export async function removeUnfinishedDataFiles(dataDir: string, log: EngineLog): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const { pid, token } = unfinishedName.exec(name)?.groups ?? {};
    if (pid === undefined) continue;
    const isOwn = Number(pid) === process.pid;
    if (isOwn ? token === processToken : isProcessAlive(Number(pid))) continue;
    try {
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 });
      log.info({ directory: name }, 'removed what an interrupted first start left behind');
    } catch (err) {
      log.warn({ err, directory: name }, 'could not remove what an interrupted first start left behind');
    }
  }
}

/** Whether the directory is missing or empty, so that a new database may be made there. */
export async function isWithoutFiles(filesDir: string): Promise<boolean> {
  try {
    return (await readdir(filesDir)).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/** Refuses files of another major version, which PostgreSQL cannot open, and what is no database. */
export async function checkFilesVersion(filesDir: string, majorVersion: string): Promise<void> {
  const filesVersion = await readFile(join(filesDir, 'PG_VERSION'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (filesVersion === majorVersion) return;
  throw new EmbeddedPostgresError(
    filesVersion === undefined
      ? `${filesDir} is not a PostgreSQL database; move it away, or choose another BADGE_DATA_DIR`
      : `the database files in ${filesDir} were made by PostgreSQL ${filesVersion}, this release runs PostgreSQL ${majorVersion}; dump them with the release that made them and restore into an empty BADGE_DATA_DIR, or run a PostgreSQL ${filesVersion} server and set DATABASE_URL`,
  );
}
