import type { Row, Scene } from './row.ts';

const host = 'Host: localhost';
const close = 'Connection: close';
const lines = (...parts: string[]) => [...parts, '', ''].join('\r\n');
const environment = 'GET /v1/environment HTTP/1.1';
const broken = '400 InvalidRequest ?request';

const raw = (
  call: string,
  title: string,
  answer: string,
  why: string,
  request: string | ((scene: Scene) => string),
): Row => ({
  call,
  case: title,
  answer,
  why,
  send: (scene) => scene.write(typeof request === 'string' ? request : request(scene)),
});

const read = (title: string, answer: string, why: string, ...headers: string[]) =>
  raw('GET /v1/environment', title, answer, why, lines(environment, ...headers));

const create = (title: string, answer: string, why: string, headers: string[], body: string) =>
  raw(
    'POST /v1/tokens',
    title,
    answer,
    why,
    ({ key }) =>
      lines(
        'POST /v1/tokens HTTP/1.1',
        host,
        `X-API-Key: ${key}`,
        'Content-Type: application/json',
        ...headers,
      ) + body,
  );

const methods: [string, string, string][] = [
  ['PUT', '/v1/tokens', 'POST, GET, HEAD'],
  ['DELETE', '/v1/tokens', 'POST, GET, HEAD'],
  ['TRACE', '/v1/tokens', 'POST, GET, HEAD'],
  ['QUERY', '/v1/tokens', 'POST, GET, HEAD'],
  ['PROPFIND', '/v1/tokens', 'POST, GET, HEAD'],
  ['PURGE', '/v1/wallets/0x0000000000000000000000000000000000000001/tokens', 'GET, HEAD'],
  ['PUT', '/v1/tokens/1', 'GET, HEAD, PATCH'],
  ['POST', '/v1/tokens/1', 'GET, HEAD, PATCH'],
  ['GET', '/v1/tokens/1/claim', 'POST'],
  ['DELETE', '/v1/tokens/1/burn', 'POST'],
  ['POST', '/v1/wallets/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044/tokens', 'GET, HEAD'],
  ['DELETE', '/v1/communities/demo', 'GET, HEAD, PATCH'],
  ['PUT', '/v1/communities/demo/nftTypes', 'GET, HEAD, POST'],
  ['PATCH', '/v1/operations/1', 'GET, HEAD'],
  ['TRACE', '/v1/environment', 'GET, HEAD'],
  ['POST', '/images/logo.png', 'GET, HEAD'],
  ['DELETE', '/metadata/1', 'GET, HEAD'],
  ['POST', '/healthz', 'GET, HEAD'],
];

const twoReadings =
  'A proxy may read such a request as another one than the service does, and let it pass unseen';
const syntax = 'The syntax of HTTP (RFC 9112)';
const bounded = 'A request line and its headers are at most 16 KiB';

export const connections: Row[] = [
  ...methods.map(([method, path, allow]) =>
    raw(
      `${method} ${path}`,
      'a method that the path has not',
      '405 MethodNotAllowed',
      `\`Allow: ${allow}\``,
      lines(`${method} ${path} HTTP/1.1`, host, close),
    ),
  ),
  ...['PUT', 'DELETE', 'TRACE', 'PATCH'].map((method) =>
    raw(
      `${method} /v1/nope`,
      'a path that is unknown',
      '404 NotFound',
      'The path comes first',
      lines(`${method} /v1/nope HTTP/1.1`, host, close),
    ),
  ),
  raw('BREW /v1/tokens', 'a method that is none', broken, syntax, lines('BREW /v1/tokens HTTP/1.1', host)),
  raw(
    'get /v1/tokens',
    'a method in lower case',
    broken,
    'Methods are told with case',
    lines('get /v1/tokens HTTP/1.1', host),
  ),
  read('two `Host` headers', '400 InvalidRequest ?Host', twoReadings, host, 'Host: example.com', close),
  read('the same `Host` twice', '400 InvalidRequest ?Host', twoReadings, host, host, close),
  read('no `Host`', '400 InvalidRequest ?Host', 'HTTP/1.1 requires one', close),
  read(
    'a `Host` that is no host name',
    '200',
    'No answer depends on it: addresses in answers begin with the configured one',
    'Host: a/b@c',
    close,
  ),
  create(
    '`Content-Length` and `Transfer-Encoding`',
    broken,
    twoReadings,
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ),
  create('two `Content-Length`s', broken, twoReadings, ['Content-Length: 2', 'Content-Length: 3'], '{}x'),
  create('a negative `Content-Length`', broken, syntax, ['Content-Length: -1'], '{}'),
  create('a hexadecimal `Content-Length`', broken, syntax, ['Content-Length: 0x2'], '{}'),
  create('`Transfer-Encoding: gzip`', broken, twoReadings, ['Transfer-Encoding: gzip'], '{}'),
  create(
    '`Transfer-Encoding: gzip, chunked`',
    '400 InvalidRequest ?Transfer-Encoding',
    twoReadings,
    ['Transfer-Encoding: gzip, chunked', close],
    '2\r\n{}\r\n0\r\n\r\n',
  ),
  create(
    '`Transfer-Encoding: chunked` twice',
    broken,
    twoReadings,
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', close],
    '2\r\n{}\r\n0\r\n\r\n',
  ),
  create(
    'a chunk whose length is no number',
    broken,
    syntax,
    ['Transfer-Encoding: chunked'],
    'zz\r\n{}\r\n0\r\n\r\n',
  ),
  create(
    'a chunk longer than it says',
    broken,
    syntax,
    ['Transfer-Encoding: chunked'],
    '1\r\n{}\r\n0\r\n\r\n',
  ),
  create(
    'a chunk of 2^64 bytes',
    broken,
    syntax,
    ['Transfer-Encoding: chunked'],
    '10000000000000000\r\n{}\r\n',
  ),
  create(
    'chunks that end without a line end',
    broken,
    syntax,
    ['Transfer-Encoding: chunked'],
    '2\r\n{}0\r\n\r\n',
  ),
  create(
    'a form of chunks that is right, of a body that is not',
    '400 InvalidRequest (body)',
    'A body is one JSON document',
    ['Transfer-Encoding: chunked', close],
    '1\r\n{\r\n0\r\n\r\n',
  ),
  read('a header of 20 kB', '431 HeadersTooLarge', bounded, host, `X-Padding: ${'p'.repeat(20_000)}`),
  read(
    '2,000 headers of 20 kB in all',
    '431 HeadersTooLarge',
    bounded,
    host,
    ...Array.from({ length: 2_000 }, (_, index) => `X-${index}: a`),
  ),
  raw(
    'GET',
    'a path of 20 kB',
    '431 HeadersTooLarge',
    bounded,
    lines(`GET /v1/${'p'.repeat(20_000)} HTTP/1.1`, host),
  ),
  raw(
    'GET /v1/tokens',
    'a query of 20 kB',
    '431 HeadersTooLarge',
    bounded,
    lines(`GET /v1/tokens?x=${'p'.repeat(20_000)} HTTP/1.1`, host),
  ),
  read('a control character in a header’s name', broken, syntax, host, 'X\u0001Y: a'),
  read('a NUL in a header’s value', broken, syntax, host, 'X: a\u0000b'),
  read('a space before the colon', broken, twoReadings, host, 'X : a'),
  read('a header without a colon', broken, syntax, host, 'no colon'),
  read('a header over two lines', broken, twoReadings, host, 'X: a', ' b'),
  read('an empty header name', broken, syntax, host, ': a'),
  raw('GET /v1/environment', 'line feeds alone', broken, twoReadings, `${environment}\n${host}\n\n`),
  raw('GET /v1/environment', '`HTTP/9.9`', broken, syntax, lines('GET /v1/environment HTTP/9.9', host)),
  raw(
    'GET /v1/environment',
    '`HTTP/2.0` without its frames',
    broken,
    syntax,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ),
  raw(
    'GET',
    'a TLS greeting',
    broken,
    syntax,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  ),
  raw('GET', 'words', broken, syntax, 'hello\r\n\r\n'),
  raw(
    'GET',
    'a byte of no ASCII in the path',
    broken,
    'Other bytes of a path are percent-encoded',
    lines('GET /v1/tokens/\u00ff HTTP/1.1', host),
  ),
  raw('GET', 'a NUL in the path', broken, syntax, lines('GET /v1/tokens/\u0000 HTTP/1.1', host)),
  raw('GET', 'a space in the path', broken, syntax, lines('GET /v1/tokens/1 2 HTTP/1.1', host)),
  read(
    '`Expect: tea`',
    '200',
    'What is expected and unknown is ignored (RFC 9110 allows it)',
    host,
    'Expect: tea',
    close,
  ),
  raw(
    'GET /v1/environment',
    'a `GET` with a body',
    '200',
    'A body that is not asked for is not read',
    `${lines(environment, host, 'Content-Type: text/plain', 'Content-Length: 3', close)}abc`,
  ),
  raw(
    'GET /v1/environment',
    '`HTTP/1.0` without `Host`',
    '200',
    'HTTP/1.0 asks for none',
    lines('GET /v1/environment HTTP/1.0'),
  ),
];
