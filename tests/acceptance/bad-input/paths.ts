import { tokenRouteNames } from './routes.ts';
import { type Row, rowWithChange } from './row.ts';

/** A row that writes its path to the socket unchanged. HTTP clients would normalize it. */
const rawRow = (call: string, path: string, response: string, why: string, title = path): Row => ({
  call,
  case: `\`${title}\``,
  response,
  why,
  send: (fixture) =>
    fixture.write(
      [
        `${call.split(' ')[0]} ${path} HTTP/1.1`,
        'Host: localhost',
        `X-API-Key: ${fixture.operatorKey}`,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    ),
});

const badUrl = '400 InvalidRequest ?path';
const notUtf8 = 'In a path, `%` must begin a percent-encoded byte, and these bytes must be UTF-8';
const noSuchForm = 'No id or address has this form';
/**
 * Calls with an id or address in the path, written as `@`. The response is for a malformed id or address,
 * or for an unknown id.
 */
const idPaths: [call: string, path: string, response: string][] = [
  ['GET /v1/tokens/:tokenId', '/v1/tokens/@', '404 TokenNotFound'],
  ['GET /v1/tokens/:tokenId/owners', '/v1/tokens/@/owners', '404 TokenNotFound'],
  ['GET /v1/tokens/:tokenId/owners/:address', '/v1/tokens/1/owners/@', '400 InvalidRequest ?address'],
  [
    'GET /v1/tokens/:tokenId/credentials/:address',
    '/v1/tokens/1/credentials/@',
    '400 InvalidRequest ?address',
  ],
  ['GET /v1/tokens/:tokenId/contributors', '/v1/tokens/@/contributors', '404 TokenNotFound'],
  ['GET /v1/tokens/:tokenId/claimLinks', '/v1/tokens/@/claimLinks', '404 TokenNotFound'],
  [
    'DELETE /v1/tokens/:tokenId/claimLinks/:claimLinkId',
    '/v1/tokens/1/claimLinks/@',
    '404 ClaimLinkNotFound',
  ],
  [
    'GET /v1/tokens/:tokenId/eligibility',
    '/v1/tokens/@/eligibility?address=0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    '404 TokenNotFound',
  ],
  ['GET /v1/operations/:operationId', '/v1/operations/@', '404 OperationNotFound'],
  ['GET /v1/communities/:communityId', '/v1/communities/@', '404 CommunityNotFound'],
  ['GET /v1/communities/:communityId/tokens', '/v1/communities/@/tokens', '404 CommunityNotFound'],
  ['GET /v1/communities/:communityId/issuerKeys', '/v1/communities/@/issuerKeys', '404 CommunityNotFound'],
  ['GET /status/:listId', '/status/@', '404 StatusListNotFound'],
  ['GET /v1/communities/:communityId/nftTypes', '/v1/communities/@/nftTypes', '404 CommunityNotFound'],
  ['GET /v1/communities/:communityId/apiKeys', '/v1/communities/@/apiKeys', '404 CommunityNotFound'],
  [
    'GET /v1/communities/:communityId/managedCreator',
    '/v1/communities/@/managedCreator',
    '404 CommunityNotFound',
  ],
  ['GET /v1/communities/:communityId/webhooks', '/v1/communities/@/webhooks', '404 CommunityNotFound'],
  [
    'DELETE /v1/communities/:communityId/webhooks/:webhookId',
    '/v1/communities/demo/webhooks/@',
    '404 WebhookNotFound',
  ],
  ['GET /v1/communities/:communityId/members', '/v1/communities/@/members', '404 CommunityNotFound'],
  ['GET /v1/communities/:communityId/events', '/v1/communities/@/events', '404 CommunityNotFound'],
  [
    'DELETE /v1/communities/:communityId/members/:address',
    '/v1/communities/demo/members/@',
    '400 InvalidRequest ?address',
  ],
  [
    'GET /v1/communities/:communityId/configuration',
    '/v1/communities/@/configuration',
    '404 CommunityNotFound',
  ],
  ['GET /v1/wallets/:address/tokens', '/v1/wallets/@/tokens', '400 InvalidRequest ?address'],
  ['GET /images/token/:tokenId.:extension', '/images/token/@.png', '404 TokenNotFound'],
  ['GET /images/nft/:id.:extension', '/images/nft/@.png', '404 NftTypeNotFound'],
  ['GET /metadata/:tokenId', '/metadata/@', '404 TokenNotFound'],
  [
    'DELETE /v1/communities/:communityId/nftTypes/:nftTypeId',
    '/v1/communities/demo/nftTypes/@',
    '404 NftTypeNotFound',
  ],
  [
    'GET /v1/communities/:communityId/nftTypes/:nftTypeId/preview',
    '/v1/communities/demo/nftTypes/@/preview?headline=A',
    '404 NftTypeNotFound',
  ],
  [
    'DELETE /v1/communities/:communityId/apiKeys/:apiKeyId',
    '/v1/communities/demo/apiKeys/@',
    '404 ApiKeyNotFound',
  ],
];

const nines = '9'.repeat(30);
const uuid = '00000000-0000-4000-8000-000000000000';
const unknownTokenIds = [
  '0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1.5',
  '1e0',
  '1e1',
  '0x1',
  '1%20',
  '%201',
  '%D9%A1',
  'abc',
  'null',
  '1;',
  "1'",
  '1%00',
  '999999999999',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551617',
  nines,
];
const tokenIdRule =
  'A token id is a positive decimal integer without leading zeros, and its token must exist';

/** Ids that match nothing, by the call that looks them up. */
const unknownIds: [call: string, path: string, response: string, why: string, ids: string[]][] = [
  ['GET /v1/tokens/:tokenId', '/v1/tokens/@', '404 TokenNotFound', tokenIdRule, unknownTokenIds],
  [
    'GET /v1/tokens/:tokenId/owners',
    '/v1/tokens/@/owners',
    '404 TokenNotFound',
    tokenIdRule,
    ['0', '01', '1.0', 'abc', '9000000000000000'],
  ],
  [
    'GET /v1/tokens/:tokenId/contributors',
    '/v1/tokens/@/contributors',
    '404 TokenNotFound',
    tokenIdRule,
    ['0', 'abc', '9000000000000000'],
  ],
  [
    'GET /v1/tokens/:tokenId/eligibility',
    '/v1/tokens/@/eligibility?address=0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    '404 TokenNotFound',
    tokenIdRule,
    ['0', '01', 'abc', '9000000000000000'],
  ],
  [
    'GET /v1/operations/:operationId',
    '/v1/operations/@',
    '404 OperationNotFound',
    'An operation id is a UUID that the service has returned',
    [
      '00000000-0000-0000-0000-000000000000',
      uuid,
      `${uuid}x`,
      uuid.slice(0, -1),
      `%7B${uuid}%7D`,
      uuid.replaceAll('-', ''),
      uuid.replace('0', 'g'),
      '1',
      'abc',
      'null',
      "'",
    ],
  ],
  [
    'GET /v1/communities/:communityId',
    '/v1/communities/@',
    '404 CommunityNotFound',
    'Ids are case-sensitive and exact',
    ['nobody', 'DEMO', 'demo%20', "demo'", 'demo%00', 'demo%2fconfiguration', 'd'.repeat(500)],
  ],
  [
    'DELETE /v1/communities/:communityId/nftTypes/:nftTypeId',
    '/v1/communities/demo/nftTypes/@',
    '404 NftTypeNotFound',
    'Ids are case-sensitive and exact',
    ['nothing', 'DEFAULTORANGERED', 'x'.repeat(500)],
  ],
  [
    'DELETE /v1/communities/:communityId/apiKeys/:apiKeyId',
    '/v1/communities/demo/apiKeys/@',
    '404 ApiKeyNotFound',
    'Only an existing key of this community can be revoked',
    [uuid, 'x%00', '1'],
  ],
  [
    'GET /images/token/:tokenId.:extension',
    '/images/token/@',
    '404 TokenNotFound',
    'There is no such image',
    [
      '0.svg',
      '1.svgz',
      '1.html',
      '1.PNG',
      '1.png%00',
      '0.png',
      '1.png.exe',
      '999999999999.png',
      '-1.png',
      'abc.png',
      `${nines}.png`,
    ],
  ],
  [
    'GET /images/nft/:id.:extension',
    '/images/nft/@',
    '404 NftTypeNotFound',
    'There is no such image',
    [
      'nothing.png',
      'defaultNothing.png',
      'defaultOrangeRed.gif',
      'DEFAULTORANGERED.png',
      '__proto__.png',
      'constructor.png',
    ],
  ],
  [
    'GET /metadata/:tokenId',
    '/metadata/@',
    '404 TokenNotFound',
    'An id is decimal, or 64 hex digits, and its token must exist',
    [
      '0',
      '-1',
      'abc',
      '1e3',
      '.json',
      '{id}',
      '1.json.json',
      '0x1',
      '999999999999',
      nines,
      '0'.repeat(63),
      '0'.repeat(64),
      'f'.repeat(64),
      `${'0'.repeat(63)}g`,
      `0x${'0'.repeat(63)}1`,
    ],
  ],
];
const longId = '9'.repeat(8_000);
const shorten = (path: string) =>
  path.length > 200 ? `${path.slice(0, 40)} … (${path.length} characters)` : path;

const unknownPaths = [
  '/index.php',
  '/nope',
  '/v1',
  '/v1/',
  '/v1/nope',
  '/v1/nope?limit=x',
  '/v2/tokens',
  '/tokens',
  '/v1/Tokens',
  '/V1/tokens',
  '/.env',
  '/v1//tokens',
  '//v1/tokens',
  '/v1/tokens/1/nope',
  '/v1/tokens%2F1',
  '/v1/tokens;a=b',
  '/v1/wallets',
  '/v1/wallets/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
  '/v1/operations',
  '/v1/%F0%9F%8E%96',
  '/images',
  '/images/token',
  '/images/token/1',
  '/metadata',
  '/wp-login.php',
  '/v1//communities/demo/configuration',
  '//v1/communities/demo/configuration',
  '/V1/communities/demo/configuration',
  '/v1/Communities/demo/configuration',
  '/v1/communities/demo/configuration;x=1',
  '/v1/communities/demo/configuration%2f',
  '/v1/communities/demo/configuration%00',
];
const traversals = [
  '/v1/../v1/environment',
  '/../../etc/passwd',
  '/v1/tokens/../../healthz',
  '/./v1/environment',
  '/images/token/../../etc/passwd.png',
  '/images/nft/../../package.json',
  '/docs/../v1/communities/demo/configuration',
  ...['..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '..%5c..%5cpackage.json'].map(
    (path) => `/docs/static/${path}`,
  ),
  ...['other/../demo', 'other/%2e%2e/demo'].map((path) => `/v1/communities/${path}/configuration`),
  '/v1/./communities/demo/configuration',
];

export const pathRows: Row[] = [
  ...idPaths.flatMap(([call, path, response]) => [
    ...['%ff', '%c0%af', '%ed%a0%80', '%', '%zz'].map((part) =>
      rawRow(call, path.replace('@', part), badUrl, notUtf8),
    ),
    ...['%00', '..%2f..%2fetc%2fpasswd', '%2e%2e', '%F0%9F%8E%96'].map((part) =>
      rawRow(call, path.replace('@', part), response, noSuchForm),
    ),
    rawRow(
      call,
      path.replace('@', longId),
      response,
      'A long id or address is treated like any other',
      path.replace('@', '9 … (8,000 digits)'),
    ),
  ]),
  ...unknownIds.flatMap(([call, path, response, why, ids]) =>
    ids.map((id) => rawRow(call, path.replace('@', id), response, why, shorten(path.replace('@', id)))),
  ),
  ...tokenRouteNames.flatMap((route) =>
    ['9000000000000000', '0', '01', '1.0', '-1', 'abc', '1%00', '99999999999999999999'].map((tokenId) =>
      rowWithChange(
        route,
        { case: `the token \`${tokenId}\``, response: '404 TokenNotFound', why: tokenIdRule },
        { path: (valid) => valid.replace(/tokens\/\d+/, `tokens/${tokenId}`) },
      ),
    ),
  ),
  rawRow(
    'GET /v1/tokens/:tokenId',
    '/v1/tokens/%0d%0aSet-Cookie:%20a=b',
    '404 TokenNotFound',
    'Text from the path is never written to a header',
  ),
  ...unknownPaths.map((path) => rawRow('GET', path, '404 NotFound', 'There is no such path')),
  ...traversals.map((path) =>
    rawRow('GET', path, '404 NotFound', 'Dot segments are not resolved, and paths are not file names'),
  ),
  rawRow('GET', '/%ff', badUrl, notUtf8),
];
