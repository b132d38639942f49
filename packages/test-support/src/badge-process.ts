import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The file that Node runs as the service. */
export const MAIN = fileURLToPath(new URL('../../service/src/main.ts', import.meta.url));
/** The file that `npm start` runs: it sets variables for memory, then runs `MAIN`. */
export const ENTRY_POINT = fileURLToPath(new URL('../../service/badge.js', import.meta.url));
// Node compiles the service only once for all processes of the tests, which saves a third of the time of each
// start.
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/node/', import.meta.url));
const START_LIMIT_MS = 120_000;
/** The service exits within 40 seconds of SIGTERM. */
const STOP_LIMIT_MS = 45_000;
/**
 * How much of the end of a long output is kept. The output is cut to this length only when it is twice as
 * long, so that it is rarely copied.
 */
const OUTPUT_LIMIT_CHARACTERS = 32 * 1024 * 1024;

/** An exit code, or the signal that ended the process. */
export type ProcessEnd = number | NodeJS.Signals;

export interface BadgeOptions {
  /** The command of `badge`; `serve` by default. */
  command?: string;
  /** What follows the command. */
  args?: string[];
  /** The file that Node runs: `MAIN` by default, or `ENTRY_POINT`. */
  file?: string;
  /** A program and its arguments to run instead of `node FILE COMMAND ARGS`, such as `npm start`. */
  program?: string[];
  /** Modules to load before the service. */
  imports?: string[];
  /**
   * File descriptors to use as stdout and stderr. Without them, both are pipes, and `output` contains their
   * text.
   */
  stdout?: number;
  stderr?: number;
  /** Copies the log to this process's stderr. */
  isLogShown?: boolean;
  /** Gives the process its own process group, for `endGroup`. */
  detached?: boolean;
  uid?: number;
  gid?: number;
}

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
  pid: number;
}

/** A running `badge` process, or another program that runs it. */
export interface BadgeProcess {
  pid: number;
  /** The output so far. */
  output: { stdout: string; stderr: string };
  /** Resolves when the process has exited. */
  exited: Promise<ProcessEnd>;
  /**
   * Resolves when the process has exited and its output is complete. Its child processes can keep the output
   * open longer.
   */
  closed: Promise<ProcessEnd>;
  /** Waits for a log line with this message. Rejects if the process ends first. */
  waitForLog(message: string): Promise<LogLine>;
  /** Waits until the service is ready. Rejects if the process ends first. */
  ready(): Promise<BadgeService>;
  /** Sends a signal and waits for `closed`. */
  end(signal: NodeJS.Signals): Promise<ProcessEnd>;
  /** Signals the whole process group, as a terminal does, and waits for `closed`. Needs `detached`. */
  endGroup(signal: NodeJS.Signals): Promise<ProcessEnd>;
  /** Sends a signal, such as SIGSTOP, and does not wait. Returns false if the process has exited. */
  signal(signal: NodeJS.Signals): boolean;
  /**
   * Stops the process with SIGTERM. Throws if the exit code is not 0, or if the stop takes longer than 45
   * seconds.
   */
  stop(): Promise<void>;
}

export interface BadgeService extends BadgeProcess {
  /** The address on the loopback interface; empty if the service does not listen. */
  url: string;
  /** The public URL from the banner; empty for a worker, or if `stdout` is set. */
  publicUrl: string;
  /** The demo key from the banner; empty if the banner has none. */
  apiKey: string;
}

const running = new Set<() => void>();
process.on('exit', () => {
  for (const kill of running) kill();
});

/**
 * Starts `badge serve`, or another command. The process gets the variables in `env`, PATH, TMPDIR, and the
 * cache of compiled code. It is killed when this process exits.
 */
export function spawnBadge(env: NodeJS.ProcessEnv, options: BadgeOptions = {}): BadgeProcess {
  const {
    command = 'serve',
    args = [],
    imports = [],
    file = MAIN,
    program,
    isLogShown = false,
    stdout,
    stderr,
    ...spawnOptions
  } = options;
  const loaders = imports.flatMap((module) => ['--import', module]);
  const [executable = '', ...argv] = program ?? [process.execPath, ...loaders, file, command, ...args];
  const { PATH = '', TMPDIR = tmpdir() } = process.env;
  const child = spawn(executable, argv, {
    cwd: ROOT,
    env: { PATH, TMPDIR, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    ...spawnOptions,
    stdio: ['ignore', stdout ?? 'pipe', stderr ?? 'pipe'],
  });
  const { pid = 0 } = child;
  const changes = new EventEmitter().setMaxListeners(0);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (output[name].length > 2 * OUTPUT_LIMIT_CHARACTERS)
        output[name] = output[name].slice(-OUTPUT_LIMIT_CHARACTERS);
      if (isLogShown && name === 'stderr') process.stderr.write(text);
      changes.emit('change');
    });
  }

  let hasExited = false;
  let hasClosed = false;
  const sendSignal = (signal: NodeJS.Signals, target = pid) => {
    try {
      // A negative target is the process group, whose other processes can outlive the first one.
      const hasEnded = target < 0 ? hasClosed : hasExited;
      return !hasEnded && process.kill(target, signal);
    } catch {
      return false;
    }
  };
  const killAtExit = () => void sendSignal('SIGKILL', options.detached ? -pid : pid);
  running.add(killAtExit);
  const exited = once(child, 'exit').then(([code, signal]): ProcessEnd => {
    hasExited = true;
    return code ?? signal;
  });
  const closed = once(child, 'close').then(([code, signal]): ProcessEnd => {
    hasClosed = true;
    running.delete(killAtExit);
    changes.emit('change');
    return code ?? signal;
  });

  async function waitUntil<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (hasClosed) throw new Error(`the process ended too early (${await closed}):\n${output.stderr}`);
      await once(changes, 'change');
    }
  }
  const findLine = (message: string) => readLog(output.stderr).find(({ msg }) => msg === message);

  // A process is ready when it has logged "ready" and printed its banner. If it does not log at info, or its
  // log is not in `output`, the banner is enough. A worker prints no banner, so it must log at info.
  const isReadyLogged = stderr === undefined && (env.BADGE_ROLE === 'worker' || isInfoLogged(env.LOG_LEVEL));
  async function ready(): Promise<BadgeService> {
    const line = isReadyLogged ? await waitUntil(() => findLine('ready')) : undefined;
    const hasBanner = env.BADGE_ROLE !== 'worker' && stdout === undefined;
    const banner = hasBanner ? await waitUntil(() => findBanner(output.stdout)) : '';
    const [, publicUrl = ''] = / is at (\S+)/.exec(banner) ?? [];
    const port = line === undefined ? new URL(publicUrl).port : (line.port ?? '');
    const [apiKey = ''] = /badge_sandbox_\w+/.exec(banner) ?? [];
    return { ...badge, url: port === '' ? '' : `http://127.0.0.1:${port}`, publicUrl, apiKey };
  }

  const badge: BadgeProcess = {
    pid,
    output,
    exited,
    closed,
    ready,
    waitForLog: (message) => waitUntil(() => findLine(message)),
    signal: sendSignal,
    end(signal) {
      sendSignal(signal);
      return closed;
    },
    endGroup(signal) {
      sendSignal(signal, -pid);
      return closed;
    },
    async stop() {
      const killTimer = setTimeout(() => sendSignal('SIGKILL'), STOP_LIMIT_MS);
      sendSignal('SIGTERM');
      const end = await closed;
      clearTimeout(killTimer);
      if (end !== 0) throw new Error(`the service stopped with ${end}:\n${output.stderr.slice(-4_000)}`);
    },
  };
  return badge;
}

/** Starts `badge serve`, on a free port unless `PORT` is set, and waits until it is ready. */
export async function startBadge(env: NodeJS.ProcessEnv, options: BadgeOptions = {}): Promise<BadgeService> {
  const badge = spawnBadge({ PORT: '0', ...env }, options);
  const killTimer = setTimeout(() => badge.signal('SIGKILL'), START_LIMIT_MS);
  try {
    return await badge.ready();
  } catch (error) {
    await badge.end('SIGKILL');
    throw error;
  } finally {
    clearTimeout(killTimer);
  }
}

/** Parses the complete lines of the JSON log. Skips other lines, which npm or a failed start prints. */
export function readLog(stderr: string): LogLine[] {
  return stderr
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

// The banner ends with an empty line.
function findBanner(stdout: string): string | undefined {
  return stdout.includes(' is at ') && stdout.endsWith('\n\n') ? stdout : undefined;
}

function isInfoLogged(level = 'info'): boolean {
  return ['info', 'debug', 'trace'].includes(level);
}
