import { describe, expect, test } from 'vitest';
import { apiKey, asJson, call, demo, expectAccepted, requestToken } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { newAddress, openRequest } from './token-requests.ts';

type Headers = Record<string, string>;

const basic = (communityId: string, key: string): Headers => ({
  Authorization: `Basic ${Buffer.from(`${communityId}:${key}`).toString('base64')}`,
});
const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });
const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
const post = (body: Body | string, key: Headers) => requestToken(body, { ...asJson, ...key });
const request = await openRequest();

describe('a community key is taken as', () => {
  test.each<[string, Headers]>([
    ['a bearer token', bearer(apiKey)],
    ['a bearer token, the scheme in lower case', { Authorization: `bearer ${apiKey}` }],
    ['X-API-Key', { 'X-API-Key': apiKey }],
    ['the password of its community', basic(demo, apiKey)],
  ])('%s', async (_title, key) => {
    expectAccepted(await post(await openRequest(), key));
  });
});

describe('refused with 401', () => {
  test.each<[string, Headers, string]>([
    ['no key', {}, 'ApiKeyRequired'],
    ['a wrong key', bearer(wrongKey), 'InvalidApiKey'],
    ['a key cut short', bearer(apiKey.slice(0, -1)), 'InvalidApiKey'],
    ['a key in another case', bearer(apiKey.toUpperCase()), 'InvalidApiKey'],
    ['a word', { 'X-API-Key': 'secret' }, 'InvalidApiKey'],
    ['a wrong key as password', basic(demo, wrongKey), 'InvalidApiKey'],
    ['the right key under another community', basic('nobody', apiKey), 'InvalidApiKey'],
    ['the right key under no community', basic('', apiKey), 'InvalidApiKey'],
  ])('%s', async (_title, key, name) => {
    const answer = await post(request, key);
    expectProblem(answer, 401, name);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
    expect(answer.text).not.toContain(wrongKey);
    expect(answer.text).not.toContain(apiKey);
  });

  test.each<[string, Headers]>([
    ['a scheme without a key', { Authorization: 'Bearer' }],
    ['no scheme', { Authorization: apiKey }],
    ['an unknown scheme', { Authorization: `Digest ${apiKey}` }],
    ['Basic that is no base64', { Authorization: 'Basic %%%' }],
    ['Basic without a colon', { Authorization: `Basic ${Buffer.from(apiKey).toString('base64')}` }],
    ['an empty X-API-Key', { 'X-API-Key': '' }],
  ])('%s', async (_title, key) => {
    const answer = await post(request, key);
    expect(answer.status).toBe(401);
    expect(answer.text).toMatch(/"name":"(ApiKeyRequired|InvalidApiKey)"/);
  });

  test('a key in the query', async () => {
    const path = `/v1/tokens?apiKey=${apiKey}&api_key=${apiKey}&key=${apiKey}`;
    const answer = await call(path, { method: 'POST', headers: asJson, body: JSON.stringify(request) });
    expectProblem(answer, 401, 'ApiKeyRequired');
    expect(answer.text).not.toContain(apiKey);
  });
});

test.each<[string, Headers]>([
  ['the same key', { ...bearer(apiKey), 'X-API-Key': apiKey }],
  ['a right and a wrong key', { ...bearer(apiKey), 'X-API-Key': wrongKey }],
  ['Basic and X-API-Key', { ...basic(demo, apiKey), 'X-API-Key': apiKey }],
])('two keys at once are refused: %s', async (_title, key) => {
  expectProblem(await post(request, key), 400, 'InvalidRequest');
});

test.each([
  '/v1/tokens?limit=1',
  `/v1/wallets/${newAddress()}/tokens`,
  `/v1/communities/${demo}`,
  '/v1/environment',
])('GET %s ignores keys', async (path) => {
  for (const key of [
    {},
    bearer(apiKey),
    bearer('wrong'),
    { ...basic('nobody', 'x'), 'X-API-Key': 'wrong' },
  ]) {
    expect((await call(path, { headers: key })).status).toBe(200);
  }
});

test('an operation and a token are read without a key and with a wrong one', async () => {
  const location = expectAccepted(await post(await openRequest(), bearer(apiKey)));
  for (const key of [{}, bearer('wrong'), { ...bearer('wrong'), 'X-API-Key': 'wrong' }]) {
    const answer = await call(`${location}?wait=30`, { headers: key });
    const { resourceId } = JSON.parse(answer.text) as { resourceId: number };
    expect((await call(`/v1/tokens/${resourceId}`, { headers: key })).status).toBe(200);
  }
});

describe('the order of checks', () => {
  const wrongSignature = { signature: `0x${'11'.repeat(64)}1b` };

  test('the key comes before the body', async () => {
    expectProblem(await post({ ...request, headline: '' }, bearer(wrongKey)), 401, 'InvalidApiKey');
    expectProblem(await post('{', {}), 401, 'ApiKeyRequired');
    expectProblem(await post({ ...request, communityId: 'nobody' }, {}), 401, 'ApiKeyRequired');
  });

  test('the body comes before what it names', async () => {
    const body = { ...request, headline: '', communityId: 'nobody', nftTypeId: 'nobody', ...wrongSignature };
    expectPointers(await post(body, bearer(apiKey)), ['/headline']);
  });

  test.each([
    ['by another', wrongSignature],
    ['malformed', { signature: '0x' }],
  ])('what the body names comes before its signature, %s', async (_title, signature) => {
    const noCommunity = { ...request, communityId: 'nobody', ...signature };
    expectProblem(await post(noCommunity, bearer(apiKey)), 404, 'CommunityNotFound');
    const noType = { ...request, nftTypeId: 'nobody', ...signature };
    expectProblem(await post(noType, bearer(apiKey)), 404, 'NftTypeNotFound');
  });
});
