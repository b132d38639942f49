import type { Row, Scene } from './row.ts';

const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
type Path = (scene: Scene) => string;

const tokens: [string, Path] = ['GET /v1/tokens', () => '/v1/tokens'];
const wallet: [string, Path] = ['GET /v1/wallets/:address/tokens', () => `/v1/wallets/${address}/tokens`];
const communityTokens: [string, Path] = [
  'GET /v1/communities/:communityId/tokens',
  ({ communityId }) => `/v1/communities/${communityId}/tokens`,
];
const listings: [string, Path][] = [
  tokens,
  wallet,
  communityTokens,
  [
    'GET /v1/communities/:communityId/nftTypes',
    ({ communityId }) => `/v1/communities/${communityId}/nftTypes`,
  ],
  ['GET /v1/communities/:communityId/apiKeys', ({ communityId }) => `/v1/communities/${communityId}/apiKeys`],
  ['GET /v1/communities', () => '/v1/communities'],
  ['GET /v1/tokens/:tokenId/owners', ({ openTokenId }) => `/v1/tokens/${openTokenId}/owners`],
  [
    'GET /v1/tokens/:tokenId/contributors',
    ({ allowlistedTokenId }) => `/v1/tokens/${allowlistedTokenId}/contributors`,
  ],
];

const read = (
  [call, path]: [string, Path],
  query: string,
  answer: string,
  why: string,
  title = query,
): Row => ({
  call,
  case: `\`?${title}\``,
  answer,
  why,
  send: (scene) =>
    scene.call(`${path(scene)}?${query}`, { headers: { Authorization: `Bearer ${scene.operatorKey}` } }),
});

const digits = 'A number of a query is plain decimal digits, in its range';
const once = 'Which of them is meant is not guessed';
const limits = [
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
];
const offsets = ['-1', 'abc', '1e2', '0x10', '1.5', '%00', '9007199254740992', '9'.repeat(400)];
const fewer = ['-1', '1001', 'abc', '1e2', '0x10'];
const short = (value: string) => (value.length > 100 ? '9 … (400 digits)' : value);
const wrong = (listing: [string, Path], name: string, value: string) =>
  read(listing, `${name}=${value}`, `400 InvalidRequest ?${name}`, digits, `${name}=${short(value)}`);

const operation = (query: string, answer: string, why: string): Row => ({
  call: 'GET /v1/operations/:operationId',
  case: `\`?${query}\``,
  answer,
  why,
  send: (scene) => scene.call(`/v1/operations/00000000-0000-4000-8000-000000000000?${query}`),
});

const noLargeQuery = 'A query that is unknown is ignored, however it is written';

export const queries: Row[] = [
  ...listings.flatMap((listing) => [
    ...limits
      .filter((value) => listing === tokens || fewer.includes(value))
      .map((value) => wrong(listing, 'limit', value)),
    ...offsets
      .filter((value) => listing === tokens || value === '-1' || value === '9007199254740992')
      .map((value) => wrong(listing, 'offset', value)),
    read(listing, 'limit=1&limit=2', '400 InvalidRequest ?limit', once),
    read(listing, 'offset=1&offset=1', '400 InvalidRequest ?offset', once),
    read(listing, 'limit=1001&offset=-1', '400 InvalidRequest ?limit ?offset', 'All faults are told at once'),
    read(listing, 'limit=&offset=', '200', 'Empty means the default'),
    read(listing, 'limit=0', '200 empty', 'None are asked for'),
    read(listing, 'offset=9007199254740991', '200 empty', 'There is nothing so far behind'),
  ]),
  ...[tokens, communityTokens].flatMap((listing) => [
    ...['up', 'ASC', 'asc%00', '1'].map((order) =>
      read(listing, `order=${order}`, '400 InvalidRequest ?order', '`asc` or `desc`'),
    ),
    read(listing, 'order=asc&order=desc', '400 InvalidRequest ?order', once),
  ]),
  ...['held', 'CLAIMED', 'claimed%20', '%00'].map((status) =>
    read(wallet, `claimStatus=${status}`, '400 InvalidRequest ?claimStatus', '`claimed` or `unclaimed`'),
  ),
  read(wallet, 'claimStatus=claimed&claimStatus=unclaimed', '400 InvalidRequest ?claimStatus', once),
  read(wallet, 'communityId=a&communityId=b', '400 InvalidRequest ?communityId', once),
  ...['%F0%9F%8E%96', '__proto__', 'c'.repeat(5_000)].map((id) =>
    read(
      wallet,
      `communityId=${id}`,
      '200 empty',
      'A filter that nothing fits is an empty list',
      `communityId=${id.slice(0, 20)}`,
    ),
  ),
  ...['yes', '1', 'TRUE', '%00'].map((value) =>
    read(communityTokens, `isHidden=${value}`, '400 InvalidRequest ?isHidden', '`true` or `false`'),
  ),
  ...(
    [
      [wallet, 'communityId'],
      [communityTokens, 'headline'],
      [communityTokens, 'colour'],
    ] as const
  ).map(([listing, name]) =>
    read(listing, `${name}=%00`, `400 InvalidRequest ?${name}`, 'PostgreSQL holds no NUL'),
  ),
  read(communityTokens, 'headline=a&headline=b', '400 InvalidRequest ?headline', once),
  read(communityTokens, 'colour=a&colour=b', '400 InvalidRequest ?colour', once),
  ...[
    '%00=a',
    '__proto__=1',
    'constructor=1',
    'toString=',
    'a[b][c]=1',
    "x'%22%5C;--=%27%20or%201=1",
    '%F0%9F%8E%96=%F0%9F%8E%96',
  ].map((query) =>
    read(communityTokens, query, '200 empty', 'No token has such an attribute or headline: an empty list'),
  ),
  ...['-1', '31', 'abc', '1.5', '1e1', '0x1', '%00', '9'.repeat(30)].map((wait) =>
    operation(`wait=${wait}`, '400 InvalidRequest ?wait', 'Whole seconds, 0 to 30'),
  ),
  operation('wait=1&wait=2', '400 InvalidRequest ?wait', once),
  operation('wait=30', '404 OperationNotFound', 'Nothing is waited for that is not there'),
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
  ].map((query) => read(tokens, query, '200', noLargeQuery)),
  read(tokens, `x=${'y'.repeat(8_000)}`, '200', noLargeQuery, 'x=y … (8,000 letters)'),
];
