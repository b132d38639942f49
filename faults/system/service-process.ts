import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../packages/service/src/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESTART_PAUSE_MS = 100;
const LOG_TAIL_CHARACTERS = 4_000;

type End = number | NodeJS.Signals;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** One `badge serve` that is started again, on a free port, whenever it ends. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Undefined while it does not serve. */
  readonly url: string | undefined;
  /** Whether it has started, and does what it should. */
  readonly isReady: boolean;
  /** Whether the running process has printed this text to its log. */
  hasLogged(text: string): boolean;
  /** How it has ended without being killed by `kill`, with the end of its log. */
  readonly ownEnds: readonly string[];
  /** Ends it with SIGKILL; false if there is nothing to kill. */
  kill(): boolean;
  /** Ends it with SIGTERM and answers how it ended; undefined if there is nothing to end. */
  terminate(): Promise<End> | undefined;
  /** Sends another signal, such as SIGSTOP; false if nobody gets it. */
  signal(signal: NodeJS.Signals): boolean;
  /** Stops it for good with SIGTERM. */
  stop(): Promise<void>;
}

/** Starts a service process; `imports` are modules that it loads first. */
export function startServiceProcess(
  name: string,
  { env, imports }: { env: Record<string, string>; imports: string[] },
): ServiceProcess {
  const ownEnds: string[] = [];
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let log = '';
  let isReady = false;
  let isStopping = false;
  let isKilled = false;
  let termination: PromiseWithResolvers<End> | undefined;

  async function runOnce(): Promise<void> {
    const started = spawn(
      process.execPath,
      [...imports.flatMap((path) => ['--import', path]), MAIN, 'serve'],
      {
        cwd: ROOT,
        env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child = started;
    children.add(started);
    isKilled = false;
    log = '';
    let banner = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-LOG_TAIL_CHARACTERS);
      isReady ||= text.includes('"msg":"ready"');
    });
    started.stdout.setEncoding('utf8').on('data', (text: string) => {
      banner += text;
      const [, port] = /is at http:\/\/localhost:(\d+)\s/.exec(banner) ?? [];
      if (port === undefined) return;
      url ??= `http://127.0.0.1:${port}`;
      isReady = true;
    });
    const [code, signal] = await once(started, 'exit');
    const wasServing = isReady;
    isReady = false;
    url = undefined;
    child = undefined;
    children.delete(started);
    const end: End = signal ?? code;
    if (termination !== undefined) {
      termination.resolve(end);
      termination = undefined;
      if (!isKilled && end !== 0)
        ownEnds.push(`${name} was stopped and ended with ${end} while it served: ${log}`);
      return;
    }
    if (isKilled || isStopping) return;
    ownEnds.push(
      `${name} ended by itself (${end}) ${wasServing ? 'while it served' : 'at its start'}: ${log}`,
    );
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      await runOnce();
      if (!isStopping && !isKilled) await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
    }
  }

  const running = run();
  return {
    name,
    ownEnds,
    get pid() {
      return child?.pid;
    },
    get url() {
      return url;
    },
    get isReady() {
      return isReady;
    },
    hasLogged: (text) => log.includes(text),
    kill() {
      if (child === undefined || isKilled) return false;
      isKilled = true;
      isReady = false;
      url = undefined;
      return child.kill('SIGKILL');
    },
    terminate() {
      if (child === undefined || !isReady || isKilled || termination !== undefined) return undefined;
      termination = Promise.withResolvers();
      child.kill('SIGTERM');
      return termination.promise;
    },
    signal: (signal) => child?.kill(signal) ?? false,
    async stop() {
      isStopping = true;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      await running;
    },
  };
}
