import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  type CreatedApiKey,
  type CreatedInvitations,
  ERRORS,
  type ErrorName,
  LIMITS,
  type Operation,
  type Problem,
  type Role,
} from '@badge/protocol';
import { newWallet, signedToken, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { signedChallenge } from '../testing/access-matrix-fixture.ts';
import { createApiKey } from '../testing/access-matrix-roles.ts';
import { claimProvocations } from '../testing/claim-provocations.ts';
import { setManagedCreator } from '../testing/managed-token.ts';
import { nftTypeProvocations } from '../testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../testing/services.ts';
import { insertExport } from '../testing/transfers.ts';

const INTERNAL_TEXT =
  /\bat \S+:\d+|node_modules|\.ts\b|\b(select|insert|update)\b|relation|tokens_renamed|pg_|FST_/i;

let service: TestService;
let withoutDatabase: TestService;
let withoutTokensTable: TestService;
let rateLimited: TestService;
let withShortTimeout: TestService;

beforeAll(async () => {
  [service, withoutDatabase, withoutTokensTable, rateLimited, withShortTimeout] = await Promise.all([
    startTestService(),
    startTestService(),
    startTestService(),
    startTestService({ BADGE_RATE_LIMIT: '1/1' }),
    // Long enough for a busy machine: if the time is over before the service reads the body, there is no
    // response. Nothing listens at the endpoint.
    startTestService({ BADGE_CHAIN_RPC_URLS: '80001=http://127.0.0.1:9/' }, { bodyMs: 2_000 }),
  ]);
  await query(
    service.databaseUrl,
    "insert into communities (community_id, display_id, name, description) values ('other', '', '', '')",
  );
  await refuseConnections(withoutDatabase.databaseUrl);
  await query(withoutTokensTable.databaseUrl, 'alter table tokens rename to tokens_renamed');
});
afterAll(async () => {
  const services = [service, withoutDatabase, withoutTokensTable, rateLimited, withShortTimeout];
  await Promise.all(services.map(({ stop }) => stop()));
});

const createToken = async (fields: Record<string, unknown>, key = service.apiKey) =>
  service.call('/v1/tokens', { key, json: { ...(await signedToken()), ...fields } });

async function createInvitations() {
  const operation = await service.call(`${(await createToken({})).headers.get('location')}?wait=30`);
  const { resourceId } = (await operation.json()) as Operation;
  const path = `/v1/tokens/${resourceId}/invitations`;
  const json = { recipients: [{ email: 'ada@example.org' }] };
  const response = await service.call(path, { key: service.apiKey, json });
  const { items = [] } = (await response.clone().json()) as Partial<CreatedInvitations>;
  return { path, response, key: service.apiKey, invitationId: items[0]?.invitationId };
}

const createWithIdempotencyKey = async (key: string, json: unknown) =>
  service.call('/v1/tokens', { key: service.apiKey, json, headers: { 'Idempotency-Key': key } });

const WEBHOOK = { name: 'test', url: 'http://localhost:9/' };

async function createWebhook(): Promise<string> {
  const created = await service.call('/v1/communities/demo/webhooks', {
    key: service.adminKey,
    json: WEBHOOK,
  });
  return `/v1/communities/demo/webhooks/${((await created.json()) as { webhookId: string }).webhookId}`;
}

const createWithoutDatabase = async (key: string) =>
  withoutDatabase.call('/v1/tokens', { key, json: await signedToken() });

const provocations: Record<ErrorName, () => Promise<Response>> = {
  ...claimProvocations(() => service),
  ...nftTypeProvocations(() => service),
  InvalidRequest: () => createToken({ headline: '', isSignatureRequired: 'no', totalClaimCount: 0 }),
  CursorExpired: () =>
    service.call('/v1/communities/demo/events?after=999999-00000000', { key: service.apiKey }),
  InvalidSignature: () => createToken({ signature: `0x${'11'.repeat(63)}` }),
  ChainUnavailable: async () =>
    withShortTimeout.call('/v1/tokens', {
      key: withShortTimeout.apiKey,
      json: await signedToken({ creator: newWallet().address }),
    }),
  ApiKeyRequired: () => service.call('/v1/tokens', { json: {} }),
  InvalidApiKey: () => createToken({}, 'unknown'),
  InvalidSession: () => createToken({}, makeKey('session')),
  SignInRefused: () => signIn((message) => message.replace(/Chain ID: \d+/, 'Chain ID: 5')),
  NotSignedByAddress: () => signIn((message) => message, newWallet()),
  MemberNotFound: () =>
    service.call(`/v1/communities/demo/members/${newWallet().address}`, {
      method: 'DELETE',
      key: service.adminKey,
    }),
  ManagedCreatorNotFound: async () => {
    await query(
      service.databaseUrl,
      "update communities set managed_creator = null where community_id = 'other'",
    );
    return await service.call('/v1/communities/other/managedCreator', { key: service.adminKey });
  },
  ManagedCreatorUnavailable: async () => {
    await query(
      service.databaseUrl,
      "update communities set managed_creator = $1 where community_id = 'other'",
      [Buffer.alloc(20)],
    );
    return await setManagedCreator(service, 'other', true);
  },
  CredentialsUnavailable: async () => {
    await query(
      service.databaseUrl,
      "insert into issuer_keys (community_id, generation, public_key) values ('other', 1, $1)",
      [Buffer.alloc(32)],
    );
    return await service.call('/v1/communities/other/issuerKeys', { key: service.adminKey, json: {} });
  },
  StatusListNotFound: () => service.call(`/status/${randomUUID()}`),
  InvitationNotFound: async () => {
    const { path, key } = await createInvitations();
    return await service.call(`${path}/${randomUUID()}`, { method: 'DELETE', key });
  },
  RecipientNotFound: async () => {
    const { path, key } = await createInvitations();
    return await service.call(`${path.replace(/invitations$/, 'recipients')}/${randomUUID()}`, {
      method: 'PATCH',
      key,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Ada' }),
    });
  },
  InvitationEnded: async () => {
    const { path, key, invitationId } = await createInvitations();
    await service.call(`${path}/${invitationId}`, { method: 'DELETE', key });
    return await service.call(`${path}/${invitationId}/resend`, { method: 'POST', key });
  },
  InvitationNotScheduled: async () => {
    const { path, key, invitationId } = await createInvitations();
    return await service.call(`${path}/${invitationId}`, {
      method: 'PATCH',
      key,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sendAtTimestamp: null }),
    });
  },
  ConfirmationCodeInvalid: async () => {
    const { path } = await createInvitations();
    const json = { confirmationCode: '0'.repeat(26) };
    return await service.call(path.replace(/invitations$/, 'reservations/confirm'), { json });
  },
  MailUnavailable: async () => {
    const { context } = service;
    const { mail } = context;
    context.mail = null;
    return (
      await createInvitations().finally(() => {
        context.mail = mail;
      })
    ).response;
  },
  KeptBadgesUnavailable: async () => {
    const { call, context } = service;
    const { keptAddresses } = context;
    context.keptAddresses = null;
    return await call('/v1/sessions/emailChallenge', { json: { email: 'ada@example.org' } }).finally(() => {
      context.keptAddresses = keptAddresses;
    });
  },
  LastOwner: async () => {
    const { address, ownerKey } = await createOwner();
    return await service.call(`/v1/communities/demo/members/${address}`, { method: 'DELETE', key: ownerKey });
  },
  OwnerLimitReached: async () => {
    await insertMembers('full', LIMITS.adminAddresses, 'owner');
    return await setMember('full', 'owner');
  },
  MemberLimitReached: async () => {
    await insertMembers('crowded', LIMITS.members, 'viewer');
    return await setMember('crowded', 'viewer');
  },
  ApiKeyNotAllowed: () => createToken({ communityId: 'other' }),
  RoleNotAllowed: () =>
    service.call('/v1/communities/demo/apiKeys', { key: service.apiKey, json: { name: 'key' } }),
  BadgeRegisterRequestNotSignedByCreator: () => createToken({ headline: 'changed after it was signed' }),
  NotFound: () => service.call('/v1/nothing'),
  FormatNotSupported: () => service.call('/oembed?url=x&format=xml'),
  TokenNotFound: () => service.call('/v1/tokens/999999999'),
  CommunityNotFound: () => service.call('/v1/communities/nobody'),
  NftTypeNotFound: () => createToken({ nftTypeId: 'nothing' }),
  OperationNotFound: () => service.call(`/v1/operations/${randomUUID()}`),
  WebhookNotFound: () =>
    service.call(`/v1/communities/demo/webhooks/${randomUUID()}`, {
      method: 'DELETE',
      key: service.adminKey,
    }),
  WebhookDeliveryNotFound: async () =>
    await service.call(`${await createWebhook()}/deliveries/${randomUUID()}/redeliver`, {
      method: 'POST',
      key: service.adminKey,
    }),
  WebhookDisabled: async () => {
    const path = await createWebhook();
    await query(service.databaseUrl, 'update webhooks set is_enabled = false');
    return await service.call(`${path}/test`, { method: 'POST', key: service.adminKey });
  },
  SecretNotRepeated: async () => {
    const create = () =>
      service.call('/v1/communities/demo/apiKeys', {
        key: service.adminKey,
        json: { name: 'revoked' },
        headers: { 'Idempotency-Key': 'revoked' },
      });
    const { apiKeyId } = (await (await create()).json()) as CreatedApiKey;
    const path = `/v1/communities/demo/apiKeys/${apiKeyId}`;
    await service.call(path, { method: 'DELETE', key: service.adminKey });
    return await create();
  },
  WebhookLimitReached: async () => {
    await query(
      service.databaseUrl,
      `insert into webhooks (webhook_id, community_id, encrypted_url, name, encrypted_secret)
       select gen_random_uuid(), 'other', '', '', '' from generate_series(1, $1)`,
      [LIMITS.webhooks],
    );
    return await service.call('/v1/communities/other/webhooks', { key: service.adminKey, json: WEBHOOK });
  },
  EncryptionUnavailable: () => {
    const { call, adminKey, context } = withoutTokensTable;
    context.encryption = null;
    return call('/v1/communities/demo/webhooks', { key: adminKey, json: WEBHOOK });
  },
  ExportNotFound: () => service.call('/v1/communities/demo/exports/1000000', { key: service.adminKey }),
  ImportNotFound: () => service.call('/v1/communities/demo/imports/1000000', { key: service.adminKey }),
  DownloadEnded: async () => {
    const { downloadPath } = await insertExport(service);
    await service.call(downloadPath);
    return await service.call(downloadPath);
  },
  ApiKeyNotFound: () =>
    service.call(`/v1/communities/demo/apiKeys/${randomUUID()}`, {
      method: 'DELETE',
      key: service.adminKey,
    }),
  CommunityExists: () =>
    service.call('/v1/communities', {
      key: service.adminKey,
      json: { uniqId: 'other', displayId: 'other', name: 'Other' },
    }),
  IdempotencyKeyReused: async () => {
    await createWithIdempotencyKey('reused', await signedToken());
    return await createWithIdempotencyKey('reused', await signedToken());
  },
  IdempotencyKeyInUse: async () => {
    const json = await signedToken();
    const { headers } = await createWithIdempotencyKey('in-use', json);
    await query(
      service.databaseUrl,
      `update idempotency_keys
       set status = null, headers = null, body = null, locked_until = now() + interval '1 minute'
       where request_id = $1`,
      [headers.get('x-request-id')],
    );
    return await createWithIdempotencyKey('in-use', json);
  },
  RateLimited: async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => rateLimited.call('/v1/environment')),
    );
    return responses.find((response) => response.status === 429) ?? Response.error();
  },
  MethodNotAllowed: () => service.call('/v1/tokens', { method: 'DELETE' }),
  TooLarge: () => createToken({ padding: 'p'.repeat(LIMITS.contributorsBodyBytes) }),
  UnsupportedMediaType: () =>
    service.call('/v1/tokens', {
      method: 'POST',
      headers: { 'X-API-Key': service.apiKey, 'Content-Type': 'text/plain' },
      body: '{}',
    }),
  RequestTimeout: () => callWithIncompleteBody(withShortTimeout),
  HeadersTooLarge: () => callWithHeaders(service, { 'X-Padding': 'p'.repeat(20_000) }),
  InternalError: () => withoutTokensTable.call('/v1/tokens'),
  Unavailable: () => withoutDatabase.call('/v1/tokens'),
};

describe.each(Object.entries(provocations))('%s', (name, provoke) => {
  const { status, title } = ERRORS[name as ErrorName];
  let response: Response;
  let problem: Problem;

  beforeAll(async () => {
    response = await provoke();
    problem = (await response.json()) as Problem;
  });

  test('is a problem object with the status and title in ERRORS', () => {
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
    const { errors, replacedByTokenId, ...rest } = problem;
    expect(replacedByTokenId !== undefined).toBe(name === 'TokenReplaced');
    expect(rest).toStrictEqual({
      type: expect.stringMatching(/^http:/),
      title,
      status,
      // A sentence, or a JSON pointer and what is wrong there.
      detail: expect.stringMatching(/^\S.*\.$|^\/\S* .+$/),
      instance: `urn:uuid:${response.headers.get('x-request-id')}`,
      name,
      error: problem.detail,
    });
    expect(Array.isArray(errors)).toBe(name === 'InvalidRequest');
    expect(JSON.stringify(problem)).not.toMatch(INTERNAL_TEXT);
  });

  test('has WWW-Authenticate, Allow and Retry-After only if the error requires them', () => {
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    const allowed = response.headers.get('allow')?.split(', ').sort();
    expect(allowed).toEqual(status === 405 ? ['GET', 'HEAD', 'POST'] : undefined);
    const isTemporary = status === 503 || status === 429 || name === 'IdempotencyKeyInUse';
    if (isTemporary)
      expect(response.headers.get('retry-after')).toMatch(
        status === 429 || name === 'ChainUnavailable' ? /^[1-5]$/ : /^1$/,
      );
    else expect(response.headers.get('retry-after')).toBeNull();
  });

  test('has a type that is the URL of its description', async () => {
    const { origin, pathname, hash } = new URL(problem.type);
    const docs = await fetch(origin.replace('localhost', '127.0.0.1') + pathname);
    expect(await docs.text()).toContain(`id="${hash.slice(1)}"`);
    expect(hash).toBe(`#${name}`);
  });
});

test('a response lists every error of the request', async () => {
  const { errors } = (await (await provocations.InvalidRequest()).json()) as Problem;
  const pointers = errors?.map((error) => 'pointer' in error && error.pointer).sort();
  expect(pointers).toEqual(['/headline', '/isSignatureRequired', '/totalClaimCount']);
});

test('all internal errors have the same detail', async () => {
  const responses = await Promise.all(
    ['/v1/tokens', '/v1/tokens/1', '/images/token/1.png'].map((path) => withoutTokensTable.call(path)),
  );
  const problems = await Promise.all(responses.map(async (response) => (await response.json()) as Problem));
  expect(new Set(problems.map(({ name, detail }) => `${name}: ${detail}`))).toEqual(
    new Set(['InternalError: An internal error occurred. The request id identifies it in the log.']),
  );
});

test.each([
  ['GET /readyz', () => withoutDatabase.call('/readyz')],
  ['GET /v1/operations/:operationId', () => withoutDatabase.call(`/v1/operations/${randomUUID()}`)],
  ["POST /v1/tokens with a community's key", () => createWithoutDatabase(withoutDatabase.apiKey)],
  ["POST /v1/tokens with the operator's key", () => createWithoutDatabase(withoutDatabase.adminKey)],
] as const)('%s returns 503 without the database', async (_call, send) => {
  expect((await send()).status).toBe(503);
});

test('without the database, /healthz returns 200, and /metrics returns NaN for the backlog', async () => {
  expect((await withoutDatabase.call('/healthz')).status).toBe(200);
  expect(await (await withoutDatabase.call('/metrics')).text()).toContain('badge_operations_pending Nan');
});

/** Signs in with a challenge that is changed before it is signed, perhaps by another wallet. */
async function signIn(change: (message: string) => string, signer?: Wallet): Promise<Response> {
  const wallet = newWallet();
  const { message: unchanged } = await signedChallenge(service, wallet);
  const message = change(unchanged);
  const signature = await (signer ?? wallet).signMessage({ message });
  return await service.call('/v1/sessions', { json: { message, signature } });
}

async function createOwner(): Promise<{ address: string; ownerKey: string }> {
  const { address } = newWallet();
  await query(
    service.databaseUrl,
    "update communities set admin_addresses = array[$1::bytea] where community_id = 'demo'",
    [Buffer.from(address.slice(2), 'hex')],
  );
  return { address, ownerKey: (await createApiKey(service, 'demo', 'owner')).apiKey };
}

async function insertMembers(uniqId: string, count: number, role: Role): Promise<void> {
  await service.call('/v1/communities', {
    key: service.adminKey,
    json: { uniqId, displayId: 'd', name: 'n' },
  });
  await query(
    service.databaseUrl,
    `insert into members (community_id, address, role)
     select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), $3 from generate_series(1, $2::integer) n`,
    [uniqId, count, role],
  );
}

const setMember = (communityId: string, role: Role) =>
  service.call(`/v1/communities/${communityId}/members/${newWallet().address}`, {
    method: 'PUT',
    key: service.adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ role }),
  });

async function refuseConnections(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  await query(url.href, `alter database ${name} allow_connections false`);
  await query(url.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
}

async function callWithHeaders({ url }: TestService, headers: Record<string, string>): Promise<Response> {
  return await toResponse(get(url, { headers }));
}

async function callWithIncompleteBody({ url, apiKey }: TestService): Promise<Response> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', 'Content-Length': '9' };
  const call = request(`${url}/v1/tokens`, { method: 'POST', headers });
  call.write('{');
  return await toResponse(call);
}

async function toResponse(call: ClientRequest): Promise<Response> {
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return new Response(await text(response), {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
  });
}
