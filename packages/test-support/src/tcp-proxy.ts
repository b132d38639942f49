import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP proxy that can simulate failures of a network or a server. */
export interface TcpProxy {
  readonly port: number;
  /** Ends all connections, and ends new ones immediately. */
  cut(): void;
  /** Keeps connections open and holds back all data until `heal`, as a frozen server does. */
  hang(): void;
  /** Keeps connections open and loses all data, as a broken network path does. */
  drop(): void;
  /** Resets each connection at its next data. */
  reset(): void;
  /** Delays each chunk of data by this time. */
  delay(delayMs: number): void;
  /** Ends the failure and the delay. Data that `hang` held back is sent. */
  heal(): void;
  /** Ends all connections, and connects new ones to another target. */
  redirectAll(target: NetConnectOpts): void;
  /** Connects new connections to another target, and keeps those that are open. */
  redirectNewConnections(target: NetConnectOpts): void;
  stop(): Promise<void>;
}

/**
 * Sees all data of one connection. Returns true to pass the chunk on, and false to end the connection
 * instead. A promise delays the chunk until it resolves.
 */
export type ChunkFilter = (chunk: Buffer, from: 'client' | 'server') => boolean | Promise<boolean>;

type State = 'passing' | 'cut' | 'hanging' | 'dropping' | 'resetting';

/** Listens on a free loopback port. `createFilter` is called for each connection. */
export async function startTcpProxy(
  firstTarget: NetConnectOpts,
  createFilter: () => ChunkFilter = () => () => true,
): Promise<TcpProxy> {
  const connections = new Set<() => void>();
  let target = firstTarget;
  let state: State = 'passing';
  let delayMs = 0;
  let healed = Promise.withResolvers<void>();

  function endAll(): void {
    for (const end of connections) end();
  }

  function open(client: Socket): void {
    const server = connect(target);
    const filter = createFilter();
    const end = () => {
      client.destroy();
      server.destroy();
      connections.delete(end);
    };

    async function pass(from: Socket, to: Socket): Promise<void> {
      for await (const chunk of from) {
        const isPassed = filter(chunk, from === client ? 'client' : 'server');
        // A boolean is not awaited: the chunk must meet the failure that is active while the filter sees it.
        if (!(typeof isPassed === 'boolean' ? isPassed : await isPassed)) return;
        if (delayMs > 0) await wait(delayMs);
        if (state === 'hanging') await healed.promise;
        if (state === 'dropping') continue;
        if (state === 'resetting') {
          client.resetAndDestroy();
          return;
        }
        if (!to.write(chunk)) await once(to, 'drain');
      }
    }

    connections.add(end);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', end).on('close', end);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      pass(from, to)
        .catch(() => undefined)
        .finally(end);
    }
  }

  const listener = createServer((client) => {
    if (state === 'cut') client.destroy();
    else open(client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      endAll();
    },
    hang() {
      state = 'hanging';
    },
    drop() {
      state = 'dropping';
    },
    reset() {
      state = 'resetting';
    },
    delay(ms) {
      delayMs = ms;
    },
    heal() {
      state = 'passing';
      delayMs = 0;
      healed.resolve();
      healed = Promise.withResolvers();
    },
    redirectAll(next) {
      target = next;
      endAll();
    },
    redirectNewConnections(next) {
      target = next;
    },
    async stop() {
      listener.close();
      endAll();
      await once(listener, 'close');
    },
  };
}

/** A proxy for a PostgreSQL server. */
export interface DatabaseProxy extends TcpProxy {
  /** The database's URL through the proxy. */
  url: string;
}

/** Starts a proxy in front of the server of a database URL, which may name a socket directory as `host`. */
export async function startDatabaseProxy(
  databaseUrl: string,
  createFilter?: () => ChunkFilter,
): Promise<DatabaseProxy> {
  const proxy = await startTcpProxy(databaseTarget(databaseUrl), createFilter);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${proxy.port}`;
  url.searchParams.delete('host');
  return { ...proxy, url: url.href };
}

/** The address of a database URL's server, as the target of a proxy. */
export function databaseTarget(databaseUrl: string): NetConnectOpts {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const directory = searchParams.get('host');
  return directory === null
    ? { host: hostname, port: Number(port || 5432) }
    : { path: join(directory, `.s.PGSQL.${port || 5432}`) };
}
