import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asOneLine } from './one-line.ts';

const maxLogBytes = 10 * 1024 * 1024;
const lastLinesCount = 5;
const lastLinesBytes = 4096;

function logPath(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

/** Moves a server log of more than 10 MB aside, to `postgres.log.1`. */
export async function rotateServerLog(dataDir: string): Promise<void> {
  const { size } = await stat(logPath(dataDir)).catch(() => ({ size: 0 }));
  if (size > maxLogBytes) await rename(logPath(dataDir), `${logPath(dataDir)}.1`);
}

/** Opens the server log to append to; `startBytes` is where this run's lines begin. */
export async function openServerLog(dataDir: string): Promise<{ file: FileHandle; startBytes: number }> {
  const file = await open(logPath(dataDir), 'a', 0o600);
  return { file, startBytes: (await file.stat()).size };
}

/** Reads the last lines that a run has written, as one line. */
export async function readLastLogLines(dataDir: string, startBytes: number): Promise<string> {
  await using file = await open(logPath(dataDir));
  const { size } = await file.stat();
  const position = Math.max(startBytes, size - lastLinesBytes);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(lastLinesBytes), position });
  const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
  return asOneLine(text.split('\n').slice(-lastLinesCount).join('\n'));
}
