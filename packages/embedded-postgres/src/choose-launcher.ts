import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { asOneLine } from './one-line.ts';
import { type FileOwner, type ProcessLauncher, runProgram } from './process-launcher.ts';

const nobody: FileOwner = { uid: 65534, gid: 65534 };

/** Restricts the choice of the launcher. */
export interface LauncherChoice {
  readonly user?: ProcessLauncher['user'];
  readonly hasParentDeathSignal?: boolean;
}

/**
 * Picks the first way of running PostgreSQL that works here, and tells the program's major version.
 * PostgreSQL refuses to run as root.
 */
export async function chooseLauncher(
  dataDir: string,
  binaries: PostgresBinaries,
  choice: LauncherChoice = {},
): Promise<{ launcher: ProcessLauncher; majorVersion: string }> {
  const faults: string[] = [];
  for (const { user, owner } of await listUsers(dataDir)) {
    if (choice.user !== undefined && user !== choice.user) continue;
    for (const hasParentDeathSignal of [true, false]) {
      if (hasParentDeathSignal && choice.hasParentDeathSignal === false) continue;
      const launcher: ProcessLauncher = { user, owner, hasParentDeathSignal };
      const { isSuccess, output } = await probe(launcher, dataDir, binaries);
      const majorVersion = /^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1];
      if (isSuccess && majorVersion !== undefined) return { launcher, majorVersion };
      if (!hasParentDeathSignal) faults.push(`as ${user} ${owner.uid}: ${asOneLine(output)}`);
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL, which refuses to run as root, cannot be run here (${faults.join('; ')}); run the service as a normal user that /etc/passwd names, move BADGE_DATA_DIR and the installation to where that user may read, or set DATABASE_URL`,
  );
}

async function listUsers(dataDir: string): Promise<{ user: ProcessLauncher['user']; owner: FileOwner }[]> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (self.uid !== 0) {
    return [
      { user: 'direct', owner: self },
      { user: 'user-namespace', owner: self },
    ];
  }
  const { uid, gid } = await stat(dataDir);
  return [
    { user: 'user-namespace', owner: self },
    { user: 'other-user', owner: uid === 0 ? nobody : { uid, gid } },
  ];
}

// initdb refuses a user without a name. In a user namespace root may enter only what its owner or everybody may. An other user is given the
// data directory afterwards, and so has to reach only the folder around it.
function probe(launcher: ProcessLauncher, dataDir: string, binaries: PostgresBinaries) {
  const [mode, path] = launcher.user === 'other-user' ? ['-x', dirname(dataDir)] : ['-w', dataDir];
  const script = 'test "$1" "$2" || { echo "no access to $2"; exit 1; }; id -un && exec "$3" --version';
  return runProgram(launcher, ['/bin/sh', '-c', script, 'sh', mode, path, binaries.postgres]);
}
