import type { Problem } from '@badge/protocol';
import { describe, expect, test } from 'vitest';
import { accessBypassFixture } from '../../src/testing/access-bypass-fixture.ts';
import { createNftType, signToken } from '../../src/testing/access-matrix-fixture.ts';
import type { RawResponse } from '../../src/testing/raw-calls.ts';

const bypass = accessBypassFixture();
const { call } = bypass;

const CONFIGURATION = '/v1/communities/demo/configuration';

/** Returns the status of a success, or the name of the error. */
const outcomeOf = ({ status, body }: RawResponse) =>
  status < 400 ? status : (JSON.parse(body) as Problem).name;

describe('an API key', () => {
  const bearer = () => `Bearer ${bypass.fixture.keys.right}`;
  test.each<[string, number | string, () => Record<string, string | string[]>]>([
    [
      'with header and scheme in lower case',
      200,
      () => ({ authorization: bearer().replace('Bearer', 'bearer') }),
    ],
    [
      'with header and scheme in upper case',
      200,
      () => ({ AUTHORIZATION: bearer().replace('Bearer', 'BEARER') }),
    ],
    ['after several spaces', 200, () => ({ Authorization: bearer().replace(' ', '   ') })],
    ['after a tab', 'InvalidApiKey', () => ({ Authorization: bearer().replace(' ', '\t') })],
    ['followed by more text', 'InvalidApiKey', () => ({ Authorization: `${bearer()} x` })],
    ['in quotes', 'InvalidApiKey', () => ({ Authorization: `Bearer "${bypass.fixture.keys.right}"` })],
    ['with scheme and key in upper case', 'InvalidApiKey', () => ({ Authorization: bearer().toUpperCase() })],
    ['of 12,000 characters', 'InvalidApiKey', () => ({ Authorization: `Bearer ${'k'.repeat(12_000)}` })],
    ['that is not ASCII', 'InvalidApiKey', () => ({ Authorization: `${bearer()}\u00e9` })],
    ['after a wrong one', 'InvalidRequest', () => ({ Authorization: ['Bearer wrong', bearer()] })],
    ['before a wrong one', 'InvalidRequest', () => ({ Authorization: [bearer(), 'Bearer wrong'] })],
    [
      'sent twice in X-API-Key',
      'InvalidRequest',
      () => ({ 'X-API-Key': [bypass.fixture.keys.right, bypass.fixture.keys.right] }),
    ],
    [
      'in X-API-Key, with two Authorization headers,',
      'InvalidRequest',
      () => ({ Authorization: ['Bearer a', 'Bearer b'], 'X-API-Key': bypass.fixture.keys.right }),
    ],
    ['after an empty X-API-Key', 200, () => ({ 'X-API-Key': '', Authorization: bearer() })],
    [
      'in a list with another key',
      'InvalidApiKey',
      () => ({ 'X-API-Key': `${bypass.fixture.keys.right}, x` }),
    ],
    [
      'only in Proxy-Authorization and Cookie',
      'ApiKeyRequired',
      () => ({ 'Proxy-Authorization': bearer(), Cookie: bearer() }),
    ],
    ['with spaces around it', 200, () => ({ 'X-API-Key': ` ${bypass.fixture.keys.right} ` })],
    [
      'in HTTP Basic without a colon',
      'InvalidApiKey',
      () => ({ Authorization: `Basic ${btoa(bypass.fixture.keys.right)}` }),
    ],
    ['in HTTP Basic without valid base64', 'InvalidApiKey', () => ({ Authorization: 'Basic %%%' })],
    [
      'in HTTP Basic with NUL in the community id',
      'InvalidApiKey',
      () => ({ Authorization: `Basic ${btoa(`demo\0:${bypass.fixture.keys.right}`)}` }),
    ],
  ])('%s gets %s', async (_title, expected, headers) => {
    expect(outcomeOf(await call(CONFIGURATION, { headers: headers() }))).toBe(expected);
  });
});

test.each(['/v1/communities/demo/configuration/', '/v1/communities/demo/%63onfiguration'])(
  '%s requires a key of the community',
  async (path) => {
    expect(outcomeOf(await call(path))).toBe('ApiKeyRequired');
    expect(
      outcomeOf(await call(path, { headers: { 'X-API-Key': bypass.fixture.keys.otherCommunity } })),
    ).toBe('ApiKeyNotAllowed');
  },
);

test('only the request line decides the method of a request', async () => {
  const nftTypeId = await createNftType(bypass.fixture);
  const path = `/v1/communities/demo/nftTypes/${nftTypeId}`;
  const overrideHeaders = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
  const headers = {
    'X-API-Key': bypass.fixture.keys.right,
    ...Object.fromEntries(overrideHeaders.map((name) => [name, 'DELETE'])),
  };
  for (const method of ['GET', 'POST', 'PUT']) {
    expect(outcomeOf(await call(`${path}?_method=DELETE`, { method, headers }))).toBe('MethodNotAllowed');
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
  for (const path of [...paths, `/metadata/${bypass.fixture.openTokenId}`, '/v1/nothing', '/healthz']) {
    const { headers, body } = await call(path, { headers: spoofed });
    expect(JSON.stringify(headers) + body).not.toContain('evil');
  }
  const { body } = await call('/v1/communities/demo', { headers: spoofed });
  expect(body).toContain(`"logoUrl":"${bypass.fixture.service.context.settings.imageUrl}/`);
});

describe('with the id of another community in the path', () => {
  const operator = () => ({ 'X-API-Key': bypass.fixture.keys.operator });

  test('an NFT type can be listed, used and deleted only in its own community', async () => {
    const nftTypeId = await createNftType(bypass.fixture, 'other');
    const headers = { 'X-API-Key': bypass.fixture.keys.right };
    const remove = (communityId: string) =>
      call(`/v1/communities/${communityId}/nftTypes/${nftTypeId}`, { method: 'DELETE', headers });
    expect(outcomeOf(await remove('demo'))).toBe('NftTypeNotFound');
    expect(outcomeOf(await remove('other'))).toBe('ApiKeyNotAllowed');
    expect((await call('/v1/communities/demo/nftTypes', { headers })).body).not.toContain(nftTypeId);
    const json = await signToken(bypass.fixture, { nftTypeId });
    const created = await bypass.fixture.service.call('/v1/tokens', { key: bypass.fixture.keys.right, json });
    expect(((await created.json()) as Problem).name).toBe('NftTypeNotFound');
    const listed = await call('/v1/communities/other/nftTypes', { headers: operator() });
    expect(listed.body).toContain(nftTypeId);
  });
});

test.each([
  '{"__proto__": {"isHidden": true, "polluted": true}}',
  '{"constructor": {"prototype": {"isHidden": true, "polluted": true}}}',
])('%s in a body sets no field and changes no prototype', async (text) => {
  const { service, keys, openTokenId } = bypass.fixture;
  const headers = { 'X-API-Key': keys.right, 'Content-Type': 'application/json' };
  // The updates reject the unknown field, also if the rest of the body is valid. The claim lacks a required
  // field.
  const communityBody = text.replace(/^\{/, `{"name":"x",`);
  const responses = [
    await call(`/v1/tokens/${openTokenId}`, { method: 'PATCH', headers, body: text }),
    await call('/v1/communities/demo', {
      method: 'PATCH',
      headers: { ...headers, 'X-API-Key': keys.operator },
      body: communityBody,
    }),
    await call(`/v1/tokens/${openTokenId}/claim`, { method: 'POST', headers, body: text }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect((await service.call(`/v1/tokens/${openTokenId}`)).status).toBe(200);
  // The list would not contain a hidden token.
  expect((await call('/v1/tokens')).body).toContain(`"tokenId":${openTokenId}`);
  expect({}).not.toHaveProperty('polluted');
});
