import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await service.stop());

const HEALTH_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const statusesOf = (responses: string) => responses.match(/HTTP\/1\.1 \d+/g);

test('the error for an invalid request comes after the responses to the requests before it', async () => {
  const socket = connect(service.port ?? 0, '127.0.0.1');
  socket.write(`${HEALTH_REQUEST}nonsense\r\n\r\n`);
  expect(statusesOf(await text(socket))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('sequential requests on one connection get responses until one request is invalid', async () => {
  const socket = connect(service.port ?? 0, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
    const responses = received.split('"status":"ok"').length - 1;
    if (received.endsWith('}')) socket.write(responses < 3 ? HEALTH_REQUEST : 'nonsense\r\n\r\n');
  });
  socket.write(HEALTH_REQUEST);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(statusesOf(received)).toEqual([...Array(3).fill('HTTP/1.1 200'), 'HTTP/1.1 400']);
});
