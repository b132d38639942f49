import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { podman, waitUntil } from './podman.ts';

// Runs compose.yaml with podman. It knows the parts of the format that the file uses, and throws at any
// other.

const ROOT = join(import.meta.dirname, '../..');
/** The images that this machine cannot download, and the entrypoints that stand in for theirs. */
const STAND_INS: Record<string, { entrypoint: string; command: string[] }> = {
  postgres: { entrypoint: '/opt/postgres.sh', command: [] },
  nginx: { entrypoint: '/opt/nginx.sh', command: ['nginx', '-g', 'daemon off;'] },
  'certbot/certbot': { entrypoint: '/usr/bin/certbot', command: [] },
};
// These have no effect here. Containers are not started again, have no ports of the machine, are logged by
// podman, and have the limits of this process.
const WITHOUT_EFFECT = ['build', 'restart', 'ports', 'logging', 'ulimits', 'mem_limit', 'pids_limit'];

interface NetworkOptions {
  ipv4_address?: string;
  mac_address?: string;
}

interface Service {
  image: string;
  networks?: Record<string, NetworkOptions>;
  network_mode?: string;
  read_only?: boolean;
  init?: boolean;
  user?: string;
  tmpfs?: string[];
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  entrypoint?: string[];
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
}

interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { ipam: { config: { subnet: string }[] } }>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
}

/** Reads compose.yaml with these variables. Throws if a required one is missing. */
export function readComposeFile(variables: Record<string, string>): ComposeFile {
  const file = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true });
  return interpolate(file, variables) as ComposeFile;
}

function interpolate(value: unknown, variables: Record<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w+)(?::([-?+])([^}]*))?\}/g, (_, name, operator, text) => {
      if (operator === '+') return variables[name] ? text : '';
      if (variables[name]) return variables[name];
      if (operator === '?') throw new Error(`required variable ${name} is missing a value: ${text}`);
      return text ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, variables)]));
}

/** The set-up of compose.yaml, in containers that are named like its services. */
export function createCompose(file: ComposeFile, extra: Record<string, string[]> = {}) {
  const started = new Set<string>();

  async function createNetworks(): Promise<void> {
    for (const [name, { ipam }] of Object.entries(file.networks)) {
      await podman('network', 'create', '--subnet', ipam.config[0]?.subnet ?? '', name);
    }
    for (const name of Object.keys(file.volumes)) await podman('volume', 'create', name);
  }

  /** Starts services, after those that they depend on. */
  async function up(...names: string[]): Promise<void> {
    for (const name of names) {
      if (started.has(name)) continue;
      const service = serviceOf(name);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        await up(other);
        if (condition === 'service_healthy') await waitUntilHealthy(other);
      }
      started.add(name);
      // A service that others wait for to end.
      const isOneShot = Object.values(file.services).some(
        ({ depends_on }) => depends_on?.[name]?.condition === 'service_completed_successfully',
      );
      await podman('run', ...(isOneShot ? [] : ['--detach']), ...optionsOf(name, service));
    }
  }

  /** Runs a command in a new container of the service, as `docker compose run --rm` does. */
  async function run(name: string, user: string, entrypoint: string, ...args: string[]): Promise<string> {
    const service = { ...serviceOf(name), user, entrypoint: [entrypoint], command: args };
    return await podman('run', '--rm', ...optionsOf(`${name}-run`, service));
  }

  /** Replaces the container of a service, and waits until it is healthy. */
  async function replace(name: string, image: string): Promise<void> {
    await stop(name);
    serviceOf(name).image = image;
    await up(name);
    await waitUntilHealthy(name);
  }

  async function stop(name: string): Promise<void> {
    const seconds = Number.parseInt(serviceOf(name).stop_grace_period ?? '10', 10);
    await podman('stop', '--time', String(seconds), name);
    await podman('rm', name);
    started.delete(name);
  }

  /** Runs the health check each second, because it starts a process. */
  async function waitUntilHealthy(name: string): Promise<void> {
    await waitUntil(`${name} is healthy`, () => isHealthy(name), 1000);
  }

  async function isHealthy(name: string): Promise<boolean> {
    const [kind, ...command] = serviceOf(name).healthcheck?.test ?? [];
    if (kind !== 'CMD') throw new Error(`${name} has no health check of the kind CMD`);
    await podman('exec', name, ...command);
    return true;
  }

  function serviceOf(name: string): Service {
    const service = file.services[name];
    if (service === undefined) throw new Error(`there is no service ${name}`);
    return service;
  }

  function optionsOf(name: string, service: Service): string[] {
    const { image, healthcheck, depends_on, stop_grace_period, ...rest } = service;
    const [imageName = ''] = image.split(':');
    const standIn = STAND_INS[imageName];
    const entrypoint = service.entrypoint ?? (standIn && [standIn.entrypoint]);
    const command = [
      ...(entrypoint?.slice(1) ?? []),
      ...(service.command ?? (service.entrypoint === undefined ? (standIn?.command ?? []) : [])),
    ];
    return [
      '--name',
      name,
      '--no-healthcheck',
      ...Object.entries(rest).flatMap(([key, value]) => optionsOfKey(key, value)),
      ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint[0] ?? '']),
      ...(standIn === undefined ? [] : ['--volume', '/usr:/usr:ro', '--env', 'LC_ALL=C.UTF-8']),
      ...(extra[name] ?? []),
      standIn === undefined ? image : 'localhost/tools',
      ...command,
    ];
  }

  function optionsOfKey(key: string, value: Service[keyof Service]): string[] {
    const list = value as string[];
    const map = value as Record<string, string>;
    switch (key) {
      case 'entrypoint':
      case 'command':
        return [];
      case 'networks':
        return Object.entries(value as NonNullable<Service['networks']>).flatMap(([network, options]) => [
          '--network',
          [network, ...toNetworkOptions(options)].join(':'),
        ]);
      case 'network_mode':
        return ['--network', String(value)];
      case 'read_only':
        // podman adds writable directories unless told otherwise. Docker does not.
        return ['--read-only', '--read-only-tmpfs=false'];
      case 'init':
        return [];
      case 'user':
        return ['--user', String(value)];
      case 'tmpfs':
        return list.flatMap((path) => ['--tmpfs', path]);
      case 'cap_drop':
      case 'cap_add':
        return list.flatMap((name) => [`--${key.replace('_', '-')}`, name]);
      case 'security_opt':
        return list.flatMap((option) => ['--security-opt', option.replace(/:true$/, '')]);
      case 'environment':
        return Object.entries(map).flatMap(([name, text]) => ['--env', `${name}=${text}`]);
      case 'volumes':
        return list.flatMap((volume) => ['--volume', volume.startsWith('.') ? toHostPath(volume) : volume]);
      case 'secrets':
        return list.flatMap((name) => {
          const { file: path } = file.secrets[name] ?? { file: '' };
          return ['--volume', `${toHostPath(path)}:/run/secrets/${name}:ro`];
        });
      default:
        if (WITHOUT_EFFECT.includes(key)) return [];
        throw new Error(`compose.yaml: the test does not know ${key}`);
    }
  }

  return { createNetworks, up, run, replace, stop, waitUntilHealthy };
}

function toHostPath(volume: string): string {
  const [path = '', ...rest] = volume.split(':');
  return [resolve(ROOT, path), ...rest].join(':');
}

function toNetworkOptions({ ipv4_address, mac_address }: NetworkOptions): string[] {
  const ip = ipv4_address === undefined ? [] : [`ip=${ipv4_address}`];
  const mac = mac_address === undefined ? [] : [`mac=${mac_address}`];
  return ip.length + mac.length === 0 ? [] : [[...ip, ...mac].join(',')];
}
