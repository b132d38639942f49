import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** How PostgreSQL's programs are run, decided once at start. */
export interface ProcessLauncher {
  readonly user: 'direct' | 'user-namespace' | 'other-user';
  /** Whether the kernel sends SIGINT to the program when this process dies. */
  readonly hasParentDeathSignal: boolean;
  /** The user whom the program is, seen from outside of its namespace, and who must own its files. */
  readonly owner: FileOwner;
}

// The mapped user is `nobody`, since initdb wants one that /etc/passwd names. The death signal comes last: entering a namespace or changing the user would clear it.
function commandPrefix(launcher: ProcessLauncher): string[] {
  return [
    ...(launcher.user === 'user-namespace'
      ? ['unshare', '--user', '--map-user=65534', '--map-group=65534']
      : []),
    ...(launcher.hasParentDeathSignal ? ['setpriv', '--pdeathsig', 'INT', '--'] : []),
  ];
}

/**
 * Starts a program in a session of its own, so that a terminal's Ctrl-C reaches only the service. Every
 * launcher replaces itself by the program: the child's pid is the program's.
 */
export function spawnProgram(
  launcher: ProcessLauncher,
  program: readonly string[],
  { stdio, env }: { stdio: StdioOptions; env?: Record<string, string> },
): ChildProcess {
  const [file = '', ...args] = [...commandPrefix(launcher), ...program];
  return spawn(file, args, {
    stdio,
    detached: true,
    cwd: '/',
    // A fixed environment: PGDATA, PGOPTIONS, LC_* and the like of the service's must not reach the server.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...env },
    ...(launcher.user === 'other-user' ? launcher.owner : {}),
  });
}

/** Runs a program to its end and gives what it printed. */
export async function runProgram(
  launcher: ProcessLauncher,
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
