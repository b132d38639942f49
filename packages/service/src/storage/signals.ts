import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { DedicatedSession } from './dedicated-session.ts';

const SIGNALS = [
  'badge_operations_accepted',
  'badge_operations_settled',
  'badge_events_placed',
  'badge_deliveries_queued',
] as const;
/** Signals between the processes of one database, named as their PostgreSQL channels. */
export type Signal = (typeof SIGNALS)[number];

// Signals within this time share a notification, because each notification costs a query in every process.
const NOTIFY_INTERVAL_MS = 5;
// PostgreSQL has one lock for the notifications of all its databases. If another program holds it for longer,
// the notification is tried again later, because other statements of the session wait behind it.
const LOCK_TIMEOUT_MS = 50;
const RETRY_MS = 500;
const CLOSE_TIMEOUT_MS = 1_000;

export interface Signals {
  /**
   * Calls `listener` at every signal of any process, and after each connect, because signals may have been
   * missed.
   */
  on(signal: Signal, listener: () => void): void;
  /**
   * Calls the listeners of this process immediately, and notifies the other processes soon. Call it after the
   * commit of what the listeners will read.
   */
  send(signal: Signal): void;
  /** Sends the signals that are not sent yet, if the session is connected. Takes at most a second. */
  close(): Promise<void>;
}

/** Sends and receives signals. Create it in the same tick as the session. */
export function createSignals(session: DedicatedSession): Signals {
  // The payload of this process's notifications. PostgreSQL also sends them back to this process, which
  // ignores them.
  const ownPayload = randomUUID();
  const listeners = new Map<string, (() => void)[]>(SIGNALS.map((signal) => [signal, []]));
  const unsent = new Set<Signal>();
  let isConnected = false;
  let isClosing = false;
  let isNotifying = false;
  let notifying = Promise.resolve();

  function callListeners(channel: string): void {
    for (const listener of listeners.get(channel) ?? []) listener();
  }

  function send(signal: Signal): void {
    callListeners(signal);
    unsent.add(signal);
    if (!isNotifying) notifying = notifyOthers();
  }

  // Sends one notification at a time. Signals that arrive meanwhile share the next one.
  async function notifyOthers(): Promise<void> {
    isNotifying = true;
    // Signals of the same tick share a notification too.
    await Promise.resolve();
    while (isConnected && unsent.size > 0) {
      const isSent = await notify([...unsent]);
      if (!isSent && isClosing) break;
      await wait(isSent ? NOTIFY_INTERVAL_MS : RETRY_MS);
    }
    isNotifying = false;
  }

  // Returns false if the signals are still unsent.
  async function notify(signals: Signal[]): Promise<boolean> {
    unsent.clear();
    try {
      await session.query(signals.map((signal) => `notify ${signal}, '${ownPayload}'`).join('; '));
      return true;
    } catch {
      for (const signal of signals) unsent.add(signal);
      return false;
    }
  }

  session.onNotification((channel, payload) => {
    if (payload !== ownPayload) callListeners(channel);
  });
  session.onLost(() => {
    isConnected = false;
  });
  session.onConnect(async () => {
    // A notification then waits neither for the disk nor for standbys. This risks no data: the session writes
    // none.
    await session.query(`set synchronous_commit = off; set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const signal of SIGNALS) await session.query(`listen ${signal}`);
    isConnected = true;
    // The last connection may have lost notifications in both directions.
    for (const signal of SIGNALS) send(signal);
  });
  return {
    on: (signal, listener) => {
      listeners.get(signal)?.push(listener);
    },
    send,
    close: async () => {
      isClosing = true;
      await Promise.race([notifying, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
