import { inspectInstallation } from '../doctor/inspect-installation.ts';

/** Prints the findings of doctor. Returns 1 if there is a problem, otherwise 0. */
export async function doctor(): Promise<number> {
  const findings = await inspectInstallation();
  // Unlike `stdout` in output.ts, `process.stdout` loses no line if the reader is slow.
  for (const { level, check, found, advice } of findings) {
    process.stdout.write(`${level.padEnd(7)}  ${check}: ${found}${advice && `. To do: ${advice}`}\n`);
  }
  const count = (wanted: string) => findings.filter(({ level }) => level === wanted).length;
  process.stdout.write(`${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems\n`);
  return count('problem') === 0 ? 0 : 1;
}
