import { createHash } from 'node:crypto';
import { chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';
import type { UserIds } from './launcher.ts';

/** The number in the name of the socket file. The server listens on no TCP port. */
export const SOCKET_PORT = 5432;

const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

function isShortEnough(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_BYTES;
}

/**
 * Returns the directory for the server's socket: `filesDir`, which contains the database files. If its path
 * is too long for a socket, returns a private directory in `temporaryDir`.
 */
export async function openSocketDirectory(
  filesDir: string,
  { uid, gid }: UserIds,
  name: string,
  temporaryDir = tmpdir(),
): Promise<string> {
  if (isShortEnough(filesDir)) return filesDir;
  const hash = createHash('sha256').update(filesDir).digest('hex').slice(0, 16);
  const directory = join(temporaryDir, `${name}-postgres-${uid}-${hash}`);
  if (!isShortEnough(directory)) {
    throw new EmbeddedPostgresError(
      `the paths of ${filesDir} and TMPDIR are too long for a socket; use a data directory with a shorter path`,
    );
  }
  const isNew = (await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew && process.getuid?.() === 0) await chown(directory, uid, gid);
  const found = await lstat(directory);
  // Another user with write access could replace our server's socket with their own.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${directory} is not a private directory of user ${uid}; remove it, or use a data directory with a shorter path`,
    );
  }
  return directory;
}
