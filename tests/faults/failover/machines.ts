import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { appendFile, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BRIDGE = 'bridge';
// No machine has this hardware address, so packets to it are lost.
const NO_NEIGHBOR = ['lladdr', '02:00:00:00:00:00', 'nud', 'permanent', 'dev', 'eth0'];

/**
 * Directories that a database machine does not share with the others. `/etc` begins as a copy of the host's.
 */
const OWN_DIRECTORIES = ['/etc', '/var/lib/postgresql', '/var/lib/etcd', '/run/postgresql'];

/**
 * A simulated machine: a network namespace and a mount namespace. It uses the processors of the real machine.
 */
export interface Machine {
  name: string;
  address: string;
  /** Writes a file, given by its path on the machine. */
  write(path: string, text: string, options?: { owner?: string; mode?: number }): Promise<void>;
  append(path: string, text: string): Promise<void>;
  /** Starts a program as this user. Its output goes to the file `LOG.log` in the machine's directory. */
  start(log: string, user: string, command: string[], env?: Record<string, string>): ChildProcess;
  /** Runs a program as this user, and returns its output. Rejects if it fails. */
  run(user: string, command: string[]): Promise<string>;
  /** The path, outside the machine, of a file in one of the machine's own directories. */
  pathOf(path: string): string;
  /**
   * Drops all packets from and to the machine. Open connections get no error. A new one fails after some
   * seconds.
   */
  disconnect(): Promise<void>;
  /** Drops all packets that the machine sends to these addresses. */
  disconnectFrom(addresses: string[]): Promise<void>;
  /** Ends `disconnect` and `disconnectFrom`. */
  connect(): Promise<void>;
  /** Kills every process on the machine. */
  remove(): Promise<void>;
}

/** Creates the network of the machines. This process is on it too, with this address. */
export async function createNetwork(address: string): Promise<void> {
  await run('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  await run('ip', ['address', 'add', `${address}/24`, 'dev', BRIDGE]);
  await run('ip', ['link', 'set', BRIDGE, 'up']);
}

/**
 * Replaces `/etc` with a copy in memory, to which files can be added. Only this mount namespace sees the
 * copy.
 */
export async function replaceEtcWithCopy(): Promise<void> {
  await run('sh', ['-ec', 'mount -t tmpfs tmpfs /mnt && cp -a /etc /mnt && mount --bind /mnt/etc /etc']);
}

/** Creates a machine whose files are in `directory`. */
export async function createMachine(name: string, address: string, directory: string): Promise<Machine> {
  const pathOf = (path: string) => join(directory, path);
  // All but `/etc`, which is copied.
  const [, ...emptyDirectories] = OWN_DIRECTORIES;
  for (const path of emptyDirectories) await mkdir(pathOf(path), { recursive: true });
  await run('cp', ['-a', '/etc', directory]);
  await run('chown', ['postgres:postgres', pathOf('/var/lib/postgresql'), pathOf('/run/postgresql')]);
  await run('chown', ['etcd:etcd', pathOf('/var/lib/etcd')]);
  const mounts = OWN_DIRECTORIES.map((path) => `mount --bind ${pathOf(path)} ${path}`);
  const script = [...mounts, 'ip link set lo up', 'echo created', 'exec sleep infinity'].join(' && ');
  // This process keeps the namespaces, even while no other process runs in them.
  const holder = spawn('unshare', ['--net', '--mount', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => holder.kill('SIGKILL'));
  // The output `created` means that the mounts are complete.
  await once(holder.stdout, 'data');
  const { pid } = holder;

  await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  await run('ip', ['link', 'set', name, 'master', BRIDGE, 'up']);
  const enter = ['--target', String(pid), '--net', '--mount'];
  const runIp = (args: string[]) => run('nsenter', [...enter, 'ip', ...args]);
  await runIp(['address', 'add', `${address}/24`, 'dev', 'eth0']);
  await runIp(['link', 'set', 'eth0', 'up']);
  let unreachable: string[] = [];
  const commandOf = (user: string, command: string[]) => [
    ...enter,
    'setpriv',
    `--reuid=${user}`,
    `--regid=${user}`,
    '--init-groups',
    ...command,
  ];
  const baseEnv = { PATH: `/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin`, LC_ALL: 'C.UTF-8' };

  return {
    name,
    address,
    pathOf,
    async write(path, text, { owner = 'root', mode = 0o644 } = {}) {
      await mkdir(dirname(pathOf(path)), { recursive: true });
      await writeFile(pathOf(path), text, { mode });
      await run('chown', [`${owner}:`, pathOf(path)]);
    },
    append: (path, text) => appendFile(pathOf(path), text),
    start(log, user, command, env = {}) {
      const output = openSync(join(directory, `${log}.log`), 'a');
      const child = spawn('nsenter', commandOf(user, command), {
        cwd: '/',
        env: { ...baseEnv, ...env },
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      return child;
    },
    async run(user, command) {
      const { stdout } = await run('nsenter', commandOf(user, command), { cwd: '/', env: baseEnv });
      return stdout;
    },
    disconnect: async () => void (await run('ip', ['link', 'set', name, 'down'])),
    async disconnectFrom(addresses) {
      for (const other of addresses) await runIp(['neigh', 'replace', other, ...NO_NEIGHBOR]);
      unreachable = addresses;
    },
    async connect() {
      for (const other of unreachable) await runIp(['neigh', 'delete', other, 'dev', 'eth0']);
      unreachable = [];
      await run('ip', ['link', 'set', name, 'up']);
    },
    async remove() {
      await killProcessesOf(pid);
      await run('ip', ['link', 'delete', name]).catch(() => undefined);
    },
  };
}

// Kills every process in the network namespace of the process `holder`, and `holder` itself.
async function killProcessesOf(holder: number | undefined): Promise<void> {
  const namespace = await readlink(`/proc/${holder}/ns/net`);
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const own = await readlink(`/proc/${pid}/ns/net`).catch(() => '');
    if (own === namespace) process.kill(Number(pid), 'SIGKILL');
  }
}
