import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import {
  type ApiResponse,
  asJson,
  call,
  expectAccepted,
  expectSuccess,
  read,
  requestToken,
} from './client.ts';
import type { ApiKey, Body, CommunityWithAdmins, Page, Token } from './shapes.ts';
import { openRequest } from './token-requests.ts';

const adminKey = inject('adminKey');
export const asOperator: Record<string, string> = { 'X-API-Key': adminKey ?? '' };

/**
 * For tests that need the operator's key: whether they are skipped, and a suffix for their titles that says
 * why.
 */
export const operatorOnly = {
  isSkipped: adminKey === null,
  titleSuffix: adminKey === null ? ' (skipped: it needs BADGE_ADMIN_KEY)' : '',
};

export const newUniqId = () => `acceptance-${randomUUID()}`;

/** Sends a JSON body or none, with the operator's key unless other headers are given. */
export function send(
  method: string,
  path: string,
  body: unknown,
  headers = asOperator,
): Promise<ApiResponse> {
  if (body === undefined) return call(path, { method, headers });
  return call(path, { method, headers: { ...asJson, ...headers }, body: JSON.stringify(body) });
}

export function parseCreated<Value>(response: ApiResponse): Value {
  expect(response.status, response.text).toBe(201);
  return JSON.parse(response.text) as Value;
}

export async function createCommunity(fields: Body = {}): Promise<CommunityWithAdmins> {
  const body = { uniqId: newUniqId(), displayId: 'acceptance', name: 'Acceptance', ...fields };
  return parseCreated(await send('POST', '/v1/communities', body));
}

export async function createApiKey(
  communityId: string,
  fields: Body = {},
): Promise<ApiKey & { apiKey: string }> {
  const body = { name: 'acceptance', ...fields };
  return parseCreated(await send('POST', `/v1/communities/${communityId}/apiKeys`, body));
}

/** Creates an open token of a community. Sends the operator's key. */
export async function createTokenOf(communityId: string, fields: Body = {}): Promise<Token> {
  const request = await openRequest({ communityId, ...fields });
  const location = expectAccepted(await requestToken(request, { ...asJson, ...asOperator }));
  return await read<Token>(`/v1/tokens/${await expectSuccess(location)}`);
}

/** Reads every item of a listing as the operator, page by page. */
export async function walkAsOperator<Item>(path: string, offset = 0): Promise<Item[]> {
  const { data } = await read<Page<Item>>(`${path}?limit=1000&offset=${offset}`, asOperator);
  return data.length < 1000 ? data : [...data, ...(await walkAsOperator<Item>(path, offset + 1000))];
}
