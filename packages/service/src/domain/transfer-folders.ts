import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A process in a new container can have the number of a killed one.
const PROCESS_NAME = `${process.pid}-${randomUUID().slice(0, 8)}`;
const FOLDER = /^badge-transfer-((\d+)-[0-9a-f]{8})-/;

/** Makes a folder for the files of a transfer, in the system's temporary directory. */
export async function makeTransferFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `badge-transfer-${PROCESS_NAME}-`));
}

/** Deletes the folders of processes that were killed, because their files name people. */
export async function deleteAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, processName, pid] = FOLDER.exec(name) ?? [];
    if (processName === undefined || processName === PROCESS_NAME) continue;
    if (Number(pid) === process.pid || !isRunning(Number(pid)))
      await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
