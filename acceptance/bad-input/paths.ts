import type { Row } from './row.ts';

const get = (call: string, path: string, answer: string, why: string, title = path): Row => ({
  call,
  case: `\`${title}\``,
  answer,
  why,
  // Clients mend such paths before they send them.
  send: (scene) => scene.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
});

const badUrl = '400 InvalidRequest ?path';
const notUtf8 = 'Percent-encoded bytes of a path are UTF-8';
const notHere = 'What no id can be names nothing';
const places: [string, string, string][] = [
  ['GET /v1/tokens/:tokenId', '/v1/tokens/@', '404 TokenNotFound'],
  ['GET /v1/tokens/:tokenId/owners', '/v1/tokens/@/owners', '404 TokenNotFound'],
  ['GET /v1/operations/:operationId', '/v1/operations/@', '404 OperationNotFound'],
  ['GET /v1/communities/:communityId', '/v1/communities/@', '404 CommunityNotFound'],
  ['GET /v1/communities/:communityId/tokens', '/v1/communities/@/tokens', '404 CommunityNotFound'],
  ['GET /v1/wallets/:address/tokens', '/v1/wallets/@/tokens', '400 InvalidRequest ?address'],
  ['GET /images/token/:tokenId.:extension', '/images/token/@.png', '404 TokenNotFound'],
  ['GET /images/nft/:id.:extension', '/images/nft/@.png', '404 NftTypeNotFound'],
  ['GET /metadata/:tokenId', '/metadata/@', '404 TokenNotFound'],
];
const long = '9'.repeat(8_000);

const unknownPaths = [
  ...['/', '/nope', '/v1', '/v1/', '/v1/nope', '/v2/tokens', '/tokens', '/v1/Tokens', '/V1/tokens', '/.env'],
  ...['/v1//tokens', '//v1/tokens', '/v1/tokens/1/nope', '/v1/tokens%2F1', '/v1/tokens;a=b', '/v1/wallets'],
  ...['/images', '/images/token', '/images/token/1', '/metadata', '/wp-login.php'],
];
const traversals = [
  ...[
    '/v1/../v1/environment',
    '/../../etc/passwd',
    '/v1/tokens/../../healthz',
    '/images/token/../../etc/passwd.png',
  ],
  ...['/./v1/environment', '/images/nft/../../package.json'],
];

export const paths: Row[] = [
  ...places.flatMap(([call, path, unknown]) => [
    ...['%ff', '%c0%af', '%ed%a0%80', '%', '%zz'].map((part) =>
      get(call, path.replace('@', part), badUrl, notUtf8),
    ),
    ...['%00', '..%2f..%2fetc%2fpasswd', '%2e%2e', '%F0%9F%8E%96'].map((part) =>
      get(call, path.replace('@', part), unknown, notHere),
    ),
    get(
      call,
      path.replace('@', long),
      unknown,
      'A long id is looked up like any other',
      path.replace('@', '9 … (8,000 digits)'),
    ),
  ]),
  ...[
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e1',
    '0x1',
    '1%20',
    '%D9%A1',
    'abc',
    'null',
    '9223372036854775807',
    '9223372036854775808',
    '18446744073709551617',
  ].map((id) =>
    get(
      'GET /v1/tokens/:tokenId',
      `/v1/tokens/${id}`,
      '404 TokenNotFound',
      'A token id is a positive decimal integer, written in one way',
    ),
  ),
  ...[
    '00000000-0000-0000-0000-000000000000',
    '1',
    'g0000000-0000-0000-0000-000000000000',
    '%7B00000000-0000-0000-0000-000000000000%7D',
  ].map((id) =>
    get(
      'GET /v1/operations/:operationId',
      `/v1/operations/${id}`,
      '404 OperationNotFound',
      'An operation id is a UUID that was given out',
    ),
  ),
  ...['1.svg', '1.html', '1.PNG', '1.png%00', '0.png', '1.png.exe'].map((file) =>
    get(
      'GET /images/token/:tokenId.:extension',
      `/images/token/${file}`,
      '404 TokenNotFound',
      'Only a picture that is there has an address',
    ),
  ),
  ...['nothing.png', 'defaultOrangeRed.gif', 'DEFAULTORANGERED.png', '__proto__.png', 'constructor.png'].map(
    (file) =>
      get(
        'GET /images/nft/:id.:extension',
        `/images/nft/${file}`,
        '404 NftTypeNotFound',
        'Only a picture that is there has an address',
      ),
  ),
  ...['0', '{id}', `${'0'.repeat(63)}g`, 'f'.repeat(64), '1.json.json', '0x1'].map((id) =>
    get(
      'GET /metadata/:tokenId',
      `/metadata/${id}`,
      '404 TokenNotFound',
      'An id is decimal, or 64 hex digits',
    ),
  ),
  get(
    'GET /v1/tokens/:tokenId',
    '/v1/tokens/%0d%0aSet-Cookie:%20a=b',
    '404 TokenNotFound',
    'No header is made of what a path holds',
  ),
  ...unknownPaths.map((path) => get('GET', path, '404 NotFound', 'There is nothing there')),
  ...traversals.map((path) =>
    get('GET', path, '404 NotFound', 'Dots are names: no path is resolved, and none is of a file'),
  ),
  get('GET', '/%ff', badUrl, notUtf8),
];
