import type { CreatedApiKey, ErrorName } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { hashKey, makeKey } from '../domain/api-keys/rules.ts';
import type { TestService } from './services.ts';

/** Keys of every kind; the right one is of the community `demo`, whose things the rows ask for. */
export interface Keys {
  right: string;
  otherCommunity: string;
  revoked: string;
  expired: string;
  otherEnvironment: string;
  operator: string;
}

/** Makes the keys on a service that has the communities `demo` and `other`. */
export async function makeKeys(service: TestService): Promise<Keys> {
  const { environment } = service.context.settings;
  const otherEnvironment = makeKey(environment === 'sandbox' ? 'production' : 'sandbox');
  await query(
    service.databaseUrl,
    `insert into api_keys (api_key_id, community_id, key_hash, prefix, name)
     values (gen_random_uuid(), 'demo', $1, '', 'of the other environment')`,
    [hashKey(otherEnvironment)],
  );
  const right = await makeApiKey(service, 'demo');
  const otherCommunity = await makeApiKey(service, 'other');
  const revoked = await makeApiKey(service, 'demo');
  const path = `/v1/communities/demo/apiKeys/${revoked.apiKeyId}`;
  expect((await service.call(path, { method: 'DELETE', key: service.adminKey })).status).toBe(204);
  const expired = await makeApiKey(service, 'demo');
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

/** Makes one key of a community over HTTP. */
export async function makeApiKey(service: TestService, communityId: string): Promise<CreatedApiKey> {
  const answer = await service.call(`/v1/communities/${communityId}/apiKeys`, {
    key: service.adminKey,
    json: { name: 'test' },
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as CreatedApiKey;
}

export type Outcome = 'allowed' | ErrorName;

/**
 * Who may pass a door. `open`: anybody, a key is ignored; `community`: a key of the community or the operator's;
 * `operator`: the operator's; `signed`: whoever brings a wallet's signature, a key being checked if one is sent;
 * `vouched`: as `signed`, but without the signature.
 */
export type Door = 'open' | 'community' | 'operator' | 'signed' | 'vouched';

/** Somebody who comes to a door: what they send to say who they are, and what each door answers them. */
export interface Role {
  role: string;
  headers: Record<string, string>;
  query?: string;
  doors: Record<Door, Outcome>;
}

const [open, signed, vouched] = ['allowed', 'allowed', 'allowed'] as const;
const PASSES: Role['doors'] = { open, signed, vouched, community: 'allowed', operator: 'allowed' };
const FITS: Role['doors'] = { ...PASSES, operator: 'ApiKeyNotAllowed' };
const HAS_NO_KEY: Role['doors'] = {
  open,
  signed,
  vouched: 'ApiKeyOrSignatureRequired',
  community: 'ApiKeyRequired',
  operator: 'ApiKeyRequired',
};
const everywhere = (refusal: ErrorName): Role['doors'] => ({
  open,
  signed: refusal,
  vouched: refusal,
  community: refusal,
  operator: refusal,
});
const IS_WRONG = everywhere('InvalidApiKey');

/** Everybody who may come. */
export function listRoles(keys: Keys): Role[] {
  const { right, operator } = keys;
  const kind = right.startsWith('badge_sandbox_') ? 'sandbox' : 'production';
  const inQuery = ['apiKey', 'api_key', 'key', 'access_token'].map((name) => `${name}=${operator}`).join('&');
  const mistyped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
  return [
    { role: 'no key', headers: {}, doors: HAS_NO_KEY },
    { role: 'an empty Authorization', headers: { Authorization: '' }, doors: HAS_NO_KEY },
    { role: 'an empty X-API-Key', headers: { 'X-API-Key': '' }, doors: HAS_NO_KEY },
    { role: "the operator's key in the query", headers: {}, query: inQuery, doors: HAS_NO_KEY },
    { role: "the operator's key in a cookie", headers: { Cookie: `apiKey=${operator}` }, doors: HAS_NO_KEY },
    { role: 'a scheme without a key', headers: { Authorization: 'Bearer' }, doors: IS_WRONG },
    { role: 'an unknown scheme', headers: { Authorization: `Token ${right}` }, doors: IS_WRONG },
    { role: 'a key without a scheme', headers: { Authorization: right }, doors: IS_WRONG },
    { role: 'a mistyped key', headers: bearer(mistyped), doors: IS_WRONG },
    { role: 'a part of the right key', headers: bearer(right.slice(0, -1)), doors: IS_WRONG },
    { role: 'an unknown key', headers: bearer(makeKey(kind)), doors: IS_WRONG },
    { role: "a wrong operator's key", headers: bearer(makeKey('admin')), doors: IS_WRONG },
    {
      role: "the hash of the operator's key",
      headers: bearer(hashKey(operator).toString('hex')),
      doors: IS_WRONG,
    },
    { role: 'a revoked key', headers: bearer(keys.revoked), doors: IS_WRONG },
    { role: 'an expired key', headers: bearer(keys.expired), doors: IS_WRONG },
    { role: 'a key of the other environment', headers: bearer(keys.otherEnvironment), doors: IS_WRONG },
    { role: "Basic with another community's id", headers: basic('other', right), doors: IS_WRONG },
    { role: 'Basic without a community', headers: basic('', right), doors: IS_WRONG },
    {
      role: 'the right key as X-API-Key, beside a wrong Authorization',
      headers: { Authorization: 'Digest wrong', 'X-API-Key': right },
      doors: FITS,
    },
    {
      role: 'a wrong X-API-Key beside the right key',
      headers: { ...bearer(right), 'X-API-Key': 'wrong' },
      doors: IS_WRONG,
    },
    {
      role: "another community's key",
      headers: bearer(keys.otherCommunity),
      doors: everywhere('ApiKeyNotAllowed'),
    },
    { role: 'the right key as Bearer', headers: bearer(right), doors: FITS },
    { role: 'the right key as X-API-Key', headers: { 'X-API-Key': right }, doors: FITS },
    { role: 'the right key as Basic', headers: basic('demo', right), doors: FITS },
    { role: "the operator's key as Bearer", headers: bearer(operator), doors: PASSES },
    { role: "the operator's key as X-API-Key", headers: { 'X-API-Key': operator }, doors: PASSES },
    { role: "the operator's key as Basic", headers: basic('demo', operator), doors: PASSES },
  ];
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

function basic(communityId: string, key: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${communityId}:${key}`).toString('base64')}` };
}
