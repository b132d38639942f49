import { setTimeout as wait } from 'node:timers/promises';
import { clientConfig, DatabaseClient, type DatabaseConnection } from './database.ts';
import { createRenewal } from './renewal.ts';

/** Notifications between the processes of one database, named as their PostgreSQL channels. */
export type Signal = 'badge_operations_accepted' | 'badge_operations_settled';
const SIGNALS: Signal[] = ['badge_operations_accepted', 'badge_operations_settled'];

// A query at this interval detects a half-open connection.
const KEEP_ALIVE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;

export interface Signals {
  /** Calls back at every signal, and after a reconnect, because signals may have been missed. */
  on(signal: Signal, listener: () => void): void;
  close(): Promise<void>;
}

/** Listens on a dedicated connection, and reconnects whenever it is lost or connections are renewed. */
export function listen(
  connection: DatabaseConnection,
  onError: (error: Error) => void,
  renewal = createRenewal(),
): Signals {
  const listeners = new Map<Signal, (() => void)[]>(SIGNALS.map((signal) => [signal, []]));
  let client: DatabaseClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  function call(signal: Signal): void {
    for (const listener of listeners.get(signal) ?? []) listener();
  }

  function reconnectSoon(): void {
    client = undefined;
    if (!isClosed && retry === undefined) retry = setTimeout(() => void connect(), 200);
  }

  async function connect(): Promise<void> {
    retry = undefined;
    const fresh = new DatabaseClient(clientConfig(connection, renewal));
    client = fresh;
    fresh.on('error', (error) => {
      if (!isClosed) onError(error);
    });
    fresh.on('end', () => {
      if (client === fresh) reconnectSoon();
    });
    fresh.on('notification', ({ channel }) => call(channel as Signal));
    try {
      await fresh.connect();
      fresh.checkWritable();
      for (const signal of SIGNALS) await fresh.query(`listen ${signal}`);
      for (const signal of SIGNALS) call(signal);
      for (;;) {
        await wait(KEEP_ALIVE_MS, undefined, { ref: false });
        if (client !== fresh) break;
        await fresh.query('select');
      }
    } catch (error) {
      if (!isClosed) onError(error as Error);
      await fresh.end().catch(() => undefined);
      if (client === fresh) reconnectSoon();
    }
  }

  renewal.onRenew(() => {
    if (client === undefined) return;
    const outdated = client;
    reconnectSoon();
    outdated.end().catch(() => undefined);
  });
  void connect();
  return {
    on: (signal, listener) => {
      listeners.get(signal)?.push(listener);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      const ended = client?.end().catch(() => undefined);
      client = undefined;
      await Promise.race([ended, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
