import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FILL_ATTEMPTS = 10;
// Allocating the whole disk can take seconds, in which PostgreSQL uses some of it. So the first attempt
// leaves this much, which the next attempt allocates quickly.
const FIRST_REST_BYTES = 64 * 1024 * 1024;
const SIZES = { data: '1g', wal: '1200m' };

export type DiskName = keyof typeof SIZES;

/** Two small file systems in memory (tmpfs): one for PostgreSQL's data, one for its write-ahead log. */
export interface SmallDisks {
  dataDir: string;
  /**
   * Moves the write-ahead log of a stopped server to the disk `wal`. `filesDir` is the directory of the
   * database files.
   */
  moveWriteAheadLog(filesDir: string): Promise<void>;
  /** Fills the disk. Returns false if some space is left. */
  fill(disk: DiskName): Promise<boolean>;
  free(disk: DiskName): Promise<void>;
  unmount(): Promise<void>;
}

/** The disks could not be mounted. Usually only root may mount them. */
export class SmallDisksUnavailable extends Error {
  override name = 'SmallDisksUnavailable';
}

/** Mounts the disks in a directory. Throws SmallDisksUnavailable if this fails. */
export async function mountSmallDisks(directory: string): Promise<SmallDisks> {
  const path = (disk: DiskName) => join(directory, `${disk}-disk`);
  const fillerPath = (disk: DiskName) => join(path(disk), 'filler');
  const mounted: string[] = [];

  async function readFreeBytes(disk: DiskName): Promise<number> {
    const { bavail, bsize } = await statfs(path(disk));
    return bavail * bsize;
  }

  async function unmount(): Promise<void> {
    for (const mountPoint of mounted.splice(0)) await run('umount', ['--lazy', mountPoint]);
  }

  for (const disk of Object.keys(SIZES) as DiskName[]) {
    await mkdir(path(disk));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZES[disk]},mode=755`, 'tmpfs', path(disk)]);
    } catch {
      await unmount();
      throw new SmallDisksUnavailable();
    }
    mounted.push(path(disk));
  }

  return {
    dataDir: join(path('data'), 'badge'),
    async moveWriteAheadLog(filesDir) {
      const log = join(filesDir, 'pg_wal');
      const target = join(path('wal'), 'pg_wal');
      await run('cp', ['-a', log, target]);
      await rm(log, { recursive: true });
      await symlink(target, log);
    },
    async fill(disk) {
      // `fallocate` fails if PostgreSQL uses some of the space first. The next attempt then allocates less.
      for (let attempt = 0; attempt < FILL_ATTEMPTS; attempt += 1) {
        const freeBytes = await readFreeBytes(disk);
        if (freeBytes === 0) return true;
        const bytes = freeBytes > 2 * FIRST_REST_BYTES ? freeBytes - FIRST_REST_BYTES : freeBytes;
        const file = `${fillerPath(disk)}-${attempt}`;
        await run('fallocate', ['-l', String(bytes), file]).catch(() => undefined);
      }
      return (await readFreeBytes(disk)) === 0;
    },
    async free(disk) {
      for (let attempt = 0; attempt < FILL_ATTEMPTS; attempt += 1)
        await rm(`${fillerPath(disk)}-${attempt}`, { force: true });
    },
    unmount,
  };
}
