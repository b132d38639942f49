import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ChunkFilter, databaseTarget, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A server that sends its name, then returns what it receives in upper case. */
async function startServer(name: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(name);
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

async function startProxy(port: number, createFilter?: () => ChunkFilter): Promise<TcpProxy> {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port }, createFilter);
  onTestFinished(() => proxy.stop());
  return proxy;
}

async function openSocket({ port }: TcpProxy): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

// `once` of node:events would reject at a reset.
function waitForClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function nextText(socket: Socket): Promise<string> {
  const [text] = await once(socket, 'data');
  return text;
}

test('the proxy passes data both ways', async () => {
  const proxy = await startProxy((await startServer('first')).port);
  const socket = await openSocket(proxy);
  expect(await nextText(socket)).toBe('first');
  socket.write('hello');
  expect(await nextText(socket)).toBe('HELLO');
});

test.for([
  { failure: 'hang', received: 'FIRSTSECOND' },
  { failure: 'drop', received: 'SECOND' },
] as const)(
  'a write during $failure and a write after heal get the response $received',
  async ({ failure, received }) => {
    const arrived = Promise.withResolvers<void>();
    const filter = () => (chunk: Buffer) => {
      if (chunk.includes('first')) arrived.resolve();
      return true;
    };
    const proxy = await startProxy((await startServer('server')).port, filter);
    const socket = await openSocket(proxy);
    await nextText(socket);
    proxy[failure]();
    socket.write('first');
    await arrived.promise;
    proxy.heal();
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('second');
    while (text.length < received.length) await once(socket, 'data');
    expect(text).toBe(received);
  },
);

test.for(['cut', 'reset'] as const)('%s ends connections, and new ones work after heal', async (failure) => {
  const proxy = await startProxy((await startServer('first')).port);
  const socket = await openSocket(proxy);
  await nextText(socket);
  const closed = waitForClose(socket);
  proxy[failure]();
  socket.write('hello');
  await closed;
  proxy.heal();
  expect(await nextText(await openSocket(proxy))).toBe('first');
});

test('redirectAll ends connections, and new ones reach the other target', async () => {
  const proxy = await startProxy((await startServer('first')).port);
  const socket = await openSocket(proxy);
  expect(await nextText(socket)).toBe('first');
  const closed = waitForClose(socket);
  proxy.redirectAll({ host: '127.0.0.1', port: (await startServer('second')).port });
  await closed;
  expect(await nextText(await openSocket(proxy))).toBe('second');
});

test('redirectNewConnections keeps connections, and new ones reach the other target', async () => {
  const proxy = await startProxy((await startServer('first')).port);
  const socket = await openSocket(proxy);
  expect(await nextText(socket)).toBe('first');
  proxy.redirectNewConnections({ host: '127.0.0.1', port: (await startServer('second')).port });
  expect(await nextText(await openSocket(proxy))).toBe('second');
  expect(socket.destroyed).toBe(false);
});

test('a filter that rejects a chunk ends the connection', async () => {
  const filter = () => (chunk: Buffer) => !chunk.includes('secret');
  const proxy = await startProxy((await startServer('first')).port, filter);
  const socket = await openSocket(proxy);
  await nextText(socket);
  socket.write('secret');
  await waitForClose(socket);
});

test('databaseTarget returns the host and port or the socket of a database URL', () => {
  expect(databaseTarget('postgres://u@db.example/x')).toEqual({ host: 'db.example', port: 5432 });
  expect(databaseTarget('postgres://u@localhost:5433/x?host=%2Frun')).toEqual({ path: '/run/.s.PGSQL.5433' });
});
