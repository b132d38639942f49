import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await service.stop());

const countOperations = async () => (await query(service.databaseUrl, 'select from operations')).length;

/** Sends a request to create a token, ends the connection after the body, and returns the whole response. */
async function send(head: string[], body: string): Promise<string> {
  const socket = connect(service.port ?? 0, '127.0.0.1');
  await once(socket, 'connect');
  const lines = ['POST /v1/tokens HTTP/1.1', 'Host: localhost', `X-API-Key: ${service.apiKey}`, ...head];
  socket.end([...lines, 'Content-Type: application/json', 'Connection: close', '', body].join('\r\n'));
  return await text(socket);
}

test.each<[string, string[], (json: string) => string]>([
  ['is shorter than its Content-Length', ['Content-Length: 9000'], (json) => json],
  [
    'ends in the middle of a chunk',
    ['Transfer-Encoding: chunked'],
    (json) => `${(json.length + 1).toString(16)}\r\n${json}`,
  ],
])('a valid document in a body that %s creates no operation', async (_title, head, encode) => {
  const before = await countOperations();
  const response = await send(head, encode(JSON.stringify(await signedToken())));
  // If the connection is closed before the response is sent, the response is empty.
  expect(response).toMatch(/^(HTTP\/1\.1 400 |$)/);
  if (response !== '') expect(response).toContain('"name":"InvalidRequest"');
  expect(await countOperations()).toBe(before);
});

test('the fields __proto__ and constructor of a body do not change any prototype', async () => {
  const valid = JSON.stringify(await signedToken());
  const body = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${valid.slice(1)}`;
  const headers = { 'Content-Type': 'application/json' };
  const response = await service.call('/v1/tokens', { method: 'POST', key: service.apiKey, headers, body });
  expect(response.status).toBe(202);
  expect({}).not.toHaveProperty('polluted');
});
