import { access, constants, lstat, readdir, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
// PostgreSQL stops if it cannot write a WAL file of 16 MiB. The doctor reports a problem when there is space
// for less than eight of them.
const MIN_FREE_BYTES = 128 * MIB;
// Less free space than either of these is a warning. The fraction also applies to inodes.
const SAFE_FREE_BYTES = GIB;
const SAFE_FREE_FRACTION = 0.1;

/**
 * Checks that a directory can be read and written, that other users cannot replace its files, and that it has
 * free space. A missing directory is not created.
 */
export async function inspectDirectory(check: string, directory: string): Promise<Finding[]> {
  try {
    const existing = await findExisting(directory);
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = await stat(existing);
    const isMissing = existing !== directory;
    // In a sticky directory, such as /tmp, a user cannot replace the files of others.
    const isSticky = (mode & 0o1000) !== 0;
    const mayOthersReplaceFiles = (mode & 0o022) !== 0 && !isSticky;
    if (!isMissing && mayOthersReplaceFiles) {
      return [
        problem(
          check,
          `other users can write to ${directory}`,
          `chmod 700 ${directory}, so that they cannot replace its files`,
        ),
      ];
    }
    const { bsize, blocks, bavail, files, ffree } = await statfs(existing);
    const finding = inspectSpace(check, {
      directory,
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      freeFiles: ffree,
      totalFiles: files,
    });
    return isMissing && finding.level === 'ok'
      ? [ok(check, `the first start creates ${directory}; ${finding.found}`)]
      : [finding];
  } catch (error) {
    const reason = String((error as NodeJS.ErrnoException).code ?? error);
    return [
      problem(check, `${directory} cannot be used (${reason})`, 'change its owner, or use another directory'),
    ];
  }
}

export interface Space {
  directory: string;
  freeBytes: number;
  totalBytes: number;
  freeFiles: number;
  /** 0 if the file system does not count files. */
  totalFiles: number;
}

/** Checks that there are enough free bytes and inodes. */
export function inspectSpace(check: string, space: Space): Finding {
  const { directory, freeBytes, totalBytes, freeFiles, totalFiles } = space;
  const freeFraction = freeBytes / totalBytes;
  const freeFileFraction = totalFiles === 0 ? 1 : freeFiles / totalFiles;
  const found = `${(freeBytes / GIB).toFixed(1)} GiB (${toPercent(freeFraction)}) free in ${directory}`;
  const advice = 'delete some files: if the disk is full, writes return 503';
  if (freeBytes < MIN_FREE_BYTES) return problem(check, found, advice);
  if (freeFileFraction < SAFE_FREE_FRACTION) {
    return warning(check, `${toPercent(freeFileFraction)} of the inodes free in ${directory}`, advice);
  }
  return freeBytes < SAFE_FREE_BYTES || freeFraction < SAFE_FREE_FRACTION
    ? warning(check, found, advice)
    : ok(check, found);
}

/** Checks that this user owns the files of the embedded database and can read them, or is root. */
export async function inspectFileOwner(filesDir: string): Promise<Finding[]> {
  const uid = process.getuid?.() ?? 0;
  const owner = await lstat(filesDir).catch(() => null);
  if (owner === null) return [];
  if (owner.uid !== uid && uid !== 0) {
    return [
      problem(
        'database files',
        `${filesDir} belongs to user ${owner.uid}, and this is user ${uid}`,
        `run doctor and the service as user ${owner.uid}, or as root`,
      ),
    ];
  }
  const isUnreadable = await readdir(filesDir).then(
    () => false,
    () => true,
  );
  if (isUnreadable) {
    return [problem('database files', `user ${uid} cannot read ${filesDir}`, `chmod 700 ${filesDir}`)];
  }
  return [ok('database files', `${filesDir}, owned by user ${owner.uid}`)];
}

/** Returns the directory or, if it is missing, its nearest parent that exists. */
async function findExisting(directory: string): Promise<string> {
  // With any other error, the directory counts as existing, so that the caller's `access` reports the error.
  const exists = await stat(directory).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  return exists || dirname(directory) === directory ? directory : findExisting(dirname(directory));
}

function toPercent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}
