import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { clientConfig, DatabaseClient, type DatabaseConnection } from './database.ts';
import { createRenewal } from './renewal.ts';

/** Signals between the processes of one database, named as their PostgreSQL channels. */
export type Signal = 'badge_operations_accepted' | 'badge_operations_settled';
const SIGNALS: Signal[] = ['badge_operations_accepted', 'badge_operations_settled'];

// Signals within this time share a notification, because each notification costs a query in every process.
const NOTIFY_INTERVAL_MS = 5;
// A query at this interval detects a half-open connection.
const KEEP_ALIVE_MS = 10_000;
const RECONNECT_MS = 200;
const CLOSE_TIMEOUT_MS = 1_000;

export interface Signals {
  /** Calls `listener` at every signal of any process, and after each connect, because signals may have been missed. */
  on(signal: Signal, listener: () => void): void;
  /**
   * Calls the listeners of this process immediately, and notifies the other processes soon. Call it after the commit of
   * what the listeners will read.
   */
  send(signal: Signal): void;
  /** Sends the signals that are not sent yet, and closes the connection. Takes at most a second. */
  close(): Promise<void>;
}

/** Sends and receives signals on a dedicated connection. Reconnects when it is lost or connections are renewed. */
export function connectSignals(
  connection: DatabaseConnection,
  onError: (error: Error) => void,
  renewal = createRenewal(),
): Signals {
  // The payload of this process's notifications. PostgreSQL also sends them back to this process, which ignores them.
  const ownPayload = randomUUID();
  const listeners = new Map<Signal, (() => void)[]>(SIGNALS.map((signal) => [signal, []]));
  const unsent = new Set<Signal>();
  let client: DatabaseClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let session = Promise.resolve();
  let isClosed = false;
  let endPause: () => void = () => undefined;

  function callListeners(signal: Signal): void {
    for (const listener of listeners.get(signal) ?? []) listener();
  }

  function send(signal: Signal): void {
    callListeners(signal);
    unsent.add(signal);
    endPause();
  }

  function reconnectSoon(): void {
    client = undefined;
    if (!isClosed && retry === undefined) retry = setTimeout(connect, RECONNECT_MS);
  }

  function connect(): void {
    retry = undefined;
    const fresh = new DatabaseClient(clientConfig(connection, renewal));
    client = fresh;
    session = runSession(fresh);
  }

  async function runSession(fresh: DatabaseClient): Promise<void> {
    fresh.on('error', (error) => {
      if (!isClosed) onError(error);
    });
    fresh.on('end', () => {
      if (client === fresh) reconnectSoon();
    });
    fresh.on('notification', ({ channel, payload }) => {
      if (payload !== ownPayload) callListeners(channel as Signal);
    });
    try {
      await fresh.connect();
      fresh.checkWritable();
      // A notification then waits neither for the disk nor for standbys. This risks no data: the connection writes none.
      await fresh.query('set synchronous_commit = off');
      for (const signal of SIGNALS) await fresh.query(`listen ${signal}`);
      // The last connection may have lost notifications in both directions.
      for (const signal of SIGNALS) send(signal);
      await notifyUntilClosed(fresh);
    } catch (error) {
      if (!isClosed) onError(error as Error);
    }
    await fresh.end().catch(() => undefined);
    if (client === fresh) reconnectSoon();
  }

  // Sends one query at a time. Signals that arrive during a query share the next query.
  async function notifyUntilClosed(fresh: DatabaseClient): Promise<void> {
    for (;;) {
      if (unsent.size === 0 && !isClosed) await pause(KEEP_ALIVE_MS);
      if (client !== fresh || (unsent.size === 0 && isClosed)) return;
      const notifications = [...unsent].map((signal) => `notify ${signal}, '${ownPayload}'`);
      unsent.clear();
      // Without a signal, an empty statement detects whether the connection is still open.
      await fresh.query(notifications.join('; ') || 'select');
      await wait(NOTIFY_INTERVAL_MS);
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  renewal.onRenew(() => {
    if (client === undefined) return;
    const outdated = client;
    reconnectSoon();
    outdated.end().catch(() => undefined);
  });
  connect();
  return {
    on: (signal, listener) => {
      listeners.get(signal)?.push(listener);
    },
    send,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      endPause();
      await Promise.race([session, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      client?.end().catch(() => undefined);
      client = undefined;
    },
  };
}
