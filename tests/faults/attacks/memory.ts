import { readFile, writeFile } from 'node:fs/promises';

/** Starts a new measurement: `readPeakBytes` then returns the peak since this call. */
export async function resetPeak(pid: number): Promise<void> {
  // 5 means: reset the peak of the resident memory.
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}

/**
 * The most memory (resident set) that a process had since `resetPeak`, or since its start if that failed.
 * Undefined if it has ended, or if this system has no /proc.
 */
export async function readPeakBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
