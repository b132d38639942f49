import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseEnvironmentFile, readGuideBlock } from './guide.ts';
import { createMachine, type Machine } from './machines.ts';

const run = promisify(execFile);
const POLL_MS = 100;
const HEALTHY_TIMEOUT_MS = 120_000;
const REQUEST_TIMEOUT_MS = 2_000;
const GUIDE_ADDRESS = '10.0.0.11';
const ADDRESSES = { db1: GUIDE_ADDRESS, db2: '10.0.0.12', db3: '10.0.0.13' };
const PATRONI_CONFIG = '/etc/patroni/config.yml';
const PGBOUNCER_CONFIG = '/etc/pgbouncer/pgbouncer.ini';
const PGBOUNCER_USERS = '/etc/pgbouncer/userlist.txt';
const HAPROXY_CONFIG = '/etc/haproxy/haproxy.cfg';
const SHUTDOWN_SESSIONS = 'on-marked-down shutdown-sessions';

export type ReplicationMode = 'sync' | 'async';

/**
 * Three machines with etcd, Patroni and PostgreSQL, as in the guide. HAProxy and PgBouncer run beside this
 * process.
 */
export interface Cluster {
  machines: Machine[];
  /** The service's environment, from the guide. */
  serviceEnv: Record<string, string>;
  /** Further variables of a process that uses PgBouncer. */
  poolerEnv: Record<string, string>;
  /** The URL of the service's database through HAProxy. */
  addressUrl: string;
  /** The URL of the database on one machine. */
  urlOf(machine: Machine): string;
  /**
   * Sets whether HAProxy ends the sessions to a server that is no longer the primary (`shutdown-sessions`).
   * Restarts HAProxy if this changes the setting.
   */
  setShutdownSessions(endsSessions: boolean): Promise<void>;
  /**
   * Waits until one machine is the primary and the others replicate from it. The candidate for the next
   * primary is the synchronous standby in the mode `sync`, and any of the other machines in the mode `async`.
   */
  waitUntilHealthy(): Promise<{ primary: Machine; candidate: Machine }>;
  switchOver(primary: Machine, candidate: Machine): Promise<void>;
  /** Sends a signal to Patroni. */
  signalPatroni(machine: Machine, signal: NodeJS.Signals): void;
  /** Sends SIGKILL to the postmaster. */
  killPostmaster(machine: Machine): Promise<void>;
  /** Starts Patroni again after a SIGKILL. */
  startPatroni(machine: Machine): void;
  stop(): Promise<void>;
}

interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica' | 'standby_leader';
  state: string;
  timeline?: number;
}

export async function startCluster(directory: string, mode: ReplicationMode): Promise<Cluster> {
  const machines: Machine[] = [];
  for (const [name, address] of Object.entries(ADDRESSES)) {
    await mkdir(join(directory, name));
    machines.push(await createMachine(name, address, join(directory, name)));
  }
  await installCertificates(directory, machines);
  const hosts = readGuideBlock('/etc/hosts');
  await writeFile('/etc/hosts', hosts, { flag: 'a' });
  const patronis = new Map<Machine, ChildProcess>();
  const etcds = new Map<Machine, ChildProcess>();
  let haproxy: ChildProcess | undefined;
  let currentShutdownSessions: boolean | undefined;

  for (const machine of machines) {
    await machine.append('/etc/hosts', hosts);
    const etcdEnv = parseEnvironmentFile(adaptToMachine(readGuideBlock('/etc/default/etcd'), machine));
    etcds.set(machine, machine.start('etcd', 'etcd', ['etcd'], etcdEnv));
    const config = adaptToMachine(readGuideBlock(PATRONI_CONFIG), machine);
    const isSynchronous = mode === 'sync';
    await machine.write(
      PATRONI_CONFIG,
      isSynchronous ? config : replaceOnce(config, 'synchronous_mode: true', 'synchronous_mode: false'),
      { owner: 'postgres', mode: 0o600 },
    );
    startPatroni(machine);
  }

  function startPatroni(machine: Machine): void {
    patronis.set(machine, machine.start('patroni', 'postgres', ['patroni', PATRONI_CONFIG]));
  }

  async function waitUntilHealthy() {
    const deadlineMs = performance.now() + HEALTHY_TIMEOUT_MS;
    for (;;) {
      // A server that was cut off does not know the new primary at first, so all servers must agree.
      const views = await Promise.all(machines.map(listMembers));
      const [members = []] = views;
      const primary = members.find(({ role }) => role === 'leader');
      const candidate = members.find(({ role }) => role === (mode === 'sync' ? 'sync_standby' : 'replica'));
      const isHealthy =
        members.length === machines.length &&
        members.every(({ state, timeline }) => state === 'running' && timeline === primary?.timeline) &&
        views.every((view) => describeMembers(view) === describeMembers(members));
      const machineOf = (member?: Member) => machines.find(({ name }) => name === member?.name);
      const found = { primary: machineOf(primary), candidate: machineOf(candidate) };
      if (isHealthy && found.primary !== undefined && found.candidate !== undefined)
        return { primary: found.primary, candidate: found.candidate };
      if (performance.now() > deadlineMs)
        throw new Error(`the cluster is not healthy: ${views.map(describeMembers).join('; ')}`);
      await wait(POLL_MS);
    }
  }

  async function setShutdownSessions(endsSessions: boolean): Promise<void> {
    if (endsSessions === currentShutdownSessions) return;
    currentShutdownSessions = endsSessions;
    if (haproxy !== undefined) {
      haproxy.kill('SIGTERM');
      await once(haproxy, 'exit');
    }
    const config = readGuideBlock(HAPROXY_CONFIG);
    await writeFile(HAPROXY_CONFIG, endsSessions ? config : replaceOnce(config, SHUTDOWN_SESSIONS, ''));
    const log = openSync(join(directory, 'haproxy.log'), 'a');
    haproxy = spawn('haproxy', ['-db', '-f', HAPROXY_CONFIG], { stdio: ['ignore', log, log] });
    closeSync(log);
  }

  const serviceEnv = parseEnvironmentFile(readGuideBlock('/etc/badge/badge.env'));
  const { DATABASE_URL: addressUrl = '' } = serviceEnv;
  const { primary } = await waitUntilHealthy();
  await primary.run('postgres', ['sh', '-ec', readGuideBlock("The service's role and database")]);
  await setShutdownSessions(true);
  const pgbouncer = await startPgbouncer(directory);

  return {
    machines,
    serviceEnv,
    poolerEnv: parseEnvironmentFile(readGuideBlock('Variables of a process that uses PgBouncer')),
    addressUrl,
    urlOf({ name }) {
      const url = new URL(addressUrl);
      url.hostname = name;
      return url.href;
    },
    setShutdownSessions,
    waitUntilHealthy,
    async switchOver(from, to) {
      const names = ['--leader', from.name, '--candidate', to.name];
      await to.run('postgres', [
        'patronictl',
        '-c',
        PATRONI_CONFIG,
        'switchover',
        'badge',
        ...names,
        '--force',
      ]);
    },
    signalPatroni: (machine, signal) => void patronis.get(machine)?.kill(signal),
    async killPostmaster(machine) {
      const file = await readFile(machine.pathOf('/var/lib/postgresql/15/main/postmaster.pid'), 'utf8');
      process.kill(Number.parseInt(file, 10), 'SIGKILL');
    },
    startPatroni,
    async stop() {
      haproxy?.kill('SIGKILL');
      pgbouncer.kill('SIGKILL');
      for (const machine of machines) {
        patronis.get(machine)?.kill('SIGKILL');
        etcds.get(machine)?.kill('SIGKILL');
        await machine.remove();
      }
    },
  };
}

async function startPgbouncer(directory: string): Promise<ChildProcess> {
  for (const path of [PGBOUNCER_CONFIG, PGBOUNCER_USERS]) await writeFile(path, readGuideBlock(path));
  // Readable for PgBouncer's user, whatever the umask is.
  await chmod(PGBOUNCER_USERS, 0o644);
  const log = openSync(join(directory, 'pgbouncer.log'), 'a');
  // PgBouncer does not run as root.
  const command = ['--reuid=postgres', '--regid=postgres', '--init-groups', 'pgbouncer', PGBOUNCER_CONFIG];
  const pgbouncer = spawn('setpriv', command, { stdio: ['ignore', log, log] });
  closeSync(log);
  return pgbouncer;
}

/** The members of the cluster as one server knows them; none if it does not respond. */
async function listMembers({ address }: Machine): Promise<Member[]> {
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetch(`http://${address}:8008/cluster`, { signal });
    return ((await response.json()) as { members: Member[] }).members;
  } catch {
    return [];
  }
}

function describeMembers(members: Member[]): string {
  return members.map(({ name, role, state, timeline }) => `${name} ${role} ${state} ${timeline}`).join(', ');
}

/** The guide's configuration of db1, changed for another machine. */
function adaptToMachine(text: string, { name, address }: Machine): string {
  return text
    .replaceAll(GUIDE_ADDRESS, address)
    .replaceAll(/^(name: |ETCD_NAME=)db1$/gm, (_, key) => `${key}${name}`);
}

function replaceOnce(text: string, old: string, replacement: string): string {
  if (text.split(old).length !== 2) throw new Error(`the guide's configuration must contain "${old}" once`);
  return text.replace(old, replacement);
}

async function installCertificates(directory: string, machines: Machine[]): Promise<void> {
  const certificates = join(directory, 'certificates');
  await mkdir(certificates);
  await run('sh', ['-ec', readGuideBlock('Certificates')], { cwd: certificates });
  const read = (name: string) => readFile(join(certificates, name), 'utf8');
  for (const machine of machines) {
    const options = { owner: 'postgres', mode: 0o600 };
    await machine.write('/etc/patroni/server.crt', await read(`${machine.name}.crt`), options);
    await machine.write('/etc/patroni/server.key', await read(`${machine.name}.key`), options);
  }
  await mkdir('/etc/badge', { recursive: true });
  await writeFile('/etc/badge/ca.crt', await read('ca.crt'));
  await chmod('/etc/badge/ca.crt', 0o644);
}
