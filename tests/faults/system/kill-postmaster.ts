import { isPostmasterOf, readPostmasterFile } from '@badge/embedded-postgres';

/** Kills a server with SIGKILL. Returns its process id; undefined if it is not running. */
export async function killPostmaster(filesDir: string): Promise<number | undefined> {
  const pid = (await readPostmasterFile(filesDir))?.pid;
  if (pid === undefined || !(await isPostmasterOf(pid, filesDir))) return undefined;
  process.kill(pid, 'SIGKILL');
  return pid;
}
