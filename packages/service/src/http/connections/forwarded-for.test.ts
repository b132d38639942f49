import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { addForwardedAddresses, createProxyCheck, normaliseForwardedFor } from './forwarded-for.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.1:4711, 10.0.0.1:80,[::1]:9', '192.0.2.1, 10.0.0.1, ::1'],
  [' 192.0.2.1 ,, 10.0.0.1 ', '192.0.2.1, 10.0.0.1'],
  ['192.0.2.1, unknown, 10.0.0.1', '10.0.0.1'],
  ['192.0.2.1, _hidden', ''],
  ['192.0.2.1:', ''],
  ['192.0.2.1:123456', ''],
  ['192.0.2.1:80:80', ''],
  ['[192.0.2.1', ''],
  ['', ''],
  [`${'192.0.2.1,'.repeat(1_000)}10.0.0.1`, `${'192.0.2.1, '.repeat(19)}10.0.0.1`],
])('%j is read as %j', (header, expected) => {
  expect(normaliseForwardedFor(header)).toBe(expected);
});

test('a long X-Forwarded-For is removed if no trusted proxy sends it, and shortened otherwise', async () => {
  const [untrusted, trusted] = await Promise.all([readHeader([]), readHeader(['127.0.0.1'])]);
  expect(untrusted).toBeUndefined();
  expect(trusted).toHaveLength('192.0.2.1, '.repeat(20).length - 2);
});

/** Sends 1,000 addresses to a server. Returns the header that its request listener receives. */
async function readHeader(trustProxy: string[]): Promise<unknown> {
  const server = createServer();
  addForwardedAddresses(server, createProxyCheck(trustProxy));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const headers = { 'X-Forwarded-For': Array(1_000).fill('192.0.2.1').join(','), Connection: 'close' };
  const response = fetch(`http://127.0.0.1:${port}`, { headers });
  const [request, outgoing] = await once(server, 'request');
  outgoing.end();
  await response;
  return request.headers['x-forwarded-for'];
}
