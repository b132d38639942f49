import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface DatabaseProxy {
  /** The database's address through the proxy. */
  url: string;
  /** Lets bytes pass, swallows them in both directions as a frozen server does, or resets whoever sends. */
  set(mode: 'pass' | 'freeze' | 'reset'): void;
}

/** Stands between a service and the run's server, by TCP, until the test has finished. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.port}`;
  const sockets = new Set<Socket>();
  let mode: Parameters<DatabaseProxy['set']>[0] = 'pass';

  const proxy = createServer((socket) => {
    const upstream = connect(path);
    for (const [from, to] of [[socket, upstream] as const, [upstream, socket] as const]) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (mode === 'pass') to.write(chunk);
        else if (mode === 'reset') socket.resetAndDestroy();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as { port: number };
  return {
    url: `postgres://${target.username}@127.0.0.1:${port}${target.pathname}`,
    set: (next) => {
      mode = next;
    },
  };
}
