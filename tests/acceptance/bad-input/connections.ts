import type { Fixture, Row } from './row.ts';

const host = 'Host: localhost';
const close = 'Connection: close';
/** The request line and the headers, with the empty line that ends them. */
const requestHead = (...lines: string[]) => [...lines, '', ''].join('\r\n');
const secondRequest = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const getEnvironment = 'GET /v1/environment HTTP/1.1';
const invalidRequest = '400 InvalidRequest ?request';

/** A row that writes its request to the socket unchanged. */
const rawRow = (
  call: string,
  title: string,
  response: string,
  why: string,
  request: string | ((fixture: Fixture) => string),
): Row => ({
  call,
  case: title,
  response,
  why,
  send: async (fixture) => {
    const bytes = typeof request === 'string' ? request : request(fixture);
    // After a rejected request, a second one must get no response: otherwise, requests could be smuggled.
    // `write` throws if there are two responses.
    return await fixture.write(response.startsWith('200') ? bytes : bytes + secondRequest);
  },
});

/** A row that sends a GET /v1/environment with these headers. */
const getRow = (title: string, response: string, why: string, ...headers: string[]) =>
  rawRow('GET /v1/environment', title, response, why, requestHead(getEnvironment, ...headers));

/** A row that sends a POST /v1/tokens with these headers and this body. */
const postRow = (title: string, response: string, why: string, headers: string[], body: string) =>
  rawRow(
    'POST /v1/tokens',
    title,
    response,
    why,
    ({ key }) =>
      requestHead(
        'POST /v1/tokens HTTP/1.1',
        host,
        `X-API-Key: ${key}`,
        'Content-Type: application/json',
        ...headers,
      ) + body,
  );

const wrongMethods: [method: string, path: string, allow: string][] = [
  ['PUT', '/v1/tokens', 'POST, GET, HEAD'],
  ['DELETE', '/v1/tokens', 'POST, GET, HEAD'],
  ['PATCH', '/v1/tokens/', 'POST, GET, HEAD'],
  ['TRACE', '/v1/tokens', 'POST, GET, HEAD'],
  ['QUERY', '/v1/tokens', 'POST, GET, HEAD'],
  ['PROPFIND', '/v1/tokens', 'POST, GET, HEAD'],
  ['PURGE', '/v1/wallets/0x0000000000000000000000000000000000000001/tokens', 'GET, HEAD'],
  ['PUT', '/v1/tokens/1', 'GET, HEAD, PATCH'],
  ['POST', '/v1/tokens/1', 'GET, HEAD, PATCH'],
  ['DELETE', '/v1/tokens/1', 'GET, HEAD, PATCH'],
  ...['GET', 'PUT', 'DELETE', 'PATCH'].map((method): [string, string, string] => [
    method,
    '/v1/tokens/1/claim',
    'POST',
  ]),
  ['DELETE', '/v1/tokens/1/burn', 'POST'],
  ['POST', '/v1/wallets/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044/tokens', 'GET, HEAD'],
  ['DELETE', '/v1/communities/demo', 'GET, HEAD, PATCH'],
  ['PUT', '/v1/communities/demo', 'GET, HEAD, PATCH'],
  ['PUT', '/v1/communities/demo/nftTypes', 'GET, HEAD, POST'],
  ['PATCH', '/v1/operations/1', 'GET, HEAD'],
  ['DELETE', '/v1/operations/00000000-0000-4000-8000-000000000000', 'GET, HEAD'],
  ...['POST', 'PATCH', 'PUT', 'DELETE'].map((method): [string, string, string] => [
    method,
    '/v1/auditLog',
    'GET, HEAD',
  ]),
  ['TRACE', '/v1/environment', 'GET, HEAD'],
  ['POST', '/v1/environment', 'GET, HEAD'],
  ['POST', '/images/logo.png', 'GET, HEAD'],
  ['DELETE', '/metadata/1', 'GET, HEAD'],
  ['POST', '/oembed', 'GET, HEAD'],
  ['POST', '/healthz', 'GET, HEAD'],
];

const ambiguous = 'A proxy could parse it differently, which allows request smuggling';
const syntax = 'Not valid HTTP (RFC 9112)';
const versions = 'The service supports only HTTP/1.0 and HTTP/1.1';
const tooLarge = 'The request line and headers are at most 16 KiB';

export const connectionRows: Row[] = [
  ...wrongMethods.map(([method, path, allow]) =>
    rawRow(
      `${method} ${path}`,
      'a method that the path does not have',
      '405 MethodNotAllowed',
      `\`Allow: ${allow}\``,
      requestHead(`${method} ${path} HTTP/1.1`, host, close),
    ),
  ),
  ...[
    ...['POST', 'PUT', 'DELETE', 'TRACE', 'PATCH'].map((method) => [method, '/v1/nope']),
    ['DELETE', '/tokens'],
  ].flatMap(([method, path]) =>
    ['without a key', 'with a key'].map((title) =>
      rawRow(
        `${method} ${path}`,
        `an unknown path, ${title}`,
        '404 NotFound',
        'The path is checked before the method and the key',
        ({ key }) =>
          requestHead(
            `${method} ${path} HTTP/1.1`,
            host,
            ...(title === 'with a key' ? [`X-API-Key: ${key}`] : []),
            close,
          ),
      ),
    ),
  ),
  rawRow(
    'BREW /v1/tokens',
    'an unknown method',
    invalidRequest,
    'The HTTP parser accepts only methods that it knows',
    requestHead('BREW /v1/tokens HTTP/1.1', host),
  ),
  rawRow(
    'get /v1/tokens',
    'a method in lower case',
    invalidRequest,
    'Methods are case-sensitive',
    requestHead('get /v1/tokens HTTP/1.1', host),
  ),
  getRow('two `Host` headers', '400 InvalidRequest ?Host', ambiguous, host, 'Host: example.com', close),
  getRow('the same `Host` twice', '400 InvalidRequest ?Host', ambiguous, host, host, close),
  getRow(
    'the same `Host` twice, in different case',
    '400 InvalidRequest ?Host',
    ambiguous,
    host,
    'host: localhost',
    close,
  ),
  getRow('no `Host`', '400 InvalidRequest ?Host', 'HTTP/1.1 requires it', close),
  getRow(
    'a `Host` that is not a host name',
    '200',
    'Responses use the configured public URL, never `Host`',
    'Host: a/b@c',
    close,
  ),
  postRow(
    '`Content-Length` and `Transfer-Encoding`',
    invalidRequest,
    ambiguous,
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ),
  postRow(
    'two different `Content-Length` headers',
    invalidRequest,
    ambiguous,
    ['Content-Length: 2', 'Content-Length: 3'],
    '{}x',
  ),
  postRow(
    '`Transfer-Encoding` and `Content-Length`',
    invalidRequest,
    ambiguous,
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    '0\r\n\r\n',
  ),
  postRow('two lengths in one `Content-Length`', invalidRequest, ambiguous, ['Content-Length: 2, 3'], '{}x'),
  postRow('a `Content-Length` with a plus sign', invalidRequest, syntax, ['Content-Length: +2'], '{}'),
  postRow('a negative `Content-Length`', invalidRequest, syntax, ['Content-Length: -1'], '{}'),
  postRow('a hexadecimal `Content-Length`', invalidRequest, syntax, ['Content-Length: 0x2'], '{}'),
  postRow('`Transfer-Encoding: xchunked`', invalidRequest, ambiguous, ['Transfer-Encoding: xchunked'], '{}'),
  postRow(
    '`Transfer-Encoding: chunked, identity`',
    invalidRequest,
    ambiguous,
    ['Transfer-Encoding: chunked, identity'],
    '{}',
  ),
  postRow(
    '`Transfer-Encoding` and a space before the colon',
    invalidRequest,
    ambiguous,
    ['Transfer-Encoding : chunked'],
    '{}',
  ),
  postRow(
    '`Transfer-Encoding` on the second line of another header',
    invalidRequest,
    ambiguous,
    ['X: a', ' Transfer-Encoding: chunked', 'Content-Length: -1'],
    '{}',
  ),
  postRow('`Transfer-Encoding: gzip`', invalidRequest, ambiguous, ['Transfer-Encoding: gzip'], '{}'),
  postRow(
    '`Transfer-Encoding: gzip, chunked`',
    '400 InvalidRequest ?Transfer-Encoding',
    ambiguous,
    ['Transfer-Encoding: gzip, chunked', close],
    '2\r\n{}\r\n0\r\n\r\n',
  ),
  postRow(
    '`Transfer-Encoding: chunked` twice',
    invalidRequest,
    ambiguous,
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', close],
    '2\r\n{}\r\n0\r\n\r\n',
  ),
  postRow(
    'a chunk length that is not a number',
    invalidRequest,
    syntax,
    ['Transfer-Encoding: chunked'],
    'zz\r\n{}\r\n0\r\n\r\n',
  ),
  postRow(
    'a chunk longer than its length',
    invalidRequest,
    syntax,
    ['Transfer-Encoding: chunked'],
    '1\r\n{}\r\n0\r\n\r\n',
  ),
  postRow(
    'a chunk of 2^64 bytes',
    invalidRequest,
    'The length of a chunk must fit into 64 bits',
    ['Transfer-Encoding: chunked'],
    '10000000000000000\r\n{}\r\n',
  ),
  postRow(
    'a chunk without a line end',
    invalidRequest,
    syntax,
    ['Transfer-Encoding: chunked'],
    '2\r\n{}0\r\n\r\n',
  ),
  postRow(
    'valid chunks of an invalid body',
    '400 InvalidRequest (body)',
    'A body is one JSON document',
    ['Transfer-Encoding: chunked', close],
    '1\r\n{\r\n0\r\n\r\n',
  ),
  getRow('a header of 20 kB', '431 HeadersTooLarge', tooLarge, host, `X-Padding: ${'p'.repeat(20_000)}`),
  getRow(
    '2,000 headers, 21 kB in all',
    '431 HeadersTooLarge',
    tooLarge,
    host,
    ...Array.from({ length: 2_000 }, (_, index) => `X-${index}: a`),
  ),
  rawRow(
    'GET',
    'a path of 20 kB',
    '431 HeadersTooLarge',
    tooLarge,
    requestHead(`GET /v1/${'p'.repeat(20_000)} HTTP/1.1`, host),
  ),
  rawRow(
    'GET /v1/tokens',
    'a query of 20 kB',
    '431 HeadersTooLarge',
    tooLarge,
    requestHead(`GET /v1/tokens?x=${'p'.repeat(20_000)} HTTP/1.1`, host),
  ),
  getRow('a control character in a header name', invalidRequest, syntax, host, 'X\u0001Y: a'),
  getRow('a NUL in a header value', invalidRequest, syntax, host, 'X: a\u0000b'),
  getRow('a space before the colon', invalidRequest, ambiguous, host, 'X : a'),
  getRow('a header without a colon', invalidRequest, syntax, host, 'no colon'),
  getRow('a header on two lines', invalidRequest, ambiguous, host, 'X: a', ' b'),
  getRow('an empty header name', invalidRequest, syntax, host, ': a'),
  rawRow(
    'GET /v1/environment',
    'line feeds without carriage returns',
    invalidRequest,
    ambiguous,
    `${getEnvironment}\n${host}\n\n`,
  ),
  rawRow(
    'GET /v1/environment',
    '`HTTP/9.9`',
    invalidRequest,
    versions,
    requestHead('GET /v1/environment HTTP/9.9', host),
  ),
  rawRow(
    'GET /v1/environment',
    'the HTTP/2 preface',
    invalidRequest,
    versions,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ),
  rawRow(
    'GET',
    'a TLS handshake',
    invalidRequest,
    syntax,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  ),
  rawRow(
    'GET /v1/tokens',
    '`HTTP/3.0`',
    invalidRequest,
    versions,
    requestHead('GET /v1/tokens HTTP/3.0', host),
  ),
  rawRow(
    'GET v1/tokens',
    'a path without a slash',
    invalidRequest,
    syntax,
    requestHead('GET v1/tokens HTTP/1.1', host, close),
  ),
  rawRow(
    'CONNECT localhost:5432',
    'a tunnel',
    '404 NotFound',
    'The service is not a proxy',
    requestHead('CONNECT localhost:5432 HTTP/1.1', host),
  ),
  rawRow('GET', 'plain text', invalidRequest, syntax, 'hello\r\n\r\n'),
  rawRow(
    'GET',
    'a byte outside ASCII in the path',
    invalidRequest,
    'Bytes outside ASCII must be percent-encoded',
    requestHead('GET /v1/tokens/\u00ff HTTP/1.1', host),
  ),
  rawRow(
    'GET',
    'a NUL in the path',
    invalidRequest,
    syntax,
    requestHead('GET /v1/tokens/\u0000 HTTP/1.1', host),
  ),
  rawRow(
    'GET',
    'a space in the path',
    invalidRequest,
    syntax,
    requestHead('GET /v1/tokens/1 2 HTTP/1.1', host),
  ),
  getRow(
    '`Expect: tea`',
    '200',
    'Unknown expectations are ignored, as RFC 9110 allows',
    host,
    'Expect: tea',
    close,
  ),
  getRow(
    '`Content-Encoding: gzip`',
    '200',
    'A read has no body to decompress',
    host,
    'Content-Encoding: gzip',
    close,
  ),
  getRow(
    'an offer to upgrade to WebSocket',
    '200',
    versions,
    host,
    'Connection: Upgrade, close',
    'Upgrade: websocket',
  ),
  getRow(
    'an offer to upgrade to HTTP/2',
    '200',
    versions,
    host,
    'Connection: Upgrade, HTTP2-Settings, close',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  ),
  rawRow(
    'GET /v1/environment',
    'an absolute URL instead of the path',
    '200',
    'RFC 9112 requires servers to accept it',
    requestHead('GET http://localhost/v1/environment HTTP/1.1', host, close),
  ),
  rawRow(
    'GET /v1/environment',
    'an empty line before the request line',
    '200',
    'RFC 9112 asks servers to ignore it',
    requestHead('', getEnvironment, host, close),
  ),
  rawRow(
    'GET /v1/environment',
    'a `GET` with a body',
    '200',
    'The body of a read is ignored',
    `${requestHead(getEnvironment, host, 'Content-Type: text/plain', 'Content-Length: 3', close)}abc`,
  ),
  rawRow(
    'GET /v1/environment',
    '`HTTP/1.0` without `Host`',
    '200',
    'HTTP/1.0 does not require it',
    requestHead('GET /v1/environment HTTP/1.0'),
  ),
];
