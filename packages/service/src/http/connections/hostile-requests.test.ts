import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await service.stop());

/** Sends lines as they are and reads until the service closes. */
async function send(lines: string[], body = ''): Promise<string> {
  const socket = connect(service.port ?? 0, '127.0.0.1');
  socket.write([...lines, '', body].join('\r\n'));
  return await text(socket);
}
const HOST = 'Host: localhost';
const CLOSE = 'Connection: close';

describe('is refused with a problem object, and nothing after it is executed', () => {
  test.each<[string, string[], number]>([
    ['two hosts', ['GET /v1/tokens HTTP/1.1', HOST, 'Host: other', CLOSE], 400],
    ['the same host twice', ['GET /v1/tokens HTTP/1.1', HOST, HOST, CLOSE], 400],
    ['no host', ['GET /v1/tokens HTTP/1.1', CLOSE], 400],
    [
      'a length and chunks',
      ['POST /v1/tokens HTTP/1.1', HOST, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
      400,
    ],
    [
      'chunks and a length',
      ['POST /v1/tokens HTTP/1.1', HOST, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
      400,
    ],
    ['an encoding that is unknown', ['POST /v1/tokens HTTP/1.1', HOST, 'Transfer-Encoding: xchunked'], 400],
    [
      'chunked that is not last',
      ['POST /v1/tokens HTTP/1.1', HOST, 'Transfer-Encoding: chunked, identity'],
      400,
    ],
    ['an encoding hidden by a space', ['POST /v1/tokens HTTP/1.1', HOST, 'Transfer-Encoding : chunked'], 400],
    [
      'an encoding on a second line',
      ['POST /v1/tokens HTTP/1.1', HOST, 'X: a', ' Transfer-Encoding: chunked', 'Content-Length: -1'],
      400,
    ],
    ['a negative length', ['POST /v1/tokens HTTP/1.1', HOST, 'Content-Length: -1'], 400],
    ['a length with a sign', ['POST /v1/tokens HTTP/1.1', HOST, 'Content-Length: +4'], 400],
    ['two lengths', ['POST /v1/tokens HTTP/1.1', HOST, 'Content-Length: 4, 5'], 400],
    ['a NUL in a header', ['GET /v1/tokens HTTP/1.1', HOST, 'X: a\0b'], 400],
    ['a method that is none', ['NONSENSE /v1/tokens HTTP/1.1', HOST], 400],
    ['the preface of HTTP/2', ['PRI * HTTP/2.0', '', 'SM', ''], 400],
    ['another version', ['GET /v1/tokens HTTP/3.0', HOST], 400],
    ['a TLS handshake', ['\x16\x03\x01\x02\x00\x01'], 400],
    ['a tunnel', ['CONNECT localhost:5432 HTTP/1.1', HOST], 404],
    ['TRACE', ['TRACE /v1/tokens HTTP/1.1', HOST, CLOSE], 405],
    ['a target that is no path', ['GET v1/tokens HTTP/1.1', HOST, CLOSE], 400],
  ])('%s', async (_title, lines, status) => {
    const answer = await send(lines, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`"status":${status}`);
    expect(answer).not.toContain('"status":"ok"');
  });
});

describe('is answered as if it were not there', () => {
  test.each<[string, string[]]>([
    ['HTTP/1.0, without a host', ['GET /healthz HTTP/1.0']],
    ['an absolute target', ['GET http://localhost/healthz HTTP/1.1', HOST, CLOSE]],
    [
      'an offer to upgrade',
      ['GET /healthz HTTP/1.1', HOST, 'Connection: Upgrade, close', 'Upgrade: websocket'],
    ],
    [
      'an offer of HTTP/2',
      [
        'GET /healthz HTTP/1.1',
        HOST,
        'Connection: Upgrade, HTTP2-Settings, close',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      ],
    ],
    ['an unknown expectation', ['GET /healthz HTTP/1.1', HOST, 'Expect: the-best', CLOSE]],
    ['a lone CRLF before it', ['', 'GET /healthz HTTP/1.1', HOST, CLOSE]],
  ])('%s', async (_title, lines) => {
    const answer = await send([...lines, '']);
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(answer).toContain('"status":"ok"');
  });

  test('the expectation of a 100, which is met', async () => {
    const lines = [
      'POST /v1/tokens HTTP/1.1',
      HOST,
      'Content-Type: application/json',
      'Expect: 100-continue',
    ];
    const answer = await send([...lines, 'Content-Length: 2', `X-API-Key: ${service.apiKey}`, CLOSE], '{}');
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });
});

test('what is no request waits for the answers before it', async () => {
  const path = '/v1/environment';
  const answer = await send([`GET ${path} HTTP/1.1`, HOST], 'nonsense\r\n\r\n');
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('what follows an answered request on its connection is answered in turn, until it is no request', async () => {
  const ok = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const socket = connect(service.port ?? 0, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
    const answers = received.split('"status":"ok"').length - 1;
    if (received.endsWith('}')) socket.write(answers < 3 ? ok : 'nonsense\r\n\r\n');
  });
  socket.write(ok);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([...Array(3).fill('HTTP/1.1 200'), 'HTTP/1.1 400']);
});
