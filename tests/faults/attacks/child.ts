import { fork } from 'node:child_process';
import { once } from 'node:events';

const STOP_TIMEOUT_MS = 60_000;

/** A process that runs a module of this folder until it gets the message to stop. */
export interface Child<Message> {
  /** Resolves when the process has sent its first message, or has exited. */
  started: Promise<unknown>;
  /**
   * Sends the message to stop, and waits for the exit. Kills the process after 60 s. Returns what it has
   * sent.
   */
  stop(): Promise<Message[]>;
}

const running = new Set<() => void>();
process.on('exit', () => {
  for (const kill of running) kill();
});

/** Starts a module of this folder as a process, with `order` in JSON as its argument. */
export function startChild<Message>(module: string, order: object): Child<Message> {
  const child = fork(new URL(module, import.meta.url), [JSON.stringify(order)], { execArgv: [] });
  const messages: Message[] = [];
  child.on('message', (message) => messages.push(message as Message));
  // `closed` reports the first error. Without this listener, a second one would end the calling process.
  child.on('error', () => undefined);
  const kill = () => void child.kill('SIGKILL');
  running.add(kill);
  const closed = once(child, 'close').finally(() => running.delete(kill));
  return {
    started: Promise.race([once(child, 'message'), closed]),
    async stop() {
      const timeout = setTimeout(kill, STOP_TIMEOUT_MS);
      if (child.connected) child.send('stop');
      await closed;
      clearTimeout(timeout);
      return messages;
    },
  };
}
