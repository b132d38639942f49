import type { CreatedApiKey, ErrorName } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { hashKey, makeKey } from '../domain/api-keys/rules.ts';
import type { TestService } from './services.ts';

/** Keys of every kind. `right` is a valid key of `demo`, the community of all requests in `access-matrix.ts`. */
export interface Keys {
  right: string;
  otherCommunity: string;
  revoked: string;
  expired: string;
  otherEnvironment: string;
  operator: string;
}

/** Creates the keys on a service that has the communities `demo` and `other`. */
export async function createKeys(service: TestService): Promise<Keys> {
  const { environment } = service.context.settings;
  // The API creates only keys of its own environment, so this key is inserted into the database.
  const otherEnvironment = makeKey(environment === 'sandbox' ? 'production' : 'sandbox');
  await query(
    service.databaseUrl,
    `insert into api_keys (api_key_id, community_id, key_hash, prefix, name)
     values (gen_random_uuid(), 'demo', $1, '', 'of the other environment')`,
    [hashKey(otherEnvironment)],
  );
  const right = await createApiKey(service, 'demo');
  const otherCommunity = await createApiKey(service, 'other');
  const revoked = await createApiKey(service, 'demo');
  const path = `/v1/communities/demo/apiKeys/${revoked.apiKeyId}`;
  expect((await service.call(path, { method: 'DELETE', key: service.adminKey })).status).toBe(204);
  const expired = await createApiKey(service, 'demo');
  await query(
    service.databaseUrl,
    "update api_keys set expires_at = now() - interval '1 ms' where api_key_id = $1",
    [expired.apiKeyId],
  );
  return {
    right: right.apiKey,
    otherCommunity: otherCommunity.apiKey,
    revoked: revoked.apiKey,
    expired: expired.apiKey,
    otherEnvironment,
    operator: service.adminKey,
  };
}

/** Creates a key of a community over HTTP. */
export async function createApiKey(service: TestService, communityId: string): Promise<CreatedApiKey> {
  const response = await service.call(`/v1/communities/${communityId}/apiKeys`, {
    key: service.adminKey,
    json: { name: 'test' },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedApiKey;
}

export type Outcome = 'allowed' | ErrorName;

/**
 * Who can call a route:
 * - `public`: everybody. A key is ignored.
 * - `community`: a caller with a key of the community, or with the operator's key.
 * - `operator`: a caller with the operator's key.
 * - `withProof`: everybody, because the request has a proof: a wallet's signature or a claim code. If a key is sent, it must
 *   be a valid key of the community or of the operator.
 * - `withoutProof`: the same route as for `withProof`, but the request has no proof, so it needs a key.
 */
export type MatrixAccess = 'public' | 'community' | 'operator' | 'withProof' | 'withoutProof';

/** A kind of caller: its credentials, and the expected outcome for each kind of access. */
export interface Role {
  role: string;
  headers: Record<string, string>;
  /** A query string to add to the path. */
  query?: string;
  outcomes: Record<MatrixAccess, Outcome>;
}

const OPERATOR_KEY: Role['outcomes'] = {
  public: 'allowed',
  withProof: 'allowed',
  withoutProof: 'allowed',
  community: 'allowed',
  operator: 'allowed',
};
const RIGHT_KEY: Role['outcomes'] = { ...OPERATOR_KEY, operator: 'ApiKeyNotAllowed' };
const NO_KEY: Role['outcomes'] = {
  public: 'allowed',
  withProof: 'allowed',
  withoutProof: 'ApiKeyOrSignatureRequired',
  community: 'ApiKeyRequired',
  operator: 'ApiKeyRequired',
};
const refusedWith = (refusal: ErrorName): Role['outcomes'] => ({
  public: 'allowed',
  withProof: refusal,
  withoutProof: refusal,
  community: refusal,
  operator: refusal,
});
const INVALID_KEY = refusedWith('InvalidApiKey');

/** Returns a role for each way of sending a key, and for each kind of key. */
export function listRoles(keys: Keys): Role[] {
  const { right, operator } = keys;
  const environment = right.startsWith('badge_sandbox_') ? 'sandbox' : 'production';
  const inQuery = ['apiKey', 'api_key', 'key', 'access_token'].map((name) => `${name}=${operator}`).join('&');
  const mistyped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
  return [
    { role: 'no key', headers: {}, outcomes: NO_KEY },
    { role: 'an empty Authorization', headers: { Authorization: '' }, outcomes: NO_KEY },
    { role: 'an empty X-API-Key', headers: { 'X-API-Key': '' }, outcomes: NO_KEY },
    { role: "the operator's key in the query", headers: {}, query: inQuery, outcomes: NO_KEY },
    { role: "the operator's key in a cookie", headers: { Cookie: `apiKey=${operator}` }, outcomes: NO_KEY },
    { role: 'a scheme without a key', headers: { Authorization: 'Bearer' }, outcomes: INVALID_KEY },
    { role: 'an unknown scheme', headers: { Authorization: `Token ${right}` }, outcomes: INVALID_KEY },
    { role: 'a key without a scheme', headers: { Authorization: right }, outcomes: INVALID_KEY },
    { role: 'a mistyped key', headers: bearer(mistyped), outcomes: INVALID_KEY },
    { role: 'a part of the right key', headers: bearer(right.slice(0, -1)), outcomes: INVALID_KEY },
    { role: 'an unknown key', headers: bearer(makeKey(environment)), outcomes: INVALID_KEY },
    { role: "an unknown operator's key", headers: bearer(makeKey('admin')), outcomes: INVALID_KEY },
    {
      role: "the hash of the operator's key",
      headers: bearer(hashKey(operator).toString('hex')),
      outcomes: INVALID_KEY,
    },
    { role: 'a revoked key', headers: bearer(keys.revoked), outcomes: INVALID_KEY },
    { role: 'an expired key', headers: bearer(keys.expired), outcomes: INVALID_KEY },
    { role: 'a key of the other environment', headers: bearer(keys.otherEnvironment), outcomes: INVALID_KEY },
    { role: "Basic with another community's id", headers: basic('other', right), outcomes: INVALID_KEY },
    { role: 'Basic without a community id', headers: basic('', right), outcomes: INVALID_KEY },
    {
      role: 'the right key as X-API-Key, beside a wrong Authorization',
      headers: { Authorization: 'Digest wrong', 'X-API-Key': right },
      outcomes: RIGHT_KEY,
    },
    {
      role: 'a wrong X-API-Key beside the right key',
      headers: { ...bearer(right), 'X-API-Key': 'wrong' },
      outcomes: INVALID_KEY,
    },
    {
      role: "another community's key",
      headers: bearer(keys.otherCommunity),
      outcomes: refusedWith('ApiKeyNotAllowed'),
    },
    { role: 'the right key as Bearer', headers: bearer(right), outcomes: RIGHT_KEY },
    { role: 'the right key as X-API-Key', headers: { 'X-API-Key': right }, outcomes: RIGHT_KEY },
    { role: 'the right key as Basic', headers: basic('demo', right), outcomes: RIGHT_KEY },
    { role: "the operator's key as Bearer", headers: bearer(operator), outcomes: OPERATOR_KEY },
    { role: "the operator's key as X-API-Key", headers: { 'X-API-Key': operator }, outcomes: OPERATOR_KEY },
    { role: "the operator's key as Basic", headers: basic('demo', operator), outcomes: OPERATOR_KEY },
  ];
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

function basic(communityId: string, key: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${communityId}:${key}`).toString('base64')}` };
}
