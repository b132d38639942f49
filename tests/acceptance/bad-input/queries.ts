import type { Fixture, Row } from './row.ts';

const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
type Listing = [route: string, path: (fixture: Fixture) => string];

const tokens: Listing = ['GET /v1/tokens', () => '/v1/tokens'];
const walletTokens: Listing = ['GET /v1/wallets/:address/tokens', () => `/v1/wallets/${address}/tokens`];
const auditLog: Listing = ['GET /v1/auditLog', () => '/v1/auditLog'];
const events: Listing = [
  'GET /v1/communities/:communityId/events',
  ({ communityId }) => `/v1/communities/${communityId}/events`,
];
const claimLinks: Listing = [
  'GET /v1/tokens/:tokenId/claimLinks',
  ({ openTokenId }) => `/v1/tokens/${openTokenId}/claimLinks`,
];
const communityTokens: Listing = [
  'GET /v1/communities/:communityId/tokens',
  ({ communityId }) => `/v1/communities/${communityId}/tokens`,
];
const listings: Listing[] = [
  tokens,
  walletTokens,
  communityTokens,
  [
    'GET /v1/communities/:communityId/nftTypes',
    ({ communityId }) => `/v1/communities/${communityId}/nftTypes`,
  ],
  ['GET /v1/communities/:communityId/apiKeys', ({ communityId }) => `/v1/communities/${communityId}/apiKeys`],
  [
    'GET /v1/communities/:communityId/webhooks',
    ({ communityId }) => `/v1/communities/${communityId}/webhooks`,
  ],
  ['GET /v1/communities/:communityId/members', ({ communityId }) => `/v1/communities/${communityId}/members`],
  ['GET /v1/communities', () => '/v1/communities'],
  ['GET /v1/tokens/:tokenId/owners', ({ openTokenId }) => `/v1/tokens/${openTokenId}/owners`],
  [
    'GET /v1/tokens/:tokenId/contributors',
    ({ allowlistedTokenId }) => `/v1/tokens/${allowlistedTokenId}/contributors`,
  ],
  claimLinks,
  auditLog,
];

const listingRow = (
  [call, path]: Listing,
  query: string,
  response: string,
  why: string,
  title = query,
): Row => ({
  call,
  case: `\`?${title}\``,
  response,
  why,
  send: (fixture) =>
    fixture.call(`${path(fixture)}?${query}`, {
      headers: { Authorization: `Bearer ${fixture.operatorKey}` },
    }),
});

const digitsRule = 'The value must be an integer in its range, in decimal digits only';
const onceRule = 'A parameter may be given only once';
const invalidNumbers: [string, string[]][] = [
  [
    'limit',
    [
      '-1',
      '1001',
      'abc',
      '1e2',
      '0x10',
      '1.5',
      '1.0',
      '+1',
      '%2B1',
      '%201',
      '%00',
      '%F0%9F%8E%96',
      'null',
      'NaN',
      'Infinity',
      '9'.repeat(400),
    ],
  ],
  [
    'offset',
    ['-1', '-0', 'abc', '1e2', '0x10', '1.5', '%00', '9007199254740992', '9'.repeat(30), '9'.repeat(400)],
  ],
];
const shorten = (value: string) => (value.length > 100 ? '9 … (400 digits)' : value);

const operationRow = (query: string, response: string, why: string): Row => ({
  call: 'GET /v1/operations/:operationId',
  case: `\`?${query}\``,
  response,
  why,
  send: (fixture) => fixture.call(`/v1/operations/00000000-0000-4000-8000-000000000000?${query}`),
});

const previewRow = (query: string, response: string, why: string, title = query): Row => ({
  call: 'GET /v1/communities/:communityId/nftTypes/:nftTypeId/preview',
  case: `\`?${title}\``,
  response,
  why,
  send: ({ call, key, communityId }) =>
    call(`/v1/communities/${communityId}/nftTypes/defaultOrangeRed/preview?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    }),
});

const queryRow = (call: string, path: (fixture: Fixture) => string, query: string, rest: QueryCase): Row => ({
  call,
  case: `\`?${query}\``,
  ...rest,
  send: (fixture) => fixture.call(`${path(fixture)}?${query}`),
});
type QueryCase = Pick<Row, 'response' | 'why'>;

const sizeRow = (query: string, response = '400 InvalidRequest ?size'): Row =>
  queryRow('GET /images/logo.png', () => '/images/logo.png', query, { response, why: sizeRule });
const oembedRow = (query: string, response: string, why: string): Row =>
  queryRow('GET /oembed', () => '/oembed', query, { response, why });

const rejectedRow = (listing: Listing, query: string, parameters: string[], why: string, title = query) =>
  listingRow(
    listing,
    query,
    `400 InvalidRequest ${parameters.map((name) => `?${name}`).join(' ')}`,
    why,
    title,
  );
const actionRule = '`action` must be the name of an audited action';
const uuidRule = '`apiKeyId` must be a UUID';
const timestampRule = 'A timestamp must be in milliseconds since 1970 UTC, from 0 to 8,640,000,000,000,000';
const withParameters = (count: number) =>
  Array.from({ length: count }, (_, index) => `limit${index}=`).join('&');
const unknownRule = 'Unknown parameters are ignored';
const sizeRule = 'A size is a whole number of pixels from 64 to 1,024. An empty one counts as absent';

const cursorRule = 'A cursor is the `nextCursor` of a response';

export const queryRows: Row[] = [
  ...['abc', '1', '-1-00000000', '01-00000000', '1-0000000', '1-0000000G', '1e3-00000000', '%00'].map(
    (cursor) => rejectedRow(events, `after=${cursor}`, ['after'], cursorRule),
  ),
  rejectedRow(events, `after=${'9'.repeat(65)}`, ['after'], cursorRule, 'after=9 … (65 digits)'),
  rejectedRow(events, 'after=1-00000000&after=1-00000000', ['after'], onceRule),
  rejectedRow(events, 'limit=0', ['limit'], 'A page of events has at least one'),
  ...['-1', '31', '1.5', 'abc'].map((wait) => rejectedRow(events, `wait=${wait}`, ['wait'], digitsRule)),
  listingRow(
    events,
    'after=999999999999999-00000000',
    '410 CursorExpired',
    'No response contained this cursor',
  ),
  ...listings.flatMap((listing) => [
    ...invalidNumbers.flatMap(([name, values]) =>
      values.map((value) =>
        rejectedRow(listing, `${name}=${value}`, [name], digitsRule, `${name}=${shorten(value)}`),
      ),
    ),
    rejectedRow(listing, 'limit=1&limit=2', ['limit'], onceRule),
    rejectedRow(listing, 'offset=1&offset=1', ['offset'], onceRule),
    rejectedRow(listing, 'limit=1001&offset=-1', ['limit', 'offset'], 'All errors are listed together'),
    listingRow(listing, 'limit=&offset=', '200', 'An empty parameter means its default'),
    listingRow(
      listing,
      withParameters(100),
      '200',
      'A query may have at most 100 parameters',
      'limit0=& … &limit99=',
    ),
    rejectedRow(
      listing,
      withParameters(101),
      ['query'],
      'A query may have at most 100 parameters',
      'limit0=& … &limit100=',
    ),
    listingRow(listing, 'limit=0', '200 empty', 'A page may have no items'),
    // Reading past the end of a long audit log can take more than a second, and then it fails with 503.
    ...(listing === auditLog
      ? []
      : [listingRow(listing, 'offset=9007199254740991', '200 empty', 'The offset is past the last item')]),
  ]),
  ...[tokens, communityTokens].flatMap((listing) => [
    ...['up', 'ASC', 'DESC', 'asc%00', '1'].map((order) =>
      rejectedRow(listing, `order=${order}`, ['order'], '`order` must be `asc` or `desc`'),
    ),
    rejectedRow(listing, 'order=asc&order=desc', ['order'], onceRule),
  ]),
  ...['held', 'burnt', 'true', 'CLAIMED', 'claimed%20', 'claimed,unclaimed', '%00'].map((status) =>
    rejectedRow(
      walletTokens,
      `claimStatus=${status}`,
      ['claimStatus'],
      '`claimStatus` must be `claimed` or `unclaimed`',
    ),
  ),
  rejectedRow(walletTokens, 'claimStatus=claimed&claimStatus=unclaimed', ['claimStatus'], onceRule),
  ...['new', 'true', 'USED', 'used%20', 'used,unused', '%00'].map((status) =>
    rejectedRow(
      claimLinks,
      `status=${status}`,
      ['status'],
      '`status` must be `unused`, `used`, `revoked` or `expired`',
    ),
  ),
  rejectedRow(claimLinks, 'status=used&status=unused', ['status'], onceRule),
  listingRow(claimLinks, 'status=', '200', 'An empty parameter means its default'),
  rejectedRow(walletTokens, 'communityId=a&communityId=b', ['communityId'], onceRule),
  rejectedRow(
    walletTokens,
    'limit=x&offset=-1&claimStatus=none',
    ['limit', 'offset', 'claimStatus'],
    'All errors are listed together',
  ),
  ...['%F0%9F%8E%96', '__proto__', 'c'.repeat(5_000)].map((id) =>
    listingRow(
      walletTokens,
      `communityId=${id}`,
      '200 empty',
      'A filter without matches returns an empty list',
      `communityId=${id.slice(0, 20)}`,
    ),
  ),
  ...['yes', 'maybe', '1', 'TRUE', '%00'].map((value) =>
    rejectedRow(communityTokens, `isHidden=${value}`, ['isHidden'], '`isHidden` must be `true` or `false`'),
  ),
  rejectedRow(communityTokens, 'isHidden=true&isHidden=true', ['isHidden'], onceRule),
  ...(
    [
      [walletTokens, 'communityId'],
      [communityTokens, 'headline'],
      [communityTokens, 'colour'],
      [auditLog, 'communityId'],
    ] as const
  ).map(([listing, name]) => rejectedRow(listing, `${name}=%00`, [name], 'PostgreSQL cannot store NUL')),
  rejectedRow(communityTokens, 'headline=a&headline=b', ['headline'], onceRule),
  rejectedRow(communityTokens, 'colour=a&colour=b', ['colour'], onceRule),
  rejectedRow(
    communityTokens,
    'a/b~=1&a%2Fb~=2&limit=x',
    ['a/b~', 'limit'],
    'A parameter may be given only once, and names are compared after percent-decoding',
  ),
  rejectedRow(
    communityTokens,
    `headline=${'h'.repeat(1_001)}`,
    ['headline'],
    'No headline is longer than 1,000 characters',
    'headline=h … (1,001 letters)',
  ),
  rejectedRow(
    communityTokens,
    `colour=${'v'.repeat(2_049)}`,
    ['colour'],
    'No attribute value is longer than 2,048 characters',
    'colour=v … (2,049 letters)',
  ),
  ...[
    '%00=a',
    '__proto__=1',
    'constructor=1',
    'toString=',
    'a[b][c]=1',
    "x'%22%5C;--=%27%20or%201=1",
    '%F0%9F%8E%96=%F0%9F%8E%96',
  ].map((query) =>
    listingRow(communityTokens, query, '200 empty', 'No token has such an attribute, so the list is empty'),
  ),
  ...(
    [
      ['action=hideToken', ['action'], actionRule],
      ['action=createtoken', ['action'], actionRule],
      ['action=claim&action=burn', ['action'], onceRule],
      ['apiKeyId=1', ['apiKeyId'], uuidRule],
      ['apiKeyId=%00', ['apiKeyId'], uuidRule],
      ['communityId=a&communityId=b', ['communityId'], onceRule],
      ['fromTimestamp=-1&beforeTimestamp=yesterday', ['fromTimestamp', 'beforeTimestamp'], timestampRule],
      ['beforeTimestamp=8640000000000001', ['beforeTimestamp'], timestampRule],
    ] as [string, string[], string][]
  ).map(([query, parameters, why]) => rejectedRow(auditLog, query, parameters, why)),
  ...['-1', '31', '1000000', 'abc', '1.5', '1e1', '0x1', '%00', '9'.repeat(30)].map((wait) =>
    operationRow(
      `wait=${wait}`,
      '400 InvalidRequest ?wait',
      '`wait` must be a number of seconds from 0 to 30, in decimal digits only',
    ),
  ),
  operationRow('wait=1&wait=2', '400 InvalidRequest ?wait', onceRule),
  operationRow('wait=30', '404 OperationNotFound', 'The service does not wait for an unknown operation'),
  previewRow('headline=', '400 InvalidRequest ?headline', 'An empty parameter counts as absent'),
  previewRow('headline=a&headline=b', '400 InvalidRequest ?headline', onceRule),
  previewRow('headline=%00', '400 InvalidRequest ?headline', 'Text must not contain NUL'),
  previewRow(
    `headline=${'h'.repeat(1_001)}`,
    '400 InvalidRequest ?headline',
    'No headline is longer than 1,000 characters',
    'headline=h … (1,001 letters)',
  ),
  ...[
    '%',
    '%zz',
    '%ff=%ff',
    '&&&=&',
    '?',
    '=',
    '__proto__=1&constructor=2',
    'a[b][c]=1',
    'cursor=abc&Limit=7',
  ].map((query) => listingRow(tokens, query, '200', unknownRule)),
  listingRow(tokens, `x=${'y'.repeat(8_000)}`, '200', unknownRule, 'x=y … (8,000 letters)'),
  ...['0', '63', '1025', '-64', '64.5', '1e2', '0x40', 'large', '64&size=64'].map((size) =>
    sizeRow(`size=${size}`),
  ),
  sizeRow('size=', '200'),
  oembedRow('', '400 InvalidRequest ?url', '`url` is required'),
  oembedRow('url=a&url=b', '400 InvalidRequest ?url', onceRule),
  ...['0', '-1', 'wide', '1.5'].map((width) =>
    oembedRow(
      `url=a&maxwidth=${width}`,
      '400 InvalidRequest ?maxwidth',
      'A width is a positive number of pixels',
    ),
  ),
  ...['token/1', '/token/1', 'https://other.example/token/1', 'javascript:alert(1)', '%00', 'http://'].map(
    (url) => oembedRow(`url=${url}`, '404 NotFound', 'There are embeds only for the pages of tokens here'),
  ),
  oembedRow('url=a&format=xml', '501 FormatNotSupported', 'oEmbed asks for this status'),
];
