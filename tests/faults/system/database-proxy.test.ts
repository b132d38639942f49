import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type LossyDatabaseProxy, startLossyDatabaseProxy } from './database-proxy.ts';

// The message ReadyForQuery with the status idle.
const IDLE = Buffer.from('Z\0\0\0\x05I', 'latin1');
const PREPARE = 'P\0\0\0\x40badge_5\0with proposed as (…) insert into operations select …\0';
const EXECUTE = 'B\0\0\0\x10\0badge_5\0';
const EXECUTE_ANOTHER = 'B\0\0\0\x10\0badge_6\0';

/** Starts a server that responds to everything with `IDLE`, and a proxy in front of it. */
async function startProxy(): Promise<LossyDatabaseProxy> {
  const server = createServer((socket) =>
    socket.on('data', () => socket.write(IDLE)).on('error', () => undefined),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startLossyDatabaseProxy(`postgres://badge@127.0.0.1:${port}/badge`);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  return proxy;
}

async function openSocket({ port }: LossyDatabaseProxy): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Sends a text. Returns the response; null if the connection is closed without one. */
async function send(socket: Socket, text: string): Promise<Buffer | null> {
  const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)));
  socket.write(text, 'latin1');
  return await Promise.race([once(socket, 'data').then(([response]) => response as Buffer), closed]);
}

test('an acknowledgement of COMMIT is lost, and its connection is closed', async () => {
  const proxy = await startProxy();
  proxy.loseCommits(1);
  expect(await send(await openSocket(proxy), 'Q\0\0\0\x0bcommit\0')).toBeNull();
  expect(proxy.countLostCommits()).toBe(1);
  expect(await send(await openSocket(proxy), 'Q\0\0\0\x0bcommit\0')).toEqual(IDLE);
});

test('a statement that accepts operations is recognized by its text and, once prepared, by its name', async () => {
  const proxy = await startProxy();
  const socket = await openSocket(proxy);
  expect(await send(socket, PREPARE)).toEqual(IDLE);
  proxy.loseCommits(1);
  expect(await send(socket, EXECUTE_ANOTHER)).toEqual(IDLE);
  expect(await send(socket, EXECUTE)).toBeNull();
  proxy.loseCommits(1);
  expect(await send(await openSocket(proxy), PREPARE)).toBeNull();
  expect(proxy.countLostCommits()).toBe(2);
});
