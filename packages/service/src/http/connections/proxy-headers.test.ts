import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createProxyCheck, normaliseForwardedFor, prepareForwardedFor } from './proxy-headers.ts';

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

test('a long X-Forwarded-For is removed if no trusted proxy sends it, and shortened otherwise', () => {
  expect(readHeader([])).toBeUndefined();
  expect(readHeader(['127.0.0.1'])).toHaveLength('192.0.2.1, '.repeat(20).length - 2);
});

/** Returns what remains of a header with 1,000 addresses. */
function readHeader(trustProxy: string[]): unknown {
  const headers = { 'x-forwarded-for': Array(1_000).fill('192.0.2.1').join(',') };
  const request = { headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
  prepareForwardedFor(request, createProxyCheck(trustProxy));
  return request.headers['x-forwarded-for'];
}
