import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Problem } from '@badge/protocol';
import { afterAll, expect, test } from 'vitest';
import { startTestService } from '../../testing/services.ts';

const service = await startTestService();
afterAll(async () => await service.stop());

/** Sends the lines of a request as they are, and answers all that comes back until the connection is closed. */
async function send(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write([...lines, 'Host: localhost', 'Connection: close', '', ''].join('\r\n'));
  return await text(socket);
}

test('an Expect that nobody knows is ignored', async () => {
  expect(await send('GET /v1/tokens HTTP/1.1', 'Expect: something-else')).toMatch(/^HTTP\/1\.1 200 /);
});

test('what is no HTTP is an invalid request that says what is wrong with it', async () => {
  const answer = await send('GET no-path HTTP/1.1');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  const problem = JSON.parse(answer.slice(answer.indexOf('{'))) as Problem;
  expect(problem).toMatchObject({ name: 'InvalidRequest', errors: [{ parameter: 'request' }] });
});

test('a read ignores Content-Encoding, since it has no body', async () => {
  const answer = await service.call('/v1/tokens', { headers: { 'Content-Encoding': 'gzip' } });
  expect(answer.status).toBe(200);
});
