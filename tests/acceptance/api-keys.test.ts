import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { call, demoCommunityId, expectAccepted, requestToken, uuid } from './client.ts';
import { describeListing } from './listings.ts';
import {
  asOperator,
  createApiKey,
  createCommunity,
  operatorOnly,
  parseCreated,
  send,
  walkAsOperator,
} from './operator.ts';
import { expectProblem } from './problems.ts';
import type { ApiKey, Page } from './shapes.ts';
import { openRequest } from './token-requests.ts';

const communitiesPath = '/v1/communities';

function keyHeaders(apiKey?: string): Record<string, string> {
  return { 'Content-Type': 'application/json', ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }) };
}

describe.skipIf(operatorOnly.isSkipped)(`a community's API keys${operatorOnly.titleSuffix}`, () => {
  let communityId: string;
  const keysPath = (id = communityId) => `${communitiesPath}/${id}/apiKeys`;
  const statusWith = async (apiKey: string) =>
    (await call(`${communitiesPath}/${communityId}/configuration`, { headers: { 'X-API-Key': apiKey } }))
      .status;

  beforeAll(async () => {
    communityId = (await createCommunity()).uniqId;
  });

  describeListing(keysPath, asOperator);

  test('are returned in full only when they are created', async () => {
    const response = await send('POST', keysPath(), { name: 'first 🎖️' });
    const created = parseCreated<ApiKey & { apiKey: string }>(response);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { environment } = inject('environment');
    expect(created).toStrictEqual({
      apiKeyId: expect.stringMatching(new RegExp(`^${uuid.source}$`)),
      apiKey: expect.stringMatching(new RegExp(`^badge_${environment}_[0-9A-Za-z]{36}$`)),
      name: 'first 🎖️',
      prefix: created.apiKey.slice(0, created.prefix.length),
      role: 'editor',
      createdBy: null,
      createdAtTimestamp: expect.any(Number),
      expiresAtTimestamp: null,
    });
    expect(created.prefix.length).toBeLessThan(24);
    const { apiKey, ...listed } = created;
    const list = await call(`${keysPath()}?limit=1000`, { headers: asOperator });
    expect((JSON.parse(list.text) as Page<ApiKey>).data).toContainEqual(listed);
    expect(list.text).not.toContain(apiKey);
  });

  test('are valid only for their community', async () => {
    const { apiKey } = await createApiKey(communityId);
    expectAccepted(await requestToken(await openRequest({ communityId }), keyHeaders(apiKey)));
    const basic = Buffer.from(`${communityId}:${apiKey}`).toString('base64');
    const request = JSON.stringify(await openRequest({ communityId }));
    expectAccepted(await requestToken(request, { ...keyHeaders(), Authorization: `Basic ${basic}` }));
    const forDemo = await requestToken(await openRequest(), keyHeaders(apiKey));
    expectProblem(forDemo, 403, 'ApiKeyNotAllowed');
    expectProblem(
      await send('GET', communitiesPath, undefined, { 'X-API-Key': apiKey }),
      403,
      'ApiKeyNotAllowed',
    );
  });

  test('can have an expiration, up to the latest possible time', async () => {
    const expiresAtTimestamp = Date.now() + 60_000;
    const created = await createApiKey(communityId, { expiresAtTimestamp });
    expect(created.expiresAtTimestamp).toBe(expiresAtTimestamp);
    expect(await statusWith(created.apiKey)).toBe(200);
    const latest = await createApiKey(communityId, { expiresAtTimestamp: 8_640_000_000_000_000 });
    expect(latest.expiresAtTimestamp).toBe(8_640_000_000_000_000);
    expect(await statusWith(latest.apiKey)).toBe(200);
    expect((await createApiKey(communityId, { expiresAtTimestamp: null })).expiresAtTimestamp).toBeNull();
  });

  test('are listed oldest first', async () => {
    const first = await createApiKey(communityId);
    const second = await createApiKey(communityId);
    const ids = (await walkAsOperator<ApiKey>(keysPath())).map(({ apiKeyId }) => apiKeyId);
    expect(ids.indexOf(second.apiKeyId)).toBeGreaterThan(ids.indexOf(first.apiKeyId));
    expect(ids).toContain(first.apiKeyId);
  });

  test('are rejected as soon as they are revoked', async () => {
    const [revoked, kept] = [await createApiKey(communityId), await createApiKey(communityId)];
    expect(await statusWith(revoked.apiKey)).toBe(200);
    const path = `${keysPath()}/${revoked.apiKeyId}`;
    const response = await call(path, { method: 'DELETE', headers: asOperator });
    expect({ status: response.status, length: response.bytes.length }).toEqual({ status: 204, length: 0 });
    const request = await openRequest({ communityId });
    expectProblem(await requestToken(request, keyHeaders(revoked.apiKey)), 401, 'InvalidApiKey');
    expect(await statusWith(revoked.apiKey)).toBe(401);
    expect(await statusWith(kept.apiKey)).toBe(200);
    const ids = (await walkAsOperator<ApiKey>(keysPath())).map(({ apiKeyId }) => apiKeyId);
    expect(ids).toContain(kept.apiKeyId);
    expect(ids).not.toContain(revoked.apiKeyId);
    expectProblem(await call(path, { method: 'DELETE', headers: asOperator }), 404, 'ApiKeyNotFound');
  });

  test('can be revoked by a DELETE with a content type and no body', async () => {
    const { apiKey, apiKeyId } = await createApiKey(communityId);
    const headers = { ...asOperator, 'Content-Type': 'application/json' };
    expect((await call(`${keysPath()}/${apiKeyId}`, { method: 'DELETE', headers })).status).toBe(204);
    expect(await statusWith(apiKey)).toBe(401);
  });

  test('cannot be revoked through another community, or if they do not exist', async () => {
    const { apiKey, apiKeyId } = await createApiKey(communityId);
    for (const path of [
      `${keysPath(demoCommunityId)}/${apiKeyId}`,
      `${keysPath()}/${randomUUID()}`,
      `${keysPath()}/x%00`,
    ]) {
      expectProblem(await call(path, { method: 'DELETE', headers: asOperator }), 404, 'ApiKeyNotFound');
    }
    const inUnknownCommunity = await call(`${keysPath('nobody')}/${apiKeyId}`, {
      method: 'DELETE',
      headers: asOperator,
    });
    expectProblem(inUnknownCommunity, 404, 'CommunityNotFound');
    expect(await statusWith(apiKey)).toBe(200);
  });
});
