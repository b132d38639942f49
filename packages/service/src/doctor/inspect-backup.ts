import { type BackupProblem, readBackupStatus } from '../backup-status.ts';
import type { Config } from '../config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const FOUND: Record<BackupProblem, string> = {
  failed: 'the last one failed',
  unreadable: 'the last one cannot be read',
  tooSmall: 'the last one is too small',
  tooOld: 'the last good one is more than two days old',
  unknown: 'nothing is known about them',
};

/** Checks the last backup, if its status file is configured. */
export async function inspectBackup(config: Config): Promise<Finding[]> {
  const file = config.backupStatusFile;
  if (file === undefined) return [];
  const status = await readBackupStatus(file, Date.now());
  const when = status.successAtMs === null ? 'never' : new Date(status.successAtMs).toISOString();
  if (status.problems.length === 0) {
    return [ok('backups', `the last one was good, ${when}, ${status.successBytes ?? 'unknown'} bytes`)];
  }
  const found = `${status.problems.map((name) => FOUND[name]).join(', and ')}. Last good one: ${when}. Reason: ${status.reason || 'none was written'}`;
  const advice =
    'read the log of badge-backup, mend the cause, and take a backup now (systemctl start badge-backup)';
  // Before the first backup, the file is missing.
  return [
    status.problems.includes('unknown')
      ? warning('backups', found, advice)
      : problem('backups', found, advice),
  ];
}
