import { access, constants, lstat, readdir, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
// PostgreSQL writes its log in files of 16 MiB, and stops where it cannot.
const LEAST_FREE_BYTES = 128 * MIB;
const SAFE_FREE_BYTES = GIB;
const SAFE_FREE_SHARE = 0.1;

/** Whether the directory can be written to, and has space; it is not made. */
export async function checkDirectory(check: string, directory: string): Promise<Finding[]> {
  try {
    const place = await findExisting(directory);
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = await stat(place);
    const isMissing = place !== directory;
    if (!isMissing && (mode & 0o022) !== 0 && (mode & 0o1000) === 0) {
      return [problem(check, `others may write to ${directory}`, 'chmod 700 it: it holds the keys')];
    }
    const { bsize, blocks, bavail, files, ffree } = await statfs(place);
    const space = judgeSpace(check, {
      directory,
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      freeFiles: ffree,
      totalFiles: files,
    });
    return isMissing && space.level === 'ok'
      ? [ok(check, `${directory} is made at the first start; ${space.found}`)]
      : [space];
  } catch (error) {
    const reason = String((error as NodeJS.ErrnoException).code ?? error);
    return [
      problem(check, `${directory} cannot be written to (${reason})`, 'correct its owner, or choose another'),
    ];
  }
}

export interface Space {
  directory: string;
  freeBytes: number;
  totalBytes: number;
  freeFiles: number;
  /** 0 where the file system does not count them. */
  totalFiles: number;
}

/** Whether there is room to go on writing. */
export function judgeSpace(check: string, space: Space): Finding {
  const { directory, freeBytes, totalBytes, freeFiles, totalFiles } = space;
  const freeShare = freeBytes / totalBytes;
  const fileShare = totalFiles === 0 ? 1 : freeFiles / totalFiles;
  const found = `${(freeBytes / GIB).toFixed(1)} GiB (${toPercent(freeShare)}) free in ${directory}`;
  const advice = 'make room: writes are answered with 503 when it is full';
  if (freeBytes < LEAST_FREE_BYTES) return problem(check, found, advice);
  if (fileShare < SAFE_FREE_SHARE) {
    return warning(check, `${toPercent(fileShare)} of the files (inodes) left in ${directory}`, advice);
  }
  return freeBytes < SAFE_FREE_BYTES || freeShare < SAFE_FREE_SHARE
    ? warning(check, found, advice)
    : ok(check, found);
}

/** Whether this user may open the embedded database's files. */
export async function checkFilesOwner(filesDir: string): Promise<Finding[]> {
  const uid = process.getuid?.() ?? 0;
  const owner = await lstat(filesDir).catch(() => null);
  if (owner === null) return [];
  const isForeign = owner.uid !== uid && uid !== 0;
  const isClosed = await readdir(filesDir).then(
    () => false,
    () => true,
  );
  if (isForeign || isClosed) {
    return [
      problem(
        'database files',
        `${filesDir} belongs to user ${owner.uid}, this is user ${uid}`,
        'run doctor and the service as their owner, or as root',
      ),
    ];
  }
  return [ok('database files', `${filesDir}, of user ${owner.uid}`)];
}

async function findExisting(directory: string): Promise<string> {
  const isThere = await stat(directory).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  return isThere || dirname(directory) === directory ? directory : findExisting(dirname(directory));
}

function toPercent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
