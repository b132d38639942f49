import {
  keylessRouteNames,
  operatorRouteNames,
  type RouteName,
  routeNames,
  routes,
  tokenRouteNames,
} from './routes.ts';
import { type Change, type Fixture, type Headers, type Row, rowWithChange } from './row.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });
const xKey = (key: string): Headers => ({ 'X-API-Key': key });
const basic = (communityId: string, key: string): Headers => ({
  Authorization: `Basic ${base64(`${communityId}:${key}`)}`,
});
const mistype = (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');

type HeadersOf = (fixture: Fixture) => Headers;

/** A row that sends a valid request with these headers instead of its key. */
const rowWithHeaders = (
  route: RouteName,
  [title, response, why]: [string, string, string],
  headersOf: HeadersOf,
  change: Omit<Change, 'headers'> = {},
): Row => ({
  call: routes[route],
  case: title,
  response,
  why,
  send: (fixture) =>
    fixture.send(route, {
      ...change,
      headers: ({ 'X-API-Key': _key, ...rest }) => ({ ...rest, ...headersOf(fixture) }),
    }),
});

const keyRoutes = routeNames.filter((route) => !keylessRouteNames.includes(route));
const operatorRoutes = routeNames.filter((route) => operatorRouteNames.includes(route));
const communityRoutes = keyRoutes.filter((route) => !operatorRoutes.includes(route));

const keyRequired = '401 ApiKeyRequired';
const invalidKey = '401 InvalidApiKey';
const keyNotAllowed = '403 ApiKeyNotAllowed';
const sameForWrongKeys = 'Unknown, malformed and revoked keys get the same response';
const takesPrecedence = '`X-API-Key` takes precedence, because a gateway may use `Authorization` for itself';
const ownCommunity = 'A key is valid for its own community only';
const needsOperatorKey = "This call needs the operator's key";
const roleNotAllowed = '403 RoleNotAllowed';
const needsOwner = 'This call needs the role `owner`, and the key is an editor';

const rejected: [string, string, HeadersOf][] = [
  ['`Authorization: Bearer` without a key', invalidKey, () => ({ Authorization: 'Bearer' })],
  ['the key without a scheme', invalidKey, ({ key }) => ({ Authorization: key })],
  ['the scheme `Digest`', invalidKey, ({ key }) => ({ Authorization: `Digest ${key}` })],
  ['two keys in one header', invalidKey, ({ key }) => bearer(`${key} ${key}`)],
  ['two keys with a comma between them', invalidKey, ({ key }) => xKey(`${key}, ${key}`)],
  ['Basic without valid base64', invalidKey, () => ({ Authorization: 'Basic %%%' })],
  ['Basic without a colon', invalidKey, ({ key }) => ({ Authorization: `Basic ${base64(key)}` })],
  ['an empty `X-API-Key`', keyRequired, () => xKey('')],
  ['an empty `Authorization`', keyRequired, () => ({ Authorization: '' })],
  ['a word', invalidKey, () => xKey('secret')],
  ['8,000 letters', invalidKey, () => xKey('k'.repeat(8_000))],
  ['the key in upper case', invalidKey, ({ key }) => bearer(key.toUpperCase())],
  ['the key without its last letter', invalidKey, ({ key }) => bearer(key.slice(0, -1))],
  ['the key with its last letter changed', invalidKey, ({ key }) => bearer(mistype(key))],
  ['a production key', invalidKey, ({ key }) => bearer(key.replace('sandbox', 'production'))],
  ["the key's prefix", invalidKey, ({ key }) => bearer(key.slice(0, 'badge_sandbox_'.length + 4))],
  ['Latin-1', invalidKey, () => xKey('cl\u00e9')],
  ['SQL', invalidKey, () => xKey("' or 1=1 --")],
  ['Basic with another community', invalidKey, ({ key }) => basic('demo', key)],
  ['Basic with an unknown community', invalidKey, ({ key }) => basic('nobody', key)],
  ['Basic without a community', invalidKey, ({ key }) => basic('', key)],
  [
    'Basic with the community in upper case',
    invalidKey,
    ({ key, communityId }) => basic(communityId.toUpperCase(), key),
  ],
  ['Basic with a wrong key', invalidKey, ({ key, communityId }) => basic(communityId, mistype(key))],
];
const accepted: [string, HeadersOf][] = [
  ['the key as `Bearer`', ({ key }) => bearer(key)],
  ['the key as `bearer`', ({ key }) => ({ Authorization: `bearer ${key}` })],
  ['the key as `X-API-Key`', ({ key }) => xKey(key)],
  [
    'the key as Basic password, with its community as user',
    ({ key, communityId }) => basic(communityId, key),
  ],
  ["the operator's key", ({ operatorKey }) => bearer(operatorKey)],
];

/** Calls without a JSON body that need a key. */
const otherCalls: [
  call: string,
  access: 'community' | 'owner' | 'operator',
  path: (fixture: Fixture) => string,
][] = [
  [
    'GET /v1/tokens/:tokenId/contributors',
    'community',
    (fixture) => `/v1/tokens/${fixture.openTokenId}/contributors`,
  ],
  [
    'GET /v1/tokens/:tokenId/claimLinks',
    'community',
    (fixture) => `/v1/tokens/${fixture.openTokenId}/claimLinks`,
  ],
  [
    'DELETE /v1/tokens/:tokenId/claimLinks/:claimLinkId',
    'community',
    (fixture) => `/v1/tokens/${fixture.openTokenId}/claimLinks/00000000-0000-4000-8000-000000000000`,
  ],
  [
    'GET /v1/communities/:communityId/configuration',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/configuration`,
  ],
  [
    'GET /v1/communities/:communityId/nftTypes',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/nftTypes`,
  ],
  [
    'POST /v1/communities/:communityId/nftTypes',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/nftTypes`,
  ],
  [
    'DELETE /v1/communities/:communityId/nftTypes/:nftTypeId',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/nftTypes/defaultOrangeRed`,
  ],
  ...['true', 'false', 'maybe'].map((value): (typeof otherCalls)[number] => [
    `GET /v1/communities/:communityId/tokens?isHidden=${value}`,
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/tokens?isHidden=${value}`,
  ]),
  [
    'GET /v1/communities/:communityId/managedCreator',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/managedCreator`,
  ],
  ['GET /v1/communities', 'operator', () => '/v1/communities'],
  [
    'GET /v1/communities/:communityId/members',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/members`,
  ],
  [
    'GET /v1/communities/:communityId/events',
    'community',
    (fixture) => `/v1/communities/${fixture.communityId}/events`,
  ],
  [
    'DELETE /v1/communities/:communityId/members/:address',
    'owner',
    (fixture) => `/v1/communities/${fixture.communityId}/members/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044`,
  ],
  [
    'GET /v1/communities/:communityId/apiKeys',
    'owner',
    (fixture) => `/v1/communities/${fixture.communityId}/apiKeys`,
  ],
  [
    'DELETE /v1/communities/:communityId/apiKeys/:apiKeyId',
    'owner',
    (fixture) => `/v1/communities/${fixture.communityId}/apiKeys/00000000-0000-4000-8000-000000000000`,
  ],
  [
    'GET /v1/communities/:communityId/webhooks',
    'owner',
    (fixture) => `/v1/communities/${fixture.communityId}/webhooks`,
  ],
  ['GET /v1/auditLog', 'operator', () => '/v1/auditLog'],
];
const otherRows = otherCalls.flatMap(([call, access, path]) => {
  const row = (title: string, response: string, why: string, headersOf: HeadersOf): Row => ({
    call,
    case: title,
    response,
    why,
    send: (fixture) =>
      fixture.call(path(fixture), { method: call.split(' ')[0] ?? '', headers: headersOf(fixture) }),
  });
  const forbidden = {
    community: row('the key of another community', keyNotAllowed, ownCommunity, ({ otherKey }) =>
      xKey(otherKey),
    ),
    owner: row("a community's key", roleNotAllowed, needsOwner, ({ key }) => xKey(key)),
    operator: row("a community's key", keyNotAllowed, needsOperatorKey, ({ key }) => xKey(key)),
  };
  // An invalid query is rejected before the key's community is checked.
  const isInvalidQuery = call.endsWith('=maybe');
  return [
    row('no key', keyRequired, 'This call needs a key', () => ({})),
    row('a wrong key', invalidKey, sameForWrongKeys, () => xKey('wrong')),
    row('a revoked key', invalidKey, sameForWrongKeys, ({ revokedKey }) => bearer(revokedKey)),
    row(
      'a wrong `X-API-Key` and a valid `Authorization`',
      invalidKey,
      takesPrecedence,
      ({ operatorKey }) => ({
        ...bearer(operatorKey),
        ...xKey('wrong'),
      }),
    ),
    ...(isInvalidQuery ? [] : [forbidden[access]]),
  ];
});

const publicReads: [call: string, path: (fixture: Fixture) => string][] = [
  ['GET /v1/tokens', () => '/v1/tokens?limit=1'],
  ['GET /v1/tokens/:tokenId', ({ openTokenId }) => `/v1/tokens/${openTokenId}`],
  ['GET /v1/tokens/:tokenId/owners', ({ openTokenId }) => `/v1/tokens/${openTokenId}/owners`],
  ['GET /v1/wallets/:address/tokens', () => '/v1/wallets/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044/tokens'],
  ['GET /v1/communities/:communityId', ({ communityId }) => `/v1/communities/${communityId}`],
  ['GET /v1/communities/:communityId/tokens', ({ communityId }) => `/v1/communities/${communityId}/tokens`],
  ['GET /v1/environment', () => '/v1/environment'],
  ['GET /metadata/:tokenId', ({ openTokenId }) => `/metadata/${openTokenId}`],
];
const publicRows = publicReads.flatMap(([call, path]) =>
  (
    [
      ['a wrong key', () => bearer('wrong')],
      ['a valid key', ({ key }) => bearer(key)],
      ['two wrong keys', () => ({ ...bearer('wrong'), ...xKey('wrong') })],
      ['a wrong Basic key and a wrong `X-API-Key`', () => ({ ...basic('nobody', 'x'), ...xKey('wrong') })],
    ] as [string, HeadersOf][]
  ).map(
    ([title, headersOf]): Row => ({
      call,
      case: title,
      response: '200',
      why: 'Public reads ignore keys',
      send: (fixture) => fixture.call(path(fixture), { headers: headersOf(fixture) }),
    }),
  ),
);

const idempotencyKeyRow = (title: string, key: string): Row =>
  rowWithChange(
    'createToken',
    {
      case: `an \`Idempotency-Key\`: ${title}`,
      response: '400 InvalidRequest ?Idempotency-Key',
      why: '1 to 255 visible ASCII characters',
    },
    { headers: (valid) => ({ ...valid, 'Idempotency-Key': key }) },
  );

const checkedBeforeBody = 'The key is checked before the body';
const wrongHeadline: Change = { body: (valid) => ({ ...valid, headline: '' }) };
const unknownCommunity: Change = { body: (valid) => ({ ...valid, communityId: 'nobody' }) };

export const keyRows: Row[] = [
  ...keyRoutes.map((route) =>
    rowWithHeaders(route, ['no key', keyRequired, 'This call needs a key'], () => ({})),
  ),
  ...keyRoutes.map((route) =>
    rowWithHeaders(route, ['a revoked key', invalidKey, sameForWrongKeys], ({ revokedKey }) =>
      bearer(revokedKey),
    ),
  ),
  ...communityRoutes.map((route) =>
    rowWithHeaders(route, ['the key of another community', keyNotAllowed, ownCommunity], ({ otherKey }) =>
      xKey(otherKey),
    ),
  ),
  ...communityRoutes
    .filter((route) => tokenRouteNames.includes(route))
    .map((route) =>
      rowWithHeaders(
        route,
        [
          'the key of another community, for an unknown token',
          '404 TokenNotFound',
          "The token is looked up before its community is compared with the key's community",
        ],
        ({ otherKey }) => xKey(otherKey),
        { path: (valid) => valid.replace(/tokens\/\d+/, 'tokens/9000000000000000') },
      ),
    ),
  ...(
    [
      ['the key of another community', keyNotAllowed, ({ otherKey }) => xKey(otherKey)],
      ['a revoked key', invalidKey, ({ revokedKey }) => bearer(revokedKey)],
      ['a wrong key', invalidKey, ({ key }) => xKey(mistype(key))],
      ['a wrong bearer key', invalidKey, ({ key }) => bearer(mistype(key))],
      ['Basic with another community', invalidKey, ({ key }) => basic('demo', key)],
      ['Basic with a wrong key', invalidKey, ({ key, communityId }) => basic(communityId, mistype(key))],
      [
        'a wrong `X-API-Key` and a valid `Authorization`',
        invalidKey,
        ({ key }) => ({ ...bearer(key), ...xKey('wrong') }),
      ],
    ] as [string, string, HeadersOf][]
  ).flatMap(([title, response, headersOf]) => [
    rowWithHeaders(
      'claim',
      [`${title}, and a valid signature`, response, 'A key is checked whenever it is sent'],
      headersOf,
    ),
    rowWithHeaders(
      'claim',
      [`${title}, without a signature`, response, 'A key is checked whenever it is sent'],
      headersOf,
      { body: ({ signature: _signature, ...rest }) => rest },
    ),
  ]),
  ...operatorRoutes.map((route) =>
    rowWithHeaders(
      route,
      route === 'createCommunity'
        ? ["a community's key", keyNotAllowed, needsOperatorKey]
        : ["a community's key", roleNotAllowed, needsOwner],
      ({ key }) => xKey(key),
    ),
  ),
  ...rejected.map(([title, response, headersOf]) =>
    rowWithHeaders(
      'createToken',
      [title, response, response === invalidKey ? sameForWrongKeys : 'An empty header counts as no key'],
      headersOf,
    ),
  ),
  ...accepted.map(([title, headersOf]) =>
    rowWithHeaders('createToken', [title, '202', 'Every way to send a key is accepted'], headersOf),
  ),
  ...keyRoutes.map((route) =>
    rowWithHeaders(
      route,
      ['a wrong `X-API-Key` and a valid `Authorization`', invalidKey, takesPrecedence],
      ({ key }) => ({
        ...bearer(key),
        ...xKey('wrong'),
      }),
    ),
  ),
  ...(
    [
      ['a wrong bearer key', () => bearer('wrong')],
      ['an unknown scheme', () => ({ Authorization: 'Digest wrong' })],
      ['a word', () => ({ Authorization: 'wrong' })],
      ['the key as Basic', ({ key, communityId }) => basic(communityId, key)],
      ["a gateway's Basic credentials", () => basic('gateway', 'secret')],
      ['the key of another community', ({ otherKey }) => bearer(otherKey)],
    ] as [string, HeadersOf][]
  ).map(([title, headersOf]) =>
    rowWithHeaders(
      'createToken',
      [`the key as \`X-API-Key\`, and \`Authorization\` with ${title}`, '202', takesPrecedence],
      (fixture) => ({
        ...headersOf(fixture),
        ...xKey(fixture.key),
      }),
    ),
  ),
  ...['apiKey', 'api_key', 'key', 'access_token', 'X-API-Key'].map(
    (name): Row => ({
      call: routes.createToken,
      case: `the key in the query, as \`${name}\``,
      response: keyRequired,
      why: 'Proxies and browsers store URLs, so keys in them are ignored',
      send: (fixture) =>
        fixture.send('createToken', {
          headers: ({ 'X-API-Key': _key, ...rest }) => rest,
          path: (valid) => `${valid}?${name}=${fixture.key}`,
        }),
    }),
  ),
  {
    call: routes.createToken,
    case: 'the key in the body',
    response: keyRequired,
    why: checkedBeforeBody,
    send: (fixture) =>
      fixture.send('createToken', {
        headers: ({ 'X-API-Key': _key, ...rest }) => rest,
        body: (valid) => ({ ...valid, apiKey: fixture.key }),
      }),
  },
  rowWithHeaders(
    'createToken',
    ['a body that is not JSON, without a key', keyRequired, checkedBeforeBody],
    () => ({}),
    {
      text: () => '{',
    },
  ),
  rowWithHeaders(
    'createToken',
    ['an unknown community, without a key', keyRequired, checkedBeforeBody],
    () => ({}),
    unknownCommunity,
  ),
  rowWithHeaders(
    'createToken',
    ['a wrong headline and a wrong key', invalidKey, checkedBeforeBody],
    ({ key }) => bearer(mistype(key)),
    wrongHeadline,
  ),
  ...otherRows,
  ...publicRows,
  idempotencyKeyRow('256 letters', 'k'.repeat(256)),
  idempotencyKeyRow('empty', ''),
  idempotencyKeyRow('Latin-1', 'cl\u00e9'),
  idempotencyKeyRow('two words', 'two words'),
  idempotencyKeyRow('two letters with a tab between them', 'a\tb'),
];
