import { randomBytes, randomUUID } from 'node:crypto';
import { type CreatedApiKey, type ErrorName, type Role as MemberRole, ROLES } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { hashKey, makeKey } from '../domain/api-keys/rules.ts';
import { toAddress, toChecksumAddress } from '../signatures/address.ts';
import { createEmailSession } from './email-sessions.ts';
import type { TestService } from './services.ts';

/**
 * Keys and sessions of every kind. `right` is a valid key of `demo`, the community of all requests in
 * `access-matrix.ts`, with the default role.
 */
export interface Keys {
  right: string;
  /** Keys of `demo`, by their role. */
  byRole: Record<MemberRole, string>;
  /** Sessions of members of `demo`, by their role. */
  sessions: Record<MemberRole, string>;
  /** The session of an owner of `other`. */
  sessionOfOther: string;
  /** A session by e-mail. */
  emailSession: string;
  /** The session of a wallet that is a member of `other`, and the wallet's address. */
  ownerSession: { token: string; address: string };
  endedSession: string;
  expiredSession: string;
  otherCommunity: string;
  revoked: string;
  expired: string;
  otherEnvironment: string;
  operator: string;
  metrics: string;
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
  const sessions = await byRole((role) => createSession(service, { communityId: 'demo', role }));
  return {
    right: right.apiKey,
    byRole: await byRole(async (role) => (await createApiKey(service, 'demo', role)).apiKey),
    sessions,
    sessionOfOther: await createSession(service, { communityId: 'other', role: 'owner' }),
    emailSession: await createEmailSession(service, `${randomUUID()}@example.org`),
    ownerSession: await createOwnerSession(service),
    endedSession: await createSession(service, { communityId: 'demo', role: 'owner' }, 'ended_at = now()'),
    expiredSession: await createSession(
      service,
      { communityId: 'demo', role: 'owner' },
      'expires_at = now()',
    ),
    otherCommunity: otherCommunity.apiKey,
    revoked: revoked.apiKey,
    expired: expired.apiKey,
    otherEnvironment,
    operator: service.adminKey,
    metrics: METRICS_KEY,
  };
}

async function byRole<Value>(
  create: (role: MemberRole) => Promise<Value>,
): Promise<Record<MemberRole, Value>> {
  const entries = ROLES.map(async (role) => [role, await create(role)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<MemberRole, Value>;
}

/** Inserts a new member of a community, and a session of the member. Returns its token. */
export async function createSession(
  service: TestService,
  { communityId, role }: { communityId: string; role: MemberRole },
  changes = 'nonce = nonce',
): Promise<string> {
  const token = makeKey('session');
  const address = randomBytes(20);
  await query(
    service.databaseUrl,
    role === 'owner'
      ? `update communities set admin_addresses = admin_addresses || $2::bytea
         where community_id = $1 and $3::text is not null`
      : 'insert into members (community_id, address, role) values ($1, $2, $3)',
    [communityId, address, role],
  );
  await query(
    service.databaseUrl,
    `insert into sessions (session_id, token_hash, address, nonce, expires_at)
     values (gen_random_uuid(), $1, $2, gen_random_uuid(), now() + interval '1 hour')`,
    [hashKey(token), address],
  );
  await query(service.databaseUrl, `update sessions set ${changes} where token_hash = $1`, [hashKey(token)]);
  return token;
}

async function createOwnerSession(service: TestService): Promise<Keys['ownerSession']> {
  const token = await createSession(service, { communityId: 'other', role: 'viewer' });
  const [row] = await query<{ address: Buffer }>(
    service.databaseUrl,
    'select address from sessions where token_hash = $1',
    [hashKey(token)],
  );
  if (row === undefined) throw new Error('the session is missing');
  return { token, address: toChecksumAddress(toAddress(row.address)) };
}

/** Creates a key of a community over HTTP. */
export async function createApiKey(
  service: TestService,
  communityId: string,
  role?: MemberRole,
): Promise<CreatedApiKey> {
  const response = await service.call(`/v1/communities/${communityId}/apiKeys`, {
    key: service.adminKey,
    json: { name: 'test', ...(role && { role }) },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedApiKey;
}

export type Outcome = 'allowed' | ErrorName;

/**
 * Who can call a route:
 * - `public`: everybody. A key is ignored.
 * - a role: a caller with a key or a session of the community that has this role or a higher one, or with the
 *   operator's key.
 * - `operator`: a caller with the operator's key.
 * - `metrics`: a caller with the operator's key, or with that of the metrics.
 * - `session`: a caller with a session.
 * - `credential`: a caller with any valid key or session, of whatever community.
 * - `ownerSession`: a caller with the session of the owner of the badge, which is `keys.ownerSession`.
 * - `withProof`: everybody, because the request has a proof: a wallet's signature or a claim code. If a key
 *   or a session is sent, it must be allowed to claim for others: it has the role `issuer` or a higher one,
 *   or it is the operator's.
 * - `emailSession`: the same route, but the request is complete only with a session by e-mail.
 * - `publicOrSession`: everybody. A key is ignored, but a session must be valid.
 * - `burnBySession`: the same route, but the request is complete only with a session, and the badge is that
 *   of `keys.ownerSession`.
 * - `emailOnly`: a caller with a session by e-mail.
 * - `withoutProof`: the same route as for `withProof`, but the request has no proof, so it needs a key.
 */
export type MatrixAccess =
  | 'public'
  | MemberRole
  | 'operator'
  | 'metrics'
  | 'session'
  | 'credential'
  | 'ownerSession'
  | 'withProof'
  | 'withoutProof'
  | 'emailSession'
  | 'publicOrSession'
  | 'burnBySession'
  | 'emailOnly';

/** A kind of caller: its credentials, and the expected outcome for each kind of access. */
export interface Role {
  role: string;
  headers: Record<string, string>;
  /** A query string to add to the path. */
  query?: string;
  outcomes: Record<MatrixAccess, Outcome>;
  /**
   * How a caller with a role of the community sends it. Public routes ignore roles, so they need not be tried
   * with it.
   */
  roleOf?: 'key' | 'session';
}

/** The key of services that are tried with each role. */
export const METRICS_KEY = 'metrics-key-0123456789abc';

type Outcomes = Role['outcomes'];

/** Returns outcomes of which all are the same, except those in `others`. */
const always = (outcome: Outcome, others: Partial<Outcomes> = {}): Outcomes => ({
  public: 'allowed',
  withProof: outcome,
  withoutProof: outcome,
  emailSession: outcome,
  emailOnly: outcome,
  viewer: outcome,
  issuer: outcome,
  editor: outcome,
  owner: outcome,
  operator: outcome,
  metrics: others.operator ?? outcome,
  session: outcome,
  credential: outcome,
  ownerSession: outcome,
  publicOrSession: 'allowed',
  burnBySession: 'InvalidRequest',
  ...others,
});
const OPERATOR_KEY = always('allowed', {
  session: 'ApiKeyNotAllowed',
  emailSession: 'InvalidRequest',
  emailOnly: 'ApiKeyNotAllowed',
  ownerSession: 'RoleNotAllowed',
});
const NO_KEY = always('ApiKeyRequired', {
  withProof: 'allowed',
  withoutProof: 'ApiKeyOrSignatureRequired',
  emailSession: 'InvalidRequest',
});
const OTHER_KEY = always('ApiKeyNotAllowed', {
  credential: 'allowed',
  emailSession: 'InvalidRequest',
  ownerSession: 'RoleNotAllowed',
});

/** The outcomes of a key or a session of `demo` with a role. */
function withRole(role: MemberRole, session: Outcome): Outcomes {
  const outcomeFor = (needed: MemberRole) =>
    ROLES.indexOf(role) >= ROLES.indexOf(needed) ? 'allowed' : 'RoleNotAllowed';
  return always('allowed', {
    ...Object.fromEntries(ROLES.map((needed) => [needed, outcomeFor(needed)])),
    withProof: outcomeFor('issuer'),
    withoutProof: outcomeFor('issuer'),
    operator: 'ApiKeyNotAllowed',
    session,
    emailSession: 'InvalidRequest',
    emailOnly: session === 'allowed' ? 'RoleNotAllowed' : session,
    ownerSession: 'RoleNotAllowed',
    burnBySession: session === 'allowed' ? 'TokenNotOwned' : 'InvalidRequest',
  });
}
const RIGHT_KEY = withRole('editor', 'ApiKeyNotAllowed');
const OTHER_SESSION = always('RoleNotAllowed', {
  operator: 'ApiKeyNotAllowed',
  session: 'allowed',
  credential: 'allowed',
  emailSession: 'InvalidRequest',
  burnBySession: 'TokenNotOwned',
});
const EMAIL_SESSION: Outcomes = {
  ...OTHER_SESSION,
  withProof: 'InvalidRequest',
  withoutProof: 'InvalidRequest',
  emailSession: 'allowed',
  emailOnly: 'allowed',
};

const INVALID_KEY = always('InvalidApiKey');
const INVALID_SESSION = always('InvalidSession', {
  publicOrSession: 'InvalidSession',
  burnBySession: 'InvalidSession',
});
// Where a key is ignored, so is a session that is not sent as one.
const SESSION_AS_KEY = always('InvalidSession');

/**
 * Returns a role for each way of sending a key, and for each kind of key. Those with a role of the community
 * begin with the lowest.
 */
export function listRoles(keys: Keys): Role[] {
  const { right, operator } = keys;
  const environment = right.startsWith('badge_sandbox_') ? 'sandbox' : 'production';
  const inQuery = ['apiKey', 'api_key', 'key', 'access_token'].map((name) => `${name}=${operator}`).join('&');
  return [
    { role: 'no key', headers: {}, outcomes: NO_KEY },
    { role: 'an empty Authorization', headers: { Authorization: '' }, outcomes: NO_KEY },
    { role: 'an empty X-API-Key', headers: { 'X-API-Key': '' }, outcomes: NO_KEY },
    { role: "the operator's key in the query", headers: {}, query: inQuery, outcomes: NO_KEY },
    { role: "the operator's key in a cookie", headers: { Cookie: `apiKey=${operator}` }, outcomes: NO_KEY },
    { role: 'a scheme without a key', headers: { Authorization: 'Bearer' }, outcomes: INVALID_KEY },
    { role: 'an unknown scheme', headers: { Authorization: `Token ${right}` }, outcomes: INVALID_KEY },
    { role: 'a key without a scheme', headers: { Authorization: right }, outcomes: INVALID_KEY },
    { role: 'a mistyped key', headers: bearer(mistype(right)), outcomes: INVALID_KEY },
    { role: 'a part of the right key', headers: bearer(right.slice(0, -1)), outcomes: INVALID_KEY },
    { role: 'an unknown key', headers: bearer(makeKey(environment)), outcomes: INVALID_KEY },
    { role: "an unknown operator's key", headers: bearer(makeKey('admin')), outcomes: INVALID_KEY },
    {
      role: "the hash of the operator's key",
      headers: bearer(hashKey(operator).toString('hex')),
      outcomes: INVALID_KEY,
    },
    {
      role: 'the key of the metrics',
      headers: bearer(keys.metrics),
      outcomes: always('InvalidApiKey', { metrics: 'allowed' }),
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
      outcomes: OTHER_KEY,
    },
    ...ROLES.map((role) => ({
      role: `a key with the role ${role}`,
      headers: bearer(keys.byRole[role]),
      outcomes: withRole(role, 'ApiKeyNotAllowed'),
      roleOf: 'key' as const,
    })),
    ...ROLES.map((role) => ({
      role: `a session with the role ${role}`,
      headers: bearer(keys.sessions[role]),
      outcomes: withRole(role, 'allowed'),
      roleOf: 'session' as const,
    })),
    {
      role: "another community's session",
      headers: bearer(keys.sessionOfOther),
      outcomes: OTHER_SESSION,
    },
    { role: 'a session by e-mail', headers: bearer(keys.emailSession), outcomes: EMAIL_SESSION },
    {
      role: 'the session of an owner of a badge',
      headers: bearer(keys.ownerSession.token),
      outcomes: { ...OTHER_SESSION, ownerSession: 'allowed', burnBySession: 'allowed' },
    },
    { role: 'an ended session', headers: bearer(keys.endedSession), outcomes: INVALID_SESSION },
    { role: 'an expired session', headers: bearer(keys.expiredSession), outcomes: INVALID_SESSION },
    { role: 'an unknown session', headers: bearer(makeKey('session')), outcomes: INVALID_SESSION },
    {
      role: 'a mistyped session',
      headers: bearer(mistype(keys.sessions.owner)),
      outcomes: INVALID_SESSION,
    },
    {
      role: 'a session as X-API-Key',
      headers: { 'X-API-Key': keys.sessions.owner },
      outcomes: SESSION_AS_KEY,
    },
    {
      role: 'a session as Basic',
      headers: basic('demo', keys.sessions.owner),
      outcomes: SESSION_AS_KEY,
    },
    { role: 'the right key as Bearer', headers: bearer(right), outcomes: RIGHT_KEY },
    { role: 'the right key as X-API-Key', headers: { 'X-API-Key': right }, outcomes: RIGHT_KEY },
    { role: 'the right key as Basic', headers: basic('demo', right), outcomes: RIGHT_KEY },
    { role: "the operator's key as Bearer", headers: bearer(operator), outcomes: OPERATOR_KEY },
    { role: "the operator's key as X-API-Key", headers: { 'X-API-Key': operator }, outcomes: OPERATOR_KEY },
    { role: "the operator's key as Basic", headers: basic('demo', operator), outcomes: OPERATOR_KEY },
  ];
}

function mistype(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

function basic(communityId: string, key: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${communityId}:${key}`).toString('base64')}` };
}
