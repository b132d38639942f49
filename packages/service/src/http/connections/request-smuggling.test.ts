import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function send(lines: string[], version = '1.1'): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write([`GET /v1/environment HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'));
  return await text(socket);
}

test.each([
  ['two hosts', ['Host: a', 'Host: b'], 'Host'],
  ['one host twice', ['Host: a', 'host: a'], 'Host'],
  ['no host', [], 'Host'],
  ['a transfer coding beside chunks', ['Host: a', 'Transfer-Encoding: gzip, chunked'], 'Transfer-Encoding'],
  ['a header that is none', ['Host: a', 'no colon'], 'request'],
])('%s is an invalid request, and says so', async (_title, lines, parameter) => {
  const answer = await send(lines);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
  expect(answer).toContain('"name":"InvalidRequest"');
  expect(answer).toContain(`"errors":[{"parameter":"${parameter}",`);
});

test.each([
  ['an expectation that is not known', ['Host: a', 'Expect: tea'], '1.1'],
  ['no host in HTTP/1.0', [], '1.0'],
])('%s is no error', async (_title, lines, version) => {
  expect(await send(lines, version)).toMatch(/^HTTP\/1\.1 200 /);
});
