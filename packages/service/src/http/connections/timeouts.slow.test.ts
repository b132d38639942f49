import { text } from 'node:stream/consumers';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, test, vi } from 'vitest';
import { connectionLimitsFixture, drip } from '../../testing/connection-limits-fixture.ts';

const { start } = connectionLimitsFixture();

test('900 sockets with unfinished headers are closed, and do not delay other requests', async () => {
  const { open, isHealthy, countConnections } = await start({ headersMs: 3_000 });
  const sockets = await Promise.all(Array.from({ length: 900 }, () => open()));
  const responses = sockets.map((socket) => text(socket).catch(() => ''));
  for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  expect(await isHealthy()).toBe(true);
  // The timeout must also close a socket on which bytes keep arriving.
  const [dripping] = sockets;
  if (dripping !== undefined) void drip(dripping);
  const statuses = (await Promise.all(responses)).map((response) => response.split('\r\n')[0]);
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 408 Request timeout']));
  expect(await isHealthy()).toBe(true);
  // The two connections of `isHealthy` may still be open.
  await vi.waitFor(async () => expect(await countConnections()).toBeLessThan(3), WAIT_OPTIONS);
});
