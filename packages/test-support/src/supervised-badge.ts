import { setTimeout as wait } from 'node:timers/promises';
import { type BadgeOptions, type BadgeProcess, type ProcessEnd, spawnBadge } from './badge-process.ts';

const RESTART_PAUSE_MS = 100;
const LOG_TAIL_CHARACTERS = 4_000;

/** A `badge serve` process that is restarted, on a free port, whenever it ends. */
export interface SupervisedBadge {
  readonly name: string;
  readonly pid: number | undefined;
  /** Undefined while no process is ready, and always for a worker without a port. */
  readonly url: string | undefined;
  readonly isReady: boolean;
  /** Whether the current process has printed this text to its log. */
  hasLogged(text: string): boolean;
  /**
   * One text per process that ended by itself while it was ready, or did not exit with 0 after `terminate`.
   */
  readonly unexpectedEnds: readonly string[];
  /** One text per process that ended by itself before it was ready. */
  readonly failedStarts: readonly string[];
  /** Sends SIGKILL. Returns false if no process runs. */
  kill(): boolean;
  /**
   * Sends SIGTERM to a ready process. Resolves to its exit code or signal. Returns undefined if no process is
   * ready, or if an earlier call still waits for its end.
   */
  terminate(): Promise<ProcessEnd> | undefined;
  /** Sends another signal, such as SIGSTOP. Returns false if no process runs. */
  signal(signal: NodeJS.Signals): boolean;
  /** Stops it with SIGTERM, and does not restart it. */
  stop(): Promise<void>;
}

/** Starts a supervised service. `env` and `options` are those of `spawnBadge`. */
export function superviseBadge(
  name: string,
  env: NodeJS.ProcessEnv,
  options: BadgeOptions = {},
): SupervisedBadge {
  const unexpectedEnds: string[] = [];
  const failedStarts: string[] = [];
  let badge: BadgeProcess | undefined;
  let url: string | undefined;
  let isReady = false;
  let isStopping = false;
  let isKilled = false;
  let termination: PromiseWithResolvers<ProcessEnd> | undefined;

  async function runOnce(): Promise<void> {
    const started = spawnBadge({ PORT: '0', ...env }, options);
    badge = started;
    isKilled = false;
    started.ready().then(
      (service) => {
        if (badge !== started || isKilled) return;
        isReady = true;
        url = service.url === '' ? undefined : service.url;
      },
      // The process has ended before it was ready. The code below records this.
      () => undefined,
    );
    const end = await started.exited;
    const wasReady = isReady;
    isReady = false;
    url = undefined;
    badge = undefined;
    const log = started.output.stderr.slice(-LOG_TAIL_CHARACTERS);
    if (termination !== undefined) {
      termination.resolve(end);
      termination = undefined;
      if (!isKilled && end !== 0) unexpectedEnds.push(`${name} exited with ${end} after SIGTERM: ${log}`);
    } else if (!isKilled && !isStopping) {
      if (wasReady) unexpectedEnds.push(`${name} ended (${end}) while it was ready: ${log}`);
      else failedStarts.push(`${name} ended (${end}) before it was ready: ${log}`);
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      await runOnce();
      // A service that cannot start is not restarted in a tight loop.
      if (!isStopping && !isKilled) await wait(RESTART_PAUSE_MS);
    }
  }

  const running = run();
  return {
    name,
    unexpectedEnds,
    failedStarts,
    get pid() {
      return badge?.pid;
    },
    get url() {
      return url;
    },
    get isReady() {
      return isReady;
    },
    hasLogged: (text) => badge?.output.stderr.includes(text) ?? false,
    kill() {
      if (badge === undefined || isKilled) return false;
      isKilled = true;
      isReady = false;
      url = undefined;
      return badge.signal('SIGKILL');
    },
    terminate() {
      if (badge === undefined || !isReady || isKilled || termination !== undefined) return undefined;
      termination = Promise.withResolvers();
      badge.signal('SIGTERM');
      return termination.promise;
    },
    signal: (signal) => badge?.signal(signal) ?? false,
    async stop() {
      isStopping = true;
      // A process that SIGSTOP has stopped does not handle SIGTERM.
      badge?.signal('SIGCONT');
      badge?.signal('SIGTERM');
      await running;
    },
  };
}
