import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A cache of buffers in files, up to a total size. It evicts the least recently used files. Several processes
 * can share a directory, because each lists all files before it evicts any. A disk error only causes a cache
 * miss.
 */
export interface DiskCache {
  /** Returns the buffer, or undefined if it is not in the cache or its checksum is wrong. */
  get(name: string): Promise<Buffer | undefined>;
  /** Keeps a buffer, unless it is too large or too many writes are in progress. `name` has 64 hex digits. */
  set(name: string, buffer: Buffer): void;
  /** Waits until all writes and evictions have ended. Buffers that are set later are not kept. */
  close(): Promise<void>;
}

export interface DiskCacheOptions {
  /** Created with the first file. Files whose names the cache does not use are ignored. */
  readonly directory: string;
  /** The limit of the total size of the files. */
  readonly maxBytes: number;
  /** Called with each disk error, such as a full disk. */
  readonly onError?: ((error: Error) => void) | undefined;
}

// A process evicts files each time it has written SWEEP_FRACTION of `maxBytes`, until FREE_FRACTION of
// `maxBytes` is free. FREE_FRACTION is twice SWEEP_FRACTION, so two processes stay below `maxBytes`, and more
// processes hardly exceed it.
const SWEEP_FRACTION = 1 / 16;
const FREE_FRACTION = 1 / 8;
/** The cache leaves this much of the disk free: the database may be on it. */
const MIN_FREE_DISK_BYTES = 256 * 2 ** 20;
const MAX_FILE_BYTES = 16 * 2 ** 20;
const MAX_PENDING_WRITES = 16;
const CHECKSUM_BYTES = 32;
// An older temporary file is from a process that was killed.
const TEMPORARY_MAX_AGE_MS = 600_000;
// A read updates the time of use of a file only if the recorded time is older than this.
const USE_PRECISION_MS = 60_000;
const FILE_NAME = /^[0-9a-f]{64}(\.[0-9a-f-]{36}\.tmp)?$/;

export function createDiskCache({ directory, maxBytes, onError }: DiskCacheOptions): DiskCache {
  const pending = new Set<Promise<void>>();
  // Infinite, so that the cache also evicts when it is created: `maxBytes` may be smaller than in the
  // previous run.
  let bytesSinceSweep = Number.POSITIVE_INFINITY;
  let sweeping: Promise<void> | undefined;
  let isClosed = false;

  // A missing file is no disk error. Another process may have evicted it.
  function report(error: unknown): void {
    if (!isMissing(error)) onError?.(error as Error);
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(report).finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  function sweepIfDue(): void {
    if (sweeping || bytesSinceSweep < maxBytes * SWEEP_FRACTION) return;
    bytesSinceSweep = 0;
    sweeping = sweep(directory, maxBytes * (1 - FREE_FRACTION)).finally(() => {
      sweeping = undefined;
      sweepIfDue();
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
    bytesSinceSweep += buffer.length + CHECKSUM_BYTES;
    sweepIfDue();
  }

  sweepIfDue();
  return {
    async get(name) {
      const path = join(directory, name);
      try {
        const buffer = await readAndMarkUsed(path);
        if (buffer !== undefined && isIntact(name, buffer)) return buffer.subarray(CHECKSUM_BYTES);
        // The file is damaged or too large.
        await rm(path, { force: true });
      } catch (error) {
        report(error);
      }
      return undefined;
    },
    set(name, buffer) {
      const fileBytes = buffer.length + CHECKSUM_BYTES;
      if (isClosed || pending.size >= MAX_PENDING_WRITES) return;
      if (fileBytes > Math.min(MAX_FILE_BYTES, maxBytes * (1 - FREE_FRACTION))) return;
      track(write(name, buffer));
    },
    async close() {
      isClosed = true;
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Reads a file and updates its time of use. Returns undefined for a file that is too large for the cache. */
async function readAndMarkUsed(path: string): Promise<Buffer | undefined> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    if (size > MAX_FILE_BYTES) return undefined;
    const buffer = await file.readFile();
    if (Date.now() - mtimeMs > USE_PRECISION_MS) {
      // This fails on a read-only disk. The buffer is returned anyway.
      await utimes(path, new Date(), new Date()).catch(() => undefined);
    }
    return buffer;
  } finally {
    await file.close();
  }
}

/** Deletes the least recently used files until at most `maxBytes` are left. */
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

// The name is part of the checksum, so that a file under a wrong name is not used.
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
