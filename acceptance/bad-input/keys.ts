import { changed, type RouteName, routeNames, routes } from './routes.ts';
import type { Row, Scene } from './row.ts';

type Headers = Record<string, string>;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });
const xKey = (key: string): Headers => ({ 'X-API-Key': key });

/** Sends a right request with these headers in place of its key. */
const keyed = (
  route: RouteName,
  [title, answer, why]: [string, string, string],
  headersOf: (scene: Scene) => Headers,
): Row => ({
  call: routes[route],
  case: title,
  answer,
  why,
  send: (scene) =>
    scene.send(route, {
      headers: ({ 'X-API-Key': _key, ...rest }) => ({ ...rest, ...headersOf(scene) }),
    }),
});

const withKey = routeNames.filter((route) => route !== 'claim' && route !== 'burn');
const ofOperator: RouteName[] = ['createCommunity', 'updateCommunity', 'createApiKey'];
const ofCommunity = withKey.filter((route) => !ofOperator.includes(route));

const required = '401 ApiKeyRequired';
const invalid = '401 InvalidApiKey';
const notAllowed = '403 ApiKeyNotAllowed';
const unknown = 'No such key was given out, or not any more; which of the two is not told';
const one = 'Which of them counts is not guessed';

const malformed: [string, string, (scene: Scene) => Headers][] = [
  ['`Authorization: Bearer` alone', invalid, () => ({ Authorization: 'Bearer' })],
  ['the key without a scheme', invalid, ({ key }) => ({ Authorization: key })],
  ['the scheme `Digest`', invalid, ({ key }) => ({ Authorization: `Digest ${key}` })],
  ['two keys in one header', invalid, ({ key }) => bearer(`${key} ${key}`)],
  ['two keys behind a comma', invalid, ({ key }) => xKey(`${key}, ${key}`)],
  ['Basic that is no base64', invalid, () => ({ Authorization: 'Basic %%%' })],
  ['Basic without a colon', invalid, ({ key }) => ({ Authorization: `Basic ${base64(key)}` })],
  ['an empty `X-API-Key`', required, () => xKey('')],
  ['an empty `Authorization`', required, () => ({ Authorization: '' })],
  ['a word', invalid, () => xKey('secret')],
  ['8,000 letters', invalid, () => xKey('k'.repeat(8_000))],
  ['the key in capitals', invalid, ({ key }) => bearer(key.toUpperCase())],
  ['the key but its last letter', invalid, ({ key }) => bearer(key.slice(0, -1))],
  [
    'the key with its last letter changed',
    invalid,
    ({ key }) => bearer(key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')),
  ],
  ['a key for production', invalid, ({ key }) => bearer(key.replace('sandbox', 'production'))],
  ['the key’s prefix', invalid, ({ key }) => bearer(key.slice(0, 18))],
  ['Latin-1', invalid, () => xKey('cl\u00e9')],
  ['SQL', invalid, () => xKey("' or 1=1 --")],
  [
    'Basic with another community',
    invalid,
    ({ key }) => ({ Authorization: `Basic ${base64(`demo:${key}`)}` }),
  ],
  ['Basic with no community', invalid, ({ key }) => ({ Authorization: `Basic ${base64(`:${key}`)}` })],
  [
    'Basic with the community in capitals',
    invalid,
    ({ key, communityId }) => ({ Authorization: `Basic ${base64(`${communityId.toUpperCase()}:${key}`)}` }),
  ],
];

const idempotencyKey = (title: string, key: string): Row =>
  changed(
    'createToken',
    {
      case: `an \`Idempotency-Key\` of ${title}`,
      answer: '400 InvalidRequest ?Idempotency-Key',
      why: '1 to 255 visible ASCII characters',
    },
    { headers: (right) => ({ ...right, 'Idempotency-Key': key }) },
  );

export const keys: Row[] = [
  ...withKey.map((route) => keyed(route, ['no key', required, 'This call needs one'], () => ({}))),
  ...withKey.map((route) =>
    keyed(route, ['a revoked key', invalid, unknown], ({ revokedKey }) => bearer(revokedKey)),
  ),
  ...ofCommunity.map((route) =>
    keyed(
      route,
      ['the key of another community', notAllowed, 'A key acts for its own community'],
      ({ otherKey }) => xKey(otherKey),
    ),
  ),
  keyed(
    'claim',
    ['the key of another community beside a right signature', notAllowed, 'A key that is sent is checked'],
    ({ otherKey }) => xKey(otherKey),
  ),
  keyed(
    'claim',
    ['a revoked key beside a right signature', invalid, 'A key that is sent is checked'],
    ({ revokedKey }) => xKey(revokedKey),
  ),
  ...ofOperator.map((route) =>
    keyed(route, ["a community's key", notAllowed, "This call needs the operator's key"], ({ key }) =>
      xKey(key),
    ),
  ),
  ...malformed.map(([title, answer, headersOf]) =>
    keyed('createToken', [title, answer, answer === invalid ? unknown : 'There is none'], headersOf),
  ),
  ...withKey.map((route) =>
    keyed(route, ['the key twice, in both headers', '400 InvalidRequest ?Authorization', one], ({ key }) => ({
      ...bearer(key),
      ...xKey(key),
    })),
  ),
  keyed(
    'createToken',
    ['a wrong key beside the right one', '400 InvalidRequest ?Authorization', one],
    ({ key }) => ({ ...bearer(key), ...xKey('wrong') }),
  ),
  ...['apiKey', 'api_key', 'key', 'access_token', 'X-API-Key'].map(
    (name): Row => ({
      call: routes.createToken,
      case: `the key in the query, as \`${name}\``,
      answer: required,
      why: 'Queries are written to logs; no key is read there',
      send: (scene) =>
        scene.send('createToken', {
          headers: ({ 'X-API-Key': _key, ...rest }) => rest,
          query: `?${name}=${scene.key}`,
        }),
    }),
  ),
  {
    call: routes.createToken,
    case: 'the key in the body',
    answer: required,
    why: 'The key comes before the body is read',
    send: (scene) =>
      scene.send('createToken', {
        headers: ({ 'X-API-Key': _key, ...rest }) => rest,
        body: (right) => ({ ...right, apiKey: scene.key }),
      }),
  },
  changed(
    'createToken',
    { case: 'a body that is no JSON, without a key', answer: required, why: 'The key comes before the body' },
    {
      headers: ({ 'X-API-Key': _key, ...rest }) => rest,
      text: () => '{',
    },
  ),
  ...['/v1/tokens?limit=1', '/v1/environment'].map(
    (path): Row => ({
      call: `GET ${path.replace(/\?.*/, '')}`,
      case: 'two wrong keys',
      answer: '200',
      why: 'Public reads ignore keys',
      send: (scene) => scene.call(path, { headers: { ...bearer('wrong'), ...xKey('wrong') } }),
    }),
  ),
  idempotencyKey('256 letters', 'k'.repeat(256)),
  idempotencyKey('nothing', ''),
  idempotencyKey('Latin-1', 'cl\u00e9'),
  idempotencyKey('two words', 'two words'),
  idempotencyKey('a word, a tab and a word', 'a\tb'),
];
