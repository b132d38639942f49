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
const HAPROXY_CONFIG = '/etc/haproxy/haproxy.cfg';
const SHUTDOWN_SESSIONS = 'on-marked-down shutdown-sessions';

export type ReplicationMode = 'sync' | 'async';

/** Three machines with etcd, Patroni and PostgreSQL, and the HAProxy that leads to the primary, as in the guide. */
export interface Cluster {
  machines: Machine[];
  /** The service's environment, from the guide. */
  serviceEnv: Record<string, string>;
  /** The URL of the service's database through HAProxy. */
  addressUrl: string;
  /** The URL of the database on one machine. */
  urlOf(machine: Machine): string;
  /** Whether HAProxy ends the sessions to a server that is no longer the primary (`shutdown-sessions`). */
  setCutsSessions(cutsSessions: boolean): Promise<void>;
  /** Waits until one machine is the primary and the others replicate from it, one of them synchronously. */
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
  let areSessionsCut: boolean | undefined;

  for (const machine of machines) {
    await machine.append('/etc/hosts', hosts);
    const etcdEnv = parseEnvironmentFile(forMachine(readGuideBlock('/etc/default/etcd'), machine));
    etcds.set(machine, machine.start('etcd', 'etcd', ['etcd'], etcdEnv));
    const config = forMachine(readGuideBlock(PATRONI_CONFIG), machine);
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

  async function listMembers(): Promise<Member[]> {
    for (const { address } of machines) {
      try {
        const response = await fetch(`http://${address}:8008/cluster`, {
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // This machine is down. The next one knows the same.
      }
    }
    return [];
  }

  async function waitUntilHealthy() {
    const deadlineMs = performance.now() + HEALTHY_TIMEOUT_MS;
    for (;;) {
      const members = await listMembers();
      const primary = members.find(({ role }) => role === 'leader');
      const standbys = members.filter(({ role }) => role !== 'leader');
      const candidate = standbys.find(({ role }) => mode === 'async' || role === 'sync_standby');
      const isHealthy =
        members.length === machines.length &&
        members.every(({ state, timeline }) => state === 'running' && timeline === primary?.timeline);
      if (isHealthy && primary !== undefined && candidate !== undefined) {
        const machineOf = ({ name }: Member) => machines.find((machine) => machine.name === name);
        const found = { primary: machineOf(primary), candidate: machineOf(candidate) };
        if (found.primary !== undefined && found.candidate !== undefined)
          return { primary: found.primary, candidate: found.candidate };
      }
      if (performance.now() > deadlineMs)
        throw new Error(`the cluster is not healthy: ${JSON.stringify(members)}`);
      await wait(POLL_MS);
    }
  }

  async function setCutsSessions(cutsSessions: boolean): Promise<void> {
    if (cutsSessions === areSessionsCut) return;
    areSessionsCut = cutsSessions;
    if (haproxy !== undefined) {
      haproxy.kill('SIGTERM');
      await once(haproxy, 'exit');
    }
    const config = readGuideBlock(HAPROXY_CONFIG);
    await writeFile(HAPROXY_CONFIG, cutsSessions ? config : replaceOnce(config, SHUTDOWN_SESSIONS, ''));
    const log = openSync(join(directory, 'haproxy.log'), 'a');
    haproxy = spawn('haproxy', ['-db', '-f', HAPROXY_CONFIG], { stdio: ['ignore', log, log] });
    closeSync(log);
  }

  const serviceEnv = parseEnvironmentFile(readGuideBlock('/etc/badge/badge.env'));
  const { DATABASE_URL: addressUrl = '' } = serviceEnv;
  const { primary } = await waitUntilHealthy();
  await primary.run('postgres', ['sh', '-ec', readGuideBlock("The service's role and database")]);
  await setCutsSessions(true);

  return {
    machines,
    serviceEnv,
    addressUrl,
    urlOf({ name }) {
      const url = new URL(addressUrl);
      url.hostname = name;
      return url.href;
    },
    setCutsSessions,
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
      for (const machine of machines) {
        patronis.get(machine)?.kill('SIGKILL');
        etcds.get(machine)?.kill('SIGKILL');
        await machine.remove();
      }
    },
  };
}

/** The guide's configuration of db1, changed for another machine. */
function forMachine(text: string, { name, address }: Machine): string {
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
