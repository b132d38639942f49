import { examineInstallation } from '../doctor/examine-installation.ts';

/** Prints what is well with an installation and what is not; 1 if there is a problem. */
export async function doctor(): Promise<number> {
  const findings = await examineInstallation();
  for (const { level, check, found, advice } of findings) {
    process.stdout.write(`${level.padEnd(7)}  ${check}: ${found}${advice && `. To do: ${advice}`}\n`);
  }
  const count = (wanted: string) => findings.filter(({ level }) => level === wanted).length;
  process.stdout.write(`${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems\n`);
  return count('problem') === 0 ? 0 : 1;
}
