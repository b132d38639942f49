import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, type DatabaseConnection, watchConnection } from './database.ts';
import { findTimeout } from './database-errors.ts';
import { createReplacement, type Replacement } from './replacement.ts';

const RECONNECT_MS = 200;
const STATEMENT_TIMEOUT_MS = 2_000;
// A statement at this interval detects a half-open connection: a connection without traffic counts as broken
// (storage/database.ts).
const KEEP_ALIVE_MS = 3_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** A connection outside of the pools, for what needs a session: `listen`, and snapshots. */
export interface DedicatedSession {
  /**
   * Adds a function that prepares each new connection for its statements. If it rejects, the connection is
   * replaced. The functions run one after the other.
   */
  onConnect(prepare: () => Promise<void>): void;
  /** Calls `listener` when a connection is lost, replaced or closed, and when an attempt to connect fails. */
  onLost(listener: () => void): void;
  onNotification(listener: (channel: string, payload: string | undefined) => void): void;
  /**
   * Executes a statement after those of earlier calls. Rejects if the connection is lost before the response.
   * An error, except a lock timeout, replaces the connection.
   */
  query<Row extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<Row[]>;
  /** Takes at most a second. */
  close(): Promise<void>;
}

/** Connects, and connects again when the connection is lost or the connections are replaced. */
export function openDedicatedSession(
  connection: DatabaseConnection,
  onError: (error: Error) => void,
  replacement: Replacement = createReplacement(),
): DedicatedSession {
  const preparations: (() => Promise<void>)[] = [];
  const lostListeners: (() => void)[] = [];
  const notificationListeners: ((channel: string, payload: string | undefined) => void)[] = [];
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let lastQuery: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function forgetClient(): void {
    client = undefined;
    for (const listener of lostListeners) listener();
  }

  // A client can report several errors, and then its end. Only the first of these replaces it.
  function replace(lost: pg.Client): void {
    if (client !== lost) return;
    forgetClient();
    lost.end().catch(() => undefined);
    retry = setTimeout(connect, RECONNECT_MS);
  }

  function fail(failed: pg.Client, error: Error): void {
    if (isClosed) return;
    onError(error);
    replace(failed);
  }

  function connect(): void {
    const opened = new pg.Client(clientConfig(connection, replacement, STATEMENT_TIMEOUT_MS));
    const { checkWritable } = watchConnection(opened, replacement);
    client = opened;
    opened.on('error', (error) => fail(opened, error));
    opened.on('end', () => replace(opened));
    opened.on('notification', ({ channel, payload }) => {
      for (const listener of notificationListeners) listener(channel, payload);
    });
    const connected = opened.connect().then(checkWritable);
    lastQuery = connected.catch(() => undefined);
    prepare(connected).catch((error: Error) => fail(opened, error));
  }

  async function prepare(connected: Promise<void>): Promise<void> {
    await connected;
    for (const preparation of preparations) await preparation();
  }

  function query<Row extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<Row[]> {
    // A statement can contain values that are valid only on its connection.
    const usedClient = client;
    const result = lastQuery.then(() => execute<Row>(usedClient, statement));
    lastQuery = result.catch(() => undefined);
    return result;
  }

  async function execute<Row extends pg.QueryResultRow>(
    usedClient: pg.Client | undefined,
    statement: string | pg.QueryConfig,
  ): Promise<Row[]> {
    checkConnected(usedClient);
    const { rows } = await usedClient.query<Row>(statement).catch((error: Error) => {
      if (findTimeout(error) !== 'lock') fail(usedClient, error);
      throw error;
    });
    checkConnected(usedClient);
    return rows;
  }

  function checkConnected(usedClient: pg.Client | undefined): asserts usedClient is pg.Client {
    if (usedClient === undefined || usedClient !== client) throw new Error('the connection is lost');
  }

  replacement.onReplace(() => {
    if (client !== undefined) replace(client);
  });
  const keepAlive = setInterval(() => query('select').catch(() => undefined), KEEP_ALIVE_MS).unref();
  connect();
  return {
    onConnect: (prepareConnection) => void preparations.push(prepareConnection),
    onLost: (listener) => void lostListeners.push(listener),
    onNotification: (listener) => void notificationListeners.push(listener),
    query,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      clearInterval(keepAlive);
      const closing = client;
      forgetClient();
      const end = closing?.end().catch(() => undefined);
      await Promise.race([end, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
