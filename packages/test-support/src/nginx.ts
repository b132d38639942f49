import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const PROGRAM = '/usr/sbin/nginx';
const CONFIGURATION = new URL('../../../deploy/nginx/badge.conf', import.meta.url);
const HOST = 'badge.example';
const START_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** An nginx of Debian's package, with the configuration of `deploy/nginx/badge.conf`. */
export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

export interface NginxOptions {
  /** The URLs of the service's processes. */
  upstreams: string[];
  /** The certificate and its key, in PEM files. Without them, nginx serves plain HTTP. */
  tls?: { certificate: string; key: string } | undefined;
  /** Texts of the configuration that are replaced, for tests of its limits. */
  changes?: [string, string][];
}

/** Whether nginx is installed. */
export function hasNginx(): boolean {
  return existsSync(PROGRAM);
}

/** Starts nginx in front of processes of the service, on a free port of 127.0.0.1. */
export async function startNginx({ upstreams, tls, changes = [] }: NginxOptions): Promise<Nginx> {
  if (!hasNginx()) throw new Error(`${PROGRAM} is missing: apt-get install nginx-light`);
  const directory = mkdtempSync(join(tmpdir(), 'badge-nginx-'));
  const port = await findFreePort();
  const httpPort = await findFreePort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, adapt({ directory, port, httpPort, upstreams, tls, changes }));

  const child = spawn(PROGRAM, ['-p', directory, '-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (bytes) => {
    output += bytes;
  });
  const exited = once(child, 'exit');
  const killAtExit = () => child.kill('SIGTERM');
  process.on('exit', killAtExit);
  const stop = async () => {
    process.off('exit', killAtExit);
    child.kill('SIGTERM');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!(await acceptsConnections(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await stop();
      throw new Error(`nginx did not start: ${output}`);
    }
    await wait(POLL_MS);
  }
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, stop };
}

interface Adaptation extends NginxOptions {
  directory: string;
  port: number;
  httpPort: number;
  changes: [string, string][];
}

/** Returns the configuration with the paths, ports and processes of a test. */
function adapt({ directory, port, httpPort, upstreams, tls, changes }: Adaptation): string {
  const log = join(directory, 'error.log');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `    ${name}_temp_path ${join(directory, name)};\n`,
  );
  const ssl = tls === undefined ? '' : ' ssl';
  const allChanges: [string, string][] = [
    ['user www-data;\n', process.getuid?.() === 0 ? 'user root;\n' : ''],
    ['pid /run/nginx.pid;', `pid ${join(directory, 'nginx.pid')};`],
    ['error_log /var/log/nginx/error.log warn;', `error_log ${log} warn;`],
    ['http {\n', `http {\n${temporary.join('')}`],
    [
      '        server $BADGE_API_1 max_fails=0;\n        server $BADGE_API_2 max_fails=0;\n',
      upstreams.map((url) => `        server ${new URL(url).host} max_fails=0;\n`).join(''),
    ],
    ['        listen 80;\n        listen [::]:80;\n', `        listen 127.0.0.1:${httpPort};\n`],
    ['listen 443 ssl backlog', `listen 127.0.0.1:${port}${ssl} backlog`],
    ['        listen [::]:443 ssl backlog=4096 rcvbuf=128k sndbuf=256k ipv6only=on;\n', ''],
    ['$BADGE_CERTIFICATES/fullchain.pem', tls?.certificate ?? ''],
    ['$BADGE_CERTIFICATES/privkey.pem', tls?.key ?? ''],
    ...changes,
  ];
  let text = readFileSync(CONFIGURATION, 'utf8');
  for (const [before, after] of allChanges) {
    if (!text.includes(before)) throw new Error(`deploy/nginx/badge.conf does not contain: ${before}`);
    text = text.replace(before, after);
  }
  text = text.replaceAll('$BADGE_HOST', HOST);
  // Without TLS there is no certificate.
  return tls === undefined ? text.replaceAll(/^ *ssl_certificate(_key)? .*\n/gm, '') : text;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isAccepted = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isAccepted;
}
