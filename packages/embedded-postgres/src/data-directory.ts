import { access, chown, constants, lchown, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { ProcessLauncher } from './process-launcher.ts';

/** Makes the data directory where it is missing, and gives its real path. */
export async function openDataDirectory(dataDir: string): Promise<string> {
  try {
    await mkdir(dirname(resolve(dataDir)), { recursive: true });
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `the data directory ${dataDir} cannot be used by this user (${String(cause)}); correct its owner, choose another BADGE_DATA_DIR, or set DATABASE_URL`,
      { cause },
    );
  }
}

/** Gives the database's files to the user that PostgreSQL runs as; only root can. */
export async function giveFilesToOwner(
  dataDir: string,
  filesDir: string,
  launcher: ProcessLauncher,
): Promise<void> {
  const { owner } = launcher;
  const files = await lstat(filesDir).catch(() => undefined);
  const isForeign = files !== undefined && files.uid !== owner.uid;
  if (isForeign && process.getuid?.() !== 0) {
    throw new EmbeddedPostgresError(
      `the database files in ${filesDir} belong to user ${files.uid}, the service runs as user ${owner.uid}; run it as their owner, change their owner, or choose another BADGE_DATA_DIR`,
    );
  }
  if (launcher.user === 'other-user') await chown(dataDir, owner.uid, owner.gid);
  if (!isForeign) return;
  for (const entry of await readdir(filesDir, { recursive: true })) {
    await lchown(join(filesDir, entry), owner.uid, owner.gid);
  }
  // Last, so that a change of owner that was cut off is done again.
  await lchown(filesDir, owner.uid, owner.gid);
}
