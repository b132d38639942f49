import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { watchPendingConnections } from './pending-connections.ts';

/** Starts a server. `accepted` contains the connections that it has accepted. `open` opens a connection. */
async function start() {
  const accepted: Socket[] = [];
  const server = createServer();
  server.on('connection', (socket) => accepted.push(socket));
  const waitForPending = watchPendingConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  onTestFinished(() => {
    for (const socket of opened) socket.destroy();
    server.close();
  });
  const open = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    opened.push(socket);
    return socket;
  };
  return { server, accepted, waitForPending, open };
}

test('waits until all connections that clients have opened are accepted', async () => {
  const { accepted, waitForPending, open } = await start();
  await Promise.all(Array.from({ length: 50 }, () => once(open(), 'connect')));
  expect(accepted.length).toBeLessThan(50);
  await waitForPending(10_000);
  expect(accepted.length).toBe(50);
});

test('does not wait for ever while clients open more and more connections', async () => {
  const { server, accepted, waitForPending, open } = await start();
  let isWaiting = true;
  server.on('connection', () => {
    if (isWaiting) open();
  });
  for (let opened = 0; opened < 10; opened += 1) open();
  await waitForPending(50);
  isWaiting = false;
  expect(accepted.length).toBeGreaterThan(1);
});
