import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps buffers in files, up to a total size. Evicts those that were not used for the longest time. Several processes
 * can share a directory: each lists the files before it evicts. Errors of the disk cause misses only.
 */
export interface DiskCache {
  /** Returns a buffer with the right checksum, or undefined. */
  get(name: string): Promise<Buffer | undefined>;
  /** Keeps a buffer. `name` has 64 hex digits. */
  set(name: string, buffer: Buffer): void;
  /** Waits until files are written and evicted. Later buffers are not kept. */
  close(): Promise<void>;
}

export interface DiskCacheOptions {
  /** Created with the first file. Files with other names than those of the cache are ignored. */
  readonly directory: string;
  /** The most bytes of all files. */
  readonly maxBytes: number;
  /** Called with errors of the disk, such as a full one. */
  readonly onError?: ((error: Error) => void) | undefined;
}

// A process evicts files after it has written SWEEP_SHARE of the size, and then leaves twice that free. So the
// total stays below the limit with up to two processes, and hardly exceeds it with more.
const SWEEP_SHARE = 1 / 16;
const FREE_SHARE = 1 / 8;
/** The cache leaves this much of the disk free: the database may be on it. */
const MIN_FREE_DISK_BYTES = 256 * 2 ** 20;
const MAX_FILE_BYTES = 16 * 2 ** 20;
const MAX_PENDING_WRITES = 16;
const CHECKSUM_BYTES = 32;
const TEMPORARY_MAX_AGE_MS = 600_000;
// How old the recorded time of use may be.
const USE_PRECISION_MS = 60_000;
const FILE_NAME = /^[0-9a-f]{64}(\.[0-9a-f-]{36}\.tmp)?$/;

export function createDiskCache({ directory, maxBytes, onError }: DiskCacheOptions): DiskCache {
  const pending = new Set<Promise<void>>();
  // A start evicts too: the directory may contain more than the limit of this start.
  let unsweptBytes = Number.POSITIVE_INFINITY;
  let sweeping: Promise<void> | undefined;
  let isClosed = false;

  function report(error: unknown): void {
    if (!isMissing(error)) onError?.(error as Error);
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(report).finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  function startSweep(): void {
    if (sweeping || unsweptBytes < maxBytes * SWEEP_SHARE) return;
    unsweptBytes = 0;
    sweeping = sweep(directory, maxBytes * (1 - FREE_SHARE)).finally(() => {
      sweeping = undefined;
      startSweep();
    });
    track(sweeping);
  }

  async function write(name: string, buffer: Buffer): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < MIN_FREE_DISK_BYTES) {
      throw new Error(`less than ${MIN_FREE_DISK_BYTES} bytes are free in ${directory}`);
    }
    const temporary = join(directory, `${name}.${randomUUID()}.tmp`);
    try {
      await writeFile(temporary, [checksum(name, buffer), buffer], { flag: 'wx', mode: 0o600 });
      await rename(temporary, join(directory, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    unsweptBytes += buffer.length + CHECKSUM_BYTES;
    startSweep();
  }

  startSweep();
  return {
    async get(name) {
      const path = join(directory, name);
      try {
        const buffer = await readUsed(path);
        if (buffer !== undefined && isIntact(name, buffer)) return buffer.subarray(CHECKSUM_BYTES);
        await rm(path, { force: true });
      } catch (error) {
        report(error);
      }
      return undefined;
    },
    set(name, buffer) {
      const fileBytes = buffer.length + CHECKSUM_BYTES;
      if (isClosed || pending.size >= MAX_PENDING_WRITES) return;
      if (fileBytes > Math.min(MAX_FILE_BYTES, maxBytes * (1 - FREE_SHARE))) return;
      track(write(name, buffer));
    },
    async close() {
      isClosed = true;
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Reads a file and records the use. Returns undefined for a file that is too large for the cache. */
async function readUsed(path: string): Promise<Buffer | undefined> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    if (size > MAX_FILE_BYTES) return undefined;
    const buffer = await file.readFile();
    if (Date.now() - mtimeMs > USE_PRECISION_MS) {
      // On a read-only disk, the file can still be used.
      await utimes(path, new Date(), new Date()).catch(() => undefined);
    }
    return buffer;
  } finally {
    await file.close();
  }
}

/** Deletes the files that were not used for the longest time until at most `maxBytes` are left. */
async function sweep(directory: string, maxBytes: number): Promise<void> {
  const files: { path: string; size: number; mtimeMs: number }[] = [];
  for (const name of await readdir(directory)) {
    if (!FILE_NAME.test(name)) continue;
    const path = join(directory, name);
    const stats = await stat(path).catch(ignoreMissing);
    if (stats === undefined) continue;
    const { size, mtimeMs } = stats;
    const isLeftOver = name.endsWith('.tmp') && Date.now() - mtimeMs > TEMPORARY_MAX_AGE_MS;
    if (isLeftOver) await rm(path, { force: true });
    else files.push({ path, size, mtimeMs });
  }
  files.sort((one, other) => one.mtimeMs - other.mtimeMs);
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of files) {
    if (bytes <= maxBytes) break;
    await rm(path, { force: true });
    bytes -= size;
  }
}

// The name is part of it, so that a file under a wrong name is not used.
function checksum(name: string, buffer: Buffer): Buffer {
  return createHash('sha256').update(name).update(buffer).digest();
}

function isIntact(name: string, file: Buffer): boolean {
  const expected = checksum(name, file.subarray(CHECKSUM_BYTES));
  return expected.equals(file.subarray(0, CHECKSUM_BYTES));
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
