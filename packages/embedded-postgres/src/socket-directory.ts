import { createHash } from 'node:crypto';
import { chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { socketPort } from './engine.ts';
import type { FileOwner } from './process-launcher.ts';

const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103;

function isShortEnough(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) <= maxSocketPathBytes;
}

/** Gives the closed directory for the server's socket: the database's own, or a short one elsewhere. */
export async function openSocketDirectory(
  filesDir: string,
  owner: FileOwner,
  temporaryDir = tmpdir(),
): Promise<string> {
  if (isShortEnough(filesDir)) return filesDir;
  const hash = createHash('sha256').update(filesDir).digest('hex').slice(0, 16);
  const directory = join(temporaryDir, `badge-postgres-${owner.uid}-${hash}`);
  if (!isShortEnough(directory)) {
    throw new EmbeddedPostgresError(
      `the path of ${filesDir} is too long for a socket, and so is TMPDIR; choose a shorter BADGE_DATA_DIR`,
    );
  }
  const isNew = (await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew && process.getuid?.() === 0) await chown(directory, owner.uid, owner.gid);
  const found = await lstat(directory);
  // Whoever could write here could put a server of their own in the place of ours.
  if (!found.isDirectory() || found.uid !== owner.uid || (found.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${directory} is not a closed directory of user ${owner.uid}; remove it, or choose a shorter BADGE_DATA_DIR`,
    );
  }
  return directory;
}
