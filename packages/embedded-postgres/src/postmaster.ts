import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

// The postmaster is PostgreSQL's main process. While it runs, it keeps the lock file `postmaster.pid`.

const FAST_SHUTDOWN_MS = 30_000;

export interface PostmasterFile {
  readonly pid: number;
  readonly socketDir: string;
  /** `ready` once the server accepts connections. */
  readonly status: string;
}

/**
 * Reads `postmaster.pid`. Returns undefined if the file is missing or has no pid yet. The other fields are
 * empty until the server has written them.
 */
export async function readPostmasterFile(filesDir: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(filesDir, 'postmaster.pid'), 'utf8').catch(() => '');
  // The 1st, 5th and 8th line are the pid, the directory of the socket, and the status.
  const [pid, , , , socketDir = '', , , status = ''] = text.split('\n').map((line) => line.trim());
  // A single-user server writes its pid as a negative number.
  const pidNumber = Math.abs(Number(pid));
  return pidNumber > 0 ? { pid: pidNumber, socketDir, status } : undefined;
}

/** Returns true if a process has this pid. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns true if the process is a PostgreSQL server on these files, and not a later process with the same
 * pid.
 */
export async function isPostmasterOf(pid: number, filesDir: string): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(
      () => ({ stdout: '' }),
    );
    return stdout.includes('postgres') && stdout.includes(filesDir);
  }
  // A zombie has no command line.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = ''] = commandLine.split('\0');
  if (basename(program) !== 'postgres') return false;
  try {
    const [workingDir, files] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(filesDir)]);
    return workingDir.dev === files.dev && workingDir.ino === files.ino;
  } catch {
    // The process has just ended, or this user may not read its working directory. Then the program's name
    // decides.
    return isProcessAlive(pid);
  }
}

/** Shuts a server down. If it takes more than 30 seconds, makes it exit without a checkpoint. */
export async function shutDown(
  kill: (signal: NodeJS.Signals) => void,
  ended: Promise<unknown>,
): Promise<void> {
  // To PostgreSQL, SIGINT means a fast shutdown and SIGQUIT an immediate one.
  kill('SIGINT');
  const timer = setTimeout(() => kill('SIGQUIT'), FAST_SHUTDOWN_MS);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}
