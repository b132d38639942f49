import { ERRORS, type Problem } from '@badge/protocol';
import { dumpTables } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMatrixFixture,
  createNftType,
  type MatrixFixture,
  signToken,
} from '../testing/access-matrix-fixture.ts';
import { createApiKey } from '../testing/access-matrix-roles.ts';
import { callRaw, type RawResponse } from '../testing/raw-calls.ts';
import { type RegisteredRoute, recordRoutes } from '../testing/record-routes.ts';
import { startTestService } from '../testing/services.ts';

let fixture: MatrixFixture;
let routes: RegisteredRoute[];

beforeAll(async () => {
  const recorded = await recordRoutes(() => startTestService());
  routes = recorded.routes;
  fixture = await createMatrixFixture(recorded.started);
});
afterAll(async () => {
  await fixture.service.stop();
});

const CONFIGURATION = '/v1/communities/demo/configuration';
type Init = Parameters<typeof callRaw>[2];
const call = (path: string, init?: Init): Promise<RawResponse> => callRaw(fixture.service.url, path, init);
const nameOf = ({ status, body }: RawResponse) =>
  status < 400 ? status : (JSON.parse(body) as Problem).name;

describe('the response to an API key', () => {
  const bearer = () => `Bearer ${fixture.keys.right}`;
  test.each<[string, () => Record<string, string | string[]>, number | string]>([
    [
      'with header and scheme in lower case',
      () => ({ authorization: bearer().replace('Bearer', 'bearer') }),
      200,
    ],
    [
      'with header and scheme in upper case',
      () => ({ AUTHORIZATION: bearer().replace('Bearer', 'BEARER') }),
      200,
    ],
    ['after several spaces', () => ({ Authorization: bearer().replace(' ', '   ') }), 200],
    ['after a tab', () => ({ Authorization: bearer().replace(' ', '\t') }), 'InvalidApiKey'],
    ['followed by more text', () => ({ Authorization: `${bearer()} x` }), 'InvalidApiKey'],
    ['in quotes', () => ({ Authorization: `Bearer "${fixture.keys.right}"` }), 'InvalidApiKey'],
    ['with scheme and key in upper case', () => ({ Authorization: bearer().toUpperCase() }), 'InvalidApiKey'],
    ['of 12,000 characters', () => ({ Authorization: `Bearer ${'k'.repeat(12_000)}` }), 'InvalidApiKey'],
    ['that is not ASCII', () => ({ Authorization: `${bearer()}\u00e9` }), 'InvalidApiKey'],
    ['after a wrong one', () => ({ Authorization: ['Bearer wrong', bearer()] }), 'InvalidRequest'],
    ['before a wrong one', () => ({ Authorization: [bearer(), 'Bearer wrong'] }), 'InvalidRequest'],
    ['twice', () => ({ 'X-API-Key': [fixture.keys.right, fixture.keys.right] }), 'InvalidRequest'],
    [
      'in X-API-Key, with two Authorization headers',
      () => ({ Authorization: ['Bearer a', 'Bearer b'], 'X-API-Key': fixture.keys.right }),
      'InvalidRequest',
    ],
    ['after an empty X-API-Key', () => ({ 'X-API-Key': '', Authorization: bearer() }), 200],
    ['in a list with another key', () => ({ 'X-API-Key': `${fixture.keys.right}, x` }), 'InvalidApiKey'],
    [
      'in Proxy-Authorization and Cookie only',
      () => ({ 'Proxy-Authorization': bearer(), Cookie: bearer() }),
      'ApiKeyRequired',
    ],
    ['with spaces around it', () => ({ 'X-API-Key': ` ${fixture.keys.right} ` }), 200],
    [
      'as Basic without a colon',
      () => ({ Authorization: `Basic ${btoa(fixture.keys.right)}` }),
      'InvalidApiKey',
    ],
    ['as Basic without valid base64', () => ({ Authorization: 'Basic %%%' }), 'InvalidApiKey'],
    [
      'as Basic with NUL in the community',
      () => ({ Authorization: `Basic ${btoa(`demo\0:${fixture.keys.right}`)}` }),
      'InvalidApiKey',
    ],
  ])('%s', async (_name, headers, expected) => {
    expect(nameOf(await call(CONFIGURATION, { headers: headers() }))).toBe(expected);
  });
});

test.each(['/v1/communities/demo/configuration/', '/v1/communities/demo/%63onfiguration'])(
  '%s requires a key of the community',
  async (path) => {
    expect(nameOf(await call(path))).toBe('ApiKeyRequired');
    expect(nameOf(await call(path, { headers: { 'X-API-Key': fixture.keys.otherCommunity } }))).toBe(
      'ApiKeyNotAllowed',
    );
  },
);

test('only the request line sets the method', async () => {
  const nftTypeId = await createNftType(fixture);
  const path = `/v1/communities/demo/nftTypes/${nftTypeId}`;
  const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
  const headers = {
    'X-API-Key': fixture.keys.right,
    ...Object.fromEntries(names.map((name) => [name, 'DELETE'])),
  };
  for (const method of ['GET', 'POST', 'PUT']) {
    expect(nameOf(await call(`${path}?_method=DELETE`, { method, headers }))).toBe('MethodNotAllowed');
  }
  const { body } = await call('/v1/communities/demo/nftTypes', { headers });
  expect(body).toContain(nftTypeId);
});

test('no response contains the values of Host, X-Forwarded-Host and similar headers', async () => {
  const spoofed = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-For': 'evil.example',
    'X-Forwarded-Proto': 'evil',
    Forwarded: 'host=evil.example',
    'X-Original-URL': '/evil',
    'X-Rewrite-URL': '/evil',
  };
  const paths = ['/openapi.json', '/docs/', '/docs/static/index.html', '/v1/tokens', '/v1/communities/demo'];
  for (const path of [...paths, `/metadata/${fixture.openTokenId}`, '/v1/nothing', '/healthz']) {
    const { headers, body } = await call(path, { headers: spoofed });
    expect(JSON.stringify(headers) + body).not.toContain('evil');
  }
  const { body } = await call('/v1/communities/demo', { headers: spoofed });
  expect(body).toContain(`"logoUrl":"${fixture.service.context.settings.imageUrl}/`);
});

describe('ids of another community', () => {
  const operator = () => ({ 'X-API-Key': fixture.keys.operator });

  test('a key can only be revoked in its own community', async () => {
    const { apiKeyId, apiKey } = await createApiKey(fixture.service, 'other');
    const path = `/v1/communities/demo/apiKeys/${apiKeyId}`;
    expect(nameOf(await call(path, { method: 'DELETE', headers: operator() }))).toBe('ApiKeyNotFound');
    const response = await call('/v1/communities/other/configuration', { headers: { 'X-API-Key': apiKey } });
    expect(response.status).toBe(200);
  });

  test('an NFT type can only be listed, used and deleted in its own community', async () => {
    const nftTypeId = await createNftType(fixture, 'other');
    const headers = { 'X-API-Key': fixture.keys.right };
    const remove = (communityId: string) =>
      call(`/v1/communities/${communityId}/nftTypes/${nftTypeId}`, { method: 'DELETE', headers });
    expect(nameOf(await remove('demo'))).toBe('NftTypeNotFound');
    expect(nameOf(await remove('other'))).toBe('ApiKeyNotAllowed');
    expect((await call('/v1/communities/demo/nftTypes', { headers })).body).not.toContain(nftTypeId);
    const json = await signToken(fixture, { nftTypeId });
    const created = await fixture.service.call('/v1/tokens', { key: fixture.keys.right, json });
    expect(((await created.json()) as Problem).name).toBe('NftTypeNotFound');
    const listed = await call('/v1/communities/other/nftTypes', { headers: operator() });
    expect(listed.body).toContain(nftTypeId);
  });
});

const HOSTILE_TEXTS = [
  "'",
  "' or '1'='1",
  "1'; drop table tokens; --",
  '1 union select key_hash from api_keys',
  '$1',
  '{"$ne":null}',
  '["a"]',
  '%',
  '_',
  '../../../etc/passwd',
  '\0',
  '\ud83d\ude00',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-1',
  '1e3',
  '0x1',
  'NaN',
  `${'9'.repeat(400)}`,
  '{{7*7}}',
  '<script>',
  'a\r\nX-Injected: yes',
];

test('no text in a path or query causes an internal error, adds a header or changes data', async () => {
  const before = await dumpTables(fixture.service.databaseUrl);
  const paths = routes
    .filter(({ method }) => method === 'GET' || method === 'DELETE')
    .flatMap(({ method, url, parameters }) => {
      const filled = url.replace(':communityId', 'demo').replace(':address', fixture.creator.address);
      const valid = filled.replaceAll(/:\w+/g, String(fixture.openTokenId));
      const names = [...parameters, '__proto__', 'constructor', 'hasOwnProperty', 'a[b]'];
      const inPath = [...url.matchAll(/:\w+/g)].map(
        ([parameter]) =>
          (text: string) =>
            url
              .replace(parameter, () => text)
              .replace(':communityId', 'demo')
              .replaceAll(/:\w+/g, '1'),
      );
      const inQuery = names.map((name) => (text: string) => `${valid}?${encodeURIComponent(name)}=${text}`);
      return [...inPath, ...(method === 'GET' ? inQuery : [])].map((fill) => ({ method, fill }));
    });
  expect(paths.length).toBeGreaterThan(100);
  for (const { method, fill } of paths) {
    const sent = HOSTILE_TEXTS.map(async (text) => {
      const path = fill(encodeURIComponent(text).replaceAll("'", '%27'));
      const { status, headers } = await call(path, {
        method,
        headers: { 'X-API-Key': fixture.keys.operator },
      });
      expect([path, status < 500, headers['x-injected']]).toEqual([path, true, undefined]);
    });
    await Promise.all(sent);
  }
  expect(await dumpTables(fixture.service.databaseUrl)).toBe(before);
}, 120_000);

test.each([
  '{"__proto__": {"isHidden": true, "polluted": true}}',
  '{"constructor": {"prototype": {"isHidden": true, "polluted": true}}}',
])('%s in a body sets no field and changes no prototype', async (text) => {
  const { service, keys, openTokenId } = fixture;
  const headers = { 'X-API-Key': keys.right, 'Content-Type': 'application/json' };
  const body = text.replace(/^\{/, `{"name":"x","displayId":"x",`);
  const responses = [
    await call(`/v1/tokens/${openTokenId}`, { method: 'PATCH', headers, body: text }),
    await call('/v1/communities/demo', {
      method: 'PATCH',
      headers: { ...headers, 'X-API-Key': keys.operator },
      body,
    }),
    await call(`/v1/tokens/${openTokenId}/claim`, { method: 'POST', headers, body: text }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([ERRORS.InvalidRequest.status, 200, 400]);
  expect((await service.call(`/v1/tokens/${openTokenId}`)).status).toBe(200);
  expect((await call('/v1/tokens')).body).toContain(`"tokenId":${openTokenId}`);
  expect({}).not.toHaveProperty('polluted');
});
