import { describe, expect, inject, test } from 'vitest';
import { asJson, call, withDemoKey } from './client.ts';

const origin = 'https://app.example.com';
const openApi = inject('openApi');
const splitHeader = (header: string | null) => (header ?? '').toLowerCase().split(/\s*,\s*/);

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1', async () => {
    const response = await call('/openapi.json', { isUndocumented: true });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/(json|vnd\.oai\.openapi\+json)\b/);
    expect(JSON.parse(response.text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  });

  // The example is signed for the sandbox.
  test.runIf(inject('environment').environment === 'sandbox')(
    'has an example body that is accepted unchanged',
    async () => {
      const { paths } = JSON.parse((await call('/openapi.json', { isUndocumented: true })).text);
      const json = paths['/v1/tokens'].post.requestBody.content['application/json'];
      const body = json.example ?? Object.values<{ value: unknown }>(json.examples)[0]?.value;
      const response = await call('/v1/tokens', {
        method: 'POST',
        headers: { ...withDemoKey, ...asJson },
        body: JSON.stringify(body),
      });
      expect(response.status, response.text).toBe(202);
    },
  );

  test.each([
    ['post', '/v1/tokens', [202, 400, 401, 403, 404, 413, 415]],
    ['get', '/v1/tokens', [200, 400]],
    ['get', '/v1/tokens/{tokenId}', [200, 404]],
    ['get', '/v1/wallets/{address}/tokens', [200, 400]],
    ['get', '/v1/communities/{communityId}', [200, 404]],
    ['get', '/v1/communities/{communityId}/nftTypes', [200, 400, 401, 403, 404]],
    ['patch', '/v1/tokens/{tokenId}', [200, 400, 401, 403, 404]],
    ['post', '/v1/communities', [201, 400, 401, 403, 409]],
    ['get', '/v1/communities', [200, 400, 401, 403]],
    ['patch', '/v1/communities/{communityId}', [200, 400, 401, 403, 404]],
    ['get', '/v1/communities/{communityId}/configuration', [200, 401, 403, 404]],
    ['get', '/v1/communities/{communityId}/tokens', [200, 400, 401, 403, 404]],
    ['post', '/v1/communities/{communityId}/apiKeys', [201, 400, 401, 403, 404]],
    ['get', '/v1/communities/{communityId}/apiKeys', [200, 400, 401, 403, 404]],
    ['delete', '/v1/communities/{communityId}/apiKeys/{apiKeyId}', [204, 401, 403, 404]],
    ['post', '/v1/communities/{communityId}/webhooks', [201, 400, 401, 403, 404, 409, 413, 415]],
    ['get', '/v1/communities/{communityId}/webhooks', [200, 400, 401, 403, 404]],
    ['patch', '/v1/communities/{communityId}/webhooks/{webhookId}', [200, 400, 401, 403, 404, 413, 415]],
    ['delete', '/v1/communities/{communityId}/webhooks/{webhookId}', [204, 401, 403, 404]],
    ['post', '/v1/communities/{communityId}/webhooks/{webhookId}/rotateSecret', [200, 401, 403, 404, 409]],
    ['post', '/v1/communities/{communityId}/webhooks/{webhookId}/test', [201, 401, 403, 404, 409]],
    ['get', '/v1/communities/{communityId}/webhooks/{webhookId}/deliveries', [200, 400, 401, 403, 404]],
    ['post', '/v1/tokens/{tokenId}/claim', [202, 400, 401, 403, 404, 409]],
    ['post', '/v1/tokens/{tokenId}/claimLinks', [201, 400, 401, 403, 404, 409, 413, 415, 422]],
    ['get', '/v1/tokens/{tokenId}/claimLinks', [200, 400, 401, 403, 404]],
    ['patch', '/v1/tokens/{tokenId}/claimLinks/{claimLinkId}', [200, 400, 401, 403, 404, 413, 415]],
    ['delete', '/v1/tokens/{tokenId}/claimLinks/{claimLinkId}', [204, 401, 403, 404, 409]],
    ['post', '/v1/tokens/{tokenId}/checkClaimCode', [200, 400, 404]],
    ['post', '/v1/checkOwners', [200, 400, 404, 413, 415]],
    ['post', '/v1/ensNames', [200, 400, 413, 415]],
    ['post', '/v1/tokens/{tokenId}/snapshotScores', [200, 400, 404, 413, 415]],
    ['get', '/v1/communities/{communityId}/events', [200, 400, 401, 403, 404, 410]],
    ['get', '/v1/auditLog', [200, 400, 401, 403]],
    ['post', '/v1/communities/{communityId}/nftTypes', [201, 400, 401, 403, 404, 409, 413, 415]],
    ['delete', '/v1/communities/{communityId}/nftTypes/{nftTypeId}', [204, 401, 403, 404]],
    ['get', '/v1/operations/{operationId}', [200, 400, 404]],
    ['get', '/images/token/{tokenId}.{extension}', [200, 206, 304, 400, 404, 416]],
    ['get', '/oembed', [200, 400, 404, 501]],
    ['get', '/metadata/{tokenId}', [200, 404]],
    ['get', '/v1/environment', [200]],
    ['get', '/healthz', [200]],
    ['get', '/readyz', [200, 503]],
    ['get', '/metrics', [200]],
  ])('describes %s %s with the statuses %j', (method, path, statuses) => {
    const operation = openApi.paths[path]?.[method];
    const documented = Object.keys(operation?.responses ?? {}).map(Number);
    expect(documented).toEqual(expect.arrayContaining(statuses));
  });

  test('describes every error as a problem object, and a Location for every 202 that starts an operation', () => {
    // These are accepted, but nothing can be read later.
    const withoutOperation = [
      'createReminders',
      'resendInvitation',
      'createReservation',
      'createResubscription',
      'createEmailChallenge',
    ];
    const operations = Object.values(openApi.paths).flatMap((path) => Object.values(path));
    const responses = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses ?? {}).map(([status, one]) => ({ operationId, status, ...one })),
    );
    expect(responses.length).toBeGreaterThan(0);
    for (const { operationId = '', status, content, headers } of responses) {
      if (Number(status) >= 400) expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
      if (status === '202' && !withoutOperation.includes(operationId))
        expect(Object.keys(headers ?? {})).toContain('Location');
    }
  });

  test('says that POST /v1/tokens needs a key and GET /v1/tokens does not', () => {
    expect(openApi.paths['/v1/tokens']?.post?.security?.length).toBeGreaterThan(0);
    expect(openApi.paths['/v1/tokens']?.get?.security ?? []).toEqual([]);
  });
});

test('/docs is an HTML page', async () => {
  const first = await call('/docs', { isUndocumented: true });
  const target = first.headers.get('location');
  const page = target
    ? await call(new URL(target, `${inject('baseUrl')}/docs`).href, { isUndocumented: true })
    : first;
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toMatch(/^text\/html\b/);
  expect(page.text).toMatch(/<html/i);
});

test.each(['/healthz', '/readyz'])('%s returns 200', async (path) => {
  expect((await call(path)).status).toBe(200);
});

test('/metrics is public in the sandbox and needs a key in production', async () => {
  const response = await call('/metrics');
  if (inject('environment').environment === 'production') {
    expect(response.status).toBe(401);
  } else {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^(text\/plain|application\/openmetrics-text)\b/);
    expect(response.text).toMatch(/^# TYPE \w+ (counter|gauge|histogram)$/m);
  }
});

describe('CORS', () => {
  test.each([
    ['/v1/tokens', 'POST', 'authorization,content-type'],
    ['/v1/tokens', 'POST', 'x-api-key,content-type,idempotency-key'],
    ['/v1/tokens/1', 'GET', 'x-api-key'],
    ['/v1/communities/demo/nftTypes', 'GET', 'authorization'],
  ])('a preflight of %s for %s with %s is allowed', async (path, method, headers) => {
    const response = await call(path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': headers,
      },
      isUndocumented: true,
    });
    expect([200, 204]).toContain(response.status);
    expect(['*', origin]).toContain(response.headers.get('access-control-allow-origin'));
    expect(splitHeader(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
    expect(splitHeader(response.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'content-type', 'idempotency-key']),
    );
  });

  test.each([
    ['a 200', '/v1/tokens?limit=0', 'GET', 200],
    ['a 400', '/v1/tokens?limit=x', 'GET', 400],
    ['a 401', '/v1/tokens', 'POST', 401],
    ['a 404', '/v1/tokens/0', 'GET', 404],
  ])('%s can be read from any origin', async (_title, path, method, status) => {
    const body = method === 'POST' ? { body: '{}' } : {};
    const response = await call(path, { method, headers: { ...asJson, Origin: origin }, ...body });
    expect(response.status).toBe(status);
    expect(['*', origin]).toContain(response.headers.get('access-control-allow-origin'));
    expect(splitHeader(response.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining(['location', 'retry-after', 'x-request-id', 'ratelimit', 'ratelimit-policy']),
    );
  });
});
