import { readFile } from 'node:fs/promises';

// Backups are taken once a day, so one more than this old means that at least one is missing.
const MAX_AGE_MS = 2 * 24 * 3_600_000;

/**
 * What is wrong with the backups: the last one failed, cannot be read, or is much smaller than it should be;
 * the last good one is more than two days old; or nothing is known, because the status cannot be read.
 */
export const BACKUP_PROBLEMS = ['failed', 'unreadable', 'tooSmall', 'tooOld', 'unknown'] as const;
export type BackupProblem = (typeof BACKUP_PROBLEMS)[number];

/** What `deploy/postgresql/back-up.sh` has written about the last backup. */
export interface BackupStatus {
  problems: BackupProblem[];
  /** Why the last backup is not good. Empty if it is. */
  reason: string;
  /** When the last good backup ended. */
  successAtMs: number | null;
  /** The size of the last good backup. */
  successBytes: number | null;
  /** The size of the archived WAL. */
  archiveBytes: number | null;
}

/** Reads the status of the backups. Never throws. */
export async function readBackupStatus(file: string, nowMs: number): Promise<BackupStatus> {
  try {
    return parseBackupStatus(await readFile(file, 'utf8'), nowMs);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? `${file} does not exist: no backup has run` : message;
    return { problems: ['unknown'], reason, successAtMs: null, successBytes: null, archiveBytes: null };
  }
}

function parseBackupStatus(text: string, nowMs: number): BackupStatus {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const readNumber = (name: string) =>
    /^\d{1,15}$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null;
  const status = fields.get('status');
  const problem = BACKUP_PROBLEMS.find((name) => name === status);
  if ((status !== 'success' && problem === undefined) || readNumber('at') === null) {
    throw new Error('it was not written by back-up.sh');
  }
  const successAt = readNumber('success_at');
  const isOld = successAt === null || nowMs - successAt * 1_000 > MAX_AGE_MS;
  return {
    problems: [...(problem === undefined ? [] : [problem]), ...(isOld ? (['tooOld'] as const) : [])],
    reason: fields.get('reason') ?? '',
    successAtMs: successAt === null ? null : successAt * 1_000,
    successBytes: readNumber('success_bytes'),
    archiveBytes: readNumber('archive_bytes'),
  };
}
