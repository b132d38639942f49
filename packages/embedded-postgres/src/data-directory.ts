import { randomUUID } from 'node:crypto';
import {
  access,
  chown,
  constants,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';
import { type Launcher, runProgram } from './launcher.ts';
import { isProcessAlive } from './postmaster.ts';
import type { Log, ServerConfig } from './server-config.ts';

// The service in a restarted container often has the same pid as before. The token distinguishes the two
// processes.
const PROCESS_TOKEN = randomUUID().slice(0, 8);
const UNFINISHED_NAME = /^postgres\.new-(?<pid>\d+)-(?<token>[0-9a-f]{8})-/;

/** Creates the data directory if it is missing. Returns its real path. */
export async function openDataDirectory(dataDir: string): Promise<string> {
  try {
    await mkdir(dirname(resolve(dataDir)), { recursive: true });
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `this user cannot use the data directory ${dataDir} (${String(cause)}); correct its owner, or use another data directory or PostgreSQL server`,
      { cause },
    );
  }
}

/**
 * Changes the owner of the database files to the user who runs PostgreSQL. Throws if the files belong to
 * another user and this process is not root, because only root can change owners.
 */
export async function giveFilesToUser(dataDir: string, filesDir: string, launcher: Launcher): Promise<void> {
  const { uid, gid } = launcher.ids;
  const files = await lstat(filesDir).catch(() => undefined);
  const hasOtherOwner = files !== undefined && files.uid !== uid;
  if (hasOtherOwner && process.getuid?.() !== 0) {
    throw new EmbeddedPostgresError(
      `the database files in ${filesDir} belong to user ${files.uid}, but the service runs as user ${uid}; run the service as user ${files.uid}, change the owner of the files to user ${uid}, or use another data directory`,
    );
  }
  // initdb, which runs as the other user, creates the files in this directory.
  if (launcher.mode === 'other-user') await chown(dataDir, uid, gid);
  if (!hasOtherOwner) return;
  for (const entry of await readdir(filesDir, { recursive: true })) {
    await lchown(join(filesDir, entry), uid, gid);
  }
  // The directory is last, so that the next start repeats an interrupted change.
  await lchown(filesDir, uid, gid);
}

/** Returns true if the directory is missing or empty, so that a database can be created there. */
export async function isMissingOrEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/**
 * Creates the files of a new database under a temporary name, and renames them when they are complete. So an
 * interrupted start leaves no half-created database.
 */
export async function createDataFiles({
  name,
  dataDir,
  filesDir,
  binaries,
  launcher,
}: Pick<ServerConfig, 'name' | 'dataDir' | 'filesDir' | 'binaries' | 'launcher'>): Promise<void> {
  const unfinishedDir = join(
    dataDir,
    `postgres.new-${process.pid}-${PROCESS_TOKEN}-${randomUUID().slice(0, 8)}`,
  );
  const { isSuccess, output } = await runProgram(launcher, [
    binaries.initdb,
    `--pgdata=${unfinishedDir}`,
    `--username=${name}`,
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
      `initdb could not create the database files in ${filesDir}: ${output.slice(-500)}`,
    );
  }
  try {
    await rename(unfinishedDir, filesDir);
  } catch {
    // Another process has created the files first, or other files are there. `checkFilesVersion` checks them
    // next.
    await rm(unfinishedDir, { recursive: true, force: true });
    return;
  }
  // Makes the new name durable.
  await using directory = await open(dataDir);
  await directory.sync();
}

/** Removes the unfinished files of processes that were killed inside `createDataFiles`. */
export async function removeUnfinishedDataFiles(dataDir: string, log: Log): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const { pid, token } = UNFINISHED_NAME.exec(name)?.groups ?? {};
    if (pid === undefined) continue;
    const isOwnPid = Number(pid) === process.pid;
    const isCreatorAlive = isOwnPid ? token === PROCESS_TOKEN : isProcessAlive(Number(pid));
    if (isCreatorAlive) continue;
    try {
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 });
      log.info({ directory: name }, 'removed the unfinished database of an interrupted start');
    } catch (err) {
      log.warn({ err, directory: name }, 'could not remove the unfinished database of an interrupted start');
    }
  }
}

/** Throws if the files are not a database, or have another major version, which PostgreSQL cannot open. */
export async function checkFilesVersion(filesDir: string, majorVersion: string): Promise<void> {
  const filesVersion = await readFile(join(filesDir, 'PG_VERSION'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (filesVersion === majorVersion) return;
  throw new EmbeddedPostgresError(
    filesVersion === undefined
      ? `${filesDir} is not a PostgreSQL database; move it away, or use another data directory`
      : `the database files in ${filesDir} were made by PostgreSQL ${filesVersion}, but this release runs PostgreSQL ${majorVersion}; dump them with the release that made them and restore into an empty data directory, or use a PostgreSQL ${filesVersion} server`,
  );
}
