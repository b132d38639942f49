import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LAST_LINES = 5;
const LAST_LINES_BYTES = 4096;

function logPath(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

/** Renames a server log larger than 10 MiB to `postgres.log.1`. */
export async function rotateServerLog(dataDir: string): Promise<void> {
  const { size } = await stat(logPath(dataDir)).catch(() => ({ size: 0 }));
  if (size > MAX_LOG_BYTES) await rename(logPath(dataDir), `${logPath(dataDir)}.1`);
}

/** Opens the server log for appending. `startBytes` is the offset of this run's first line. */
export async function openServerLog(dataDir: string): Promise<{ file: FileHandle; startBytes: number }> {
  const file = await open(logPath(dataDir), 'a', 0o600);
  return { file, startBytes: (await file.stat()).size };
}

/** Reads the last lines of the run that began at `startBytes`. */
export async function readLastLogLines(dataDir: string, startBytes: number): Promise<string> {
  await using file = await open(logPath(dataDir));
  const { size } = await file.stat();
  const position = Math.max(startBytes, size - LAST_LINES_BYTES);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(LAST_LINES_BYTES), position });
  const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
  return text.split('\n').slice(-LAST_LINES).join('\n');
}
