import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

// Linux only. `/proc` counts in this unit on all platforms of Node.
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 500;

export interface ProcessUse {
  /** Until it has ended. */
  cpuSeconds: number;
  /** The largest resident memory. */
  peakMb: number;
}

/** Watches a process until it ends. */
export async function watchProcess(pid: number, exited: Promise<unknown>): Promise<ProcessUse> {
  const use = { cpuSeconds: 0, peakMb: 0 };
  let hasExited = false;
  void exited.finally(() => {
    hasExited = true;
  });
  while (!hasExited) {
    const [stat, status] = await Promise.all(
      ['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    const [user = 0, system = 0] = timesOf(stat ?? '');
    // A process that has ended, and that nobody has waited for, has no memory.
    use.cpuSeconds = Math.max(use.cpuSeconds, user + system);
    use.peakMb = Math.max(
      use.peakMb,
      (Number(/VmHWM:\s*(\d+) kB/.exec(status ?? '')?.[1] ?? 0) * 1024) / 1e6,
    );
    await Promise.race([wait(SAMPLE_MS), exited]);
  }
  return use;
}

/** The processor time of PostgreSQL until now, with its processes that have ended. */
export async function readServerSeconds(postmaster: number): Promise<number> {
  let seconds = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = timesOf(stat);
    if (Number(name) === postmaster) seconds += user + system + userOfEnded + systemOfEnded;
    else if (parentOf(stat) === postmaster) seconds += user + system;
  }
  return seconds;
}

// The name of the program is in parentheses, and can contain spaces.
const fieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');
const parentOf = (stat: string) => Number(fieldsOf(stat)[1]);

/** The times of the process, and of its ended children, in seconds. */
function timesOf(stat: string): number[] {
  return fieldsOf(stat)
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
}
