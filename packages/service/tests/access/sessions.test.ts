import { join } from 'node:path';
import type { CreatedSession, Problem, SignInChallenge } from '@badge/protocol';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { verifyMessage } from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../src/domain/api-keys/rules.ts';
import { cleanUpExpiredSessions } from '../../src/domain/sessions/clean-up-expired-sessions.ts';
import { makeChallenge } from '../../src/domain/sessions/rules.ts';
import { parseAddress } from '../../src/signatures/address.ts';
import { readChallengeKey } from '../../src/storage/sessions.ts';
import { signedChallenge } from '../../src/testing/access-matrix-fixture.ts';
import { createApiKey, createSession } from '../../src/testing/access-matrix-roles.ts';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

const PUBLIC_URL = 'https://badge.example/tokens';

// prepare-demo.ts
const DEMO_NAME = 'Demo community';

let service: TestService;
let otherProcess: TestService;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL });
  const BADGE_ENCRYPTION_KEY_FILE = join(service.dataDir, 'encryption-key');
  otherProcess = await startOtherProcess(service, { PUBLIC_URL, BADGE_ENCRYPTION_KEY_FILE });
});
afterAll(async () => {
  await otherProcess.stop();
  await service.stop();
});

async function requestChallenge(address: string): Promise<SignInChallenge> {
  const response = await service.call('/v1/sessions/challenge', { json: { address } });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return (await response.json()) as SignInChallenge;
}

const postSession = (json: object, at = service) => at.call('/v1/sessions', { json });

async function signIn(wallet: Wallet, at = service): Promise<CreatedSession> {
  const response = await postSession(await signedChallenge(service, wallet), at);
  expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
  return (await response.json()) as CreatedSession;
}

const nameOf = async (response: Response) => ((await response.json()) as Problem).name;
const countSessions = async () => (await query(service.databaseUrl, 'select from sessions')).length;

test('a challenge is an EIP-4361 message for this service, and stores nothing', async () => {
  const { address } = newWallet();
  const before = await countSessions();
  const { message, expiresAtTimestamp } = await requestChallenge(address);
  const { issuedAt, nonce, ...fields } = parseSiweMessage(message);
  expect(fields).toStrictEqual({
    address,
    domain: 'badge.example',
    statement: 'Sign in to the Badge Token Service.',
    uri: PUBLIC_URL,
    version: '1',
    chainId: service.context.settings.domain.chainId,
    expirationTime: new Date(expiresAtTimestamp),
  });
  expect(expiresAtTimestamp - (issuedAt?.getTime() ?? 0)).toBe(600_000);
  expect((await requestChallenge(address)).message).not.toContain(nonce);
  expect(await countSessions()).toBe(before);
});

test('the session of a member lasts 12 hours, and an address has at most 20 sessions', async () => {
  const wallet = newWallet();
  await service.call(`/v1/communities/demo/members/${wallet.address}`, {
    method: 'PUT',
    key: service.adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ role: 'viewer' }),
  });
  const first = await signIn(wallet);
  expect(Math.abs(first.expiresAtTimestamp - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000);
  const stranger = await signIn(newWallet());
  const isValid = async ({ sessionToken: key }: CreatedSession) =>
    (await service.call('/v1/sessions/current', { key })).status === 200;
  const later = await Promise.all(
    Array.from({ length: 19 }, (_, index) => signIn(wallet, index % 2 ? otherProcess : service)),
  );
  expect(await isValid(first)).toBe(true);
  const newest = await signIn(wallet);
  expect(await isValid(first)).toBe(false);
  for (const session of [...later, newest, stranger]) expect(await isValid(session)).toBe(true);
  // The nonce of the ended one is still known, but not for twelve hours.
  const rows = await query<{ minutes: number }>(
    service.databaseUrl,
    `select extract(epoch from expires_at - now())::float / 60 as minutes from sessions
     where address = $1 and ended_at is not null`,
    [Buffer.from(wallet.address.slice(2), 'hex')],
  );
  expect(rows.map(({ minutes }) => minutes > 14 && minutes <= 15)).toEqual([true]);
});

test('the session of who belongs to nothing lasts 30 minutes on every process, and shows the memberships of that moment', async () => {
  const wallet = newWallet();
  const { sessionToken, ...session } = await signIn(wallet, otherProcess);
  expect(session).toEqual({
    identity: { type: 'wallet', address: wallet.address },
    address: wallet.address,
    addresses: [],
    emailHash: null,
    moveNonce: null,
    defaultAddress: null,
    expiresAtTimestamp: expect.any(Number),
    memberships: [],
  });
  expect(Math.abs(session.expiresAtTimestamp - Date.now() - 30 * 60_000)).toBeLessThan(60_000);
  await query(
    service.databaseUrl,
    "insert into members (community_id, address, role) values ('demo', $1, 'issuer')",
    [Buffer.from(wallet.address.slice(2), 'hex')],
  );
  const current = await service.call('/v1/sessions/current', { key: sessionToken });
  expect(await current.json()).toEqual({
    ...session,
    memberships: [{ communityId: 'demo', name: DEMO_NAME, role: 'issuer' }],
  });
  const stored = await query<{ row: string }>(
    service.databaseUrl,
    'select sessions::text as row from sessions',
  );
  expect(stored.map(({ row }) => row).join()).not.toContain(sessionToken);
});

test('GET /v1/caller says whose key or session it is, and its roles of that moment', async () => {
  const wallet = newWallet();
  const { sessionToken } = await signIn(wallet);
  const read = async (key: string) => await (await service.call('/v1/caller', { key })).json();
  const session = { kind: 'session', apiKeyId: null, address: wallet.address };
  expect(await read(sessionToken)).toEqual({ ...session, memberships: [] });
  const added = await service.call(`/v1/communities/demo/members/${wallet.address}`, {
    method: 'PUT',
    key: service.adminKey,
    body: JSON.stringify({ role: 'issuer' }),
    headers: { 'Content-Type': 'application/json' },
  });
  expect(added.status).toBe(201);
  expect(await read(sessionToken)).toEqual({
    ...session,
    memberships: [{ communityId: 'demo', name: DEMO_NAME, role: 'issuer' }],
  });
  const { apiKey, apiKeyId } = await createApiKey(service, 'demo', 'viewer');
  expect(await read(apiKey)).toEqual({
    kind: 'apiKey',
    apiKeyId,
    address: null,
    memberships: [{ communityId: 'demo', name: DEMO_NAME, role: 'viewer' }],
  });
  expect(await read(service.adminKey)).toEqual({
    kind: 'operator',
    apiKeyId: null,
    address: null,
    memberships: [],
  });
});

test('a session that is ended is rejected by every process', async () => {
  const { sessionToken: key } = await signIn(newWallet());
  expect((await otherProcess.call('/v1/sessions/current', { key })).status).toBe(200);
  expect((await service.call('/v1/sessions/current', { method: 'DELETE', key })).status).toBe(204);
  for (const process of [service, otherProcess]) {
    expect(await nameOf(await process.call('/v1/sessions/current', { key }))).toBe('InvalidSession');
  }
});

test('a wallet lists its own sessions, and ends all of them on every process', async () => {
  const wallet = newWallet();
  const [first, second, third] = [await signIn(wallet), await signIn(wallet), await signIn(wallet)];
  const { sessionToken: strangerKey } = await signIn(newWallet());
  const keys = [first, second, third].map(({ sessionToken }) => sessionToken);
  // A contract with this address, on another chain, can be that of somebody else.
  const contractKey = await createSession(service, { communityId: 'demo', role: 'viewer' });
  await query(service.databaseUrl, 'update sessions set address = $1, evidence = $2 where token_hash = $3', [
    Buffer.from(wallet.address.slice(2), 'hex'),
    '{"chainId":999}',
    hashKey(contractKey),
  ]);
  const list = async (key: string, path = '/v1/sessions') => {
    const response = await otherProcess.call(path, { key });
    return [response.status, await response.json()];
  };
  const itemOf = ({ expiresAtTimestamp }: CreatedSession, isCurrent: boolean) => {
    const createdAtTimestamp = expect.toSatisfy((created) => Math.abs(created - Date.now()) < 60_000);
    return { isCurrent, createdAtTimestamp, expiresAtTimestamp };
  };
  const all = [itemOf(third, false), itemOf(second, true), itemOf(first, false)];
  expect(await list(second.sessionToken)).toEqual([200, { limit: 50, offset: 0, data: all }]);
  expect(await list(second.sessionToken, '/v1/sessions?limit=1&offset=1')).toEqual([
    200,
    { limit: 1, offset: 1, data: all.slice(1, 2) },
  ]);
  await service.call('/v1/sessions/current', { method: 'DELETE', key: third.sessionToken });
  expect(await list(second.sessionToken)).toEqual([200, { limit: 50, offset: 0, data: all.slice(1) }]);

  expect((await service.call('/v1/sessions', { method: 'DELETE', key: first.sessionToken })).status).toBe(
    204,
  );
  for (const process of [service, otherProcess]) {
    for (const key of keys) {
      expect(await nameOf(await process.call('/v1/sessions/current', { key }))).toBe('InvalidSession');
    }
    for (const key of [strangerKey, contractKey]) {
      expect((await process.call('/v1/sessions/current', { key })).status).toBe(200);
    }
  }
  expect(await list((await signIn(wallet)).sessionToken)).toMatchObject([
    200,
    { data: [{ isCurrent: true }] },
  ]);
});

test('a session by e-mail says so on every process, is no member, and is listed and ended with its kind', async () => {
  const [first, second] = [
    await createEmailSession(service, 'ada@example.org'),
    await createEmailSession(service, 'Ada@Example.org'),
  ];
  const other = await createEmailSession(service, 'bob@example.org');
  const read = async (key: string, path = '/v1/sessions/current', at = otherProcess) =>
    (await at.call(path, { key })).json();
  expect(await read(first)).toEqual({
    identity: { type: 'email', email: 'ada@example.org' },
    address: null,
    addresses: [],
    emailHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    moveNonce: 0,
    defaultAddress: null,
    expiresAtTimestamp: expect.any(Number),
    memberships: [],
  });
  expect(await read(first, '/v1/caller')).toEqual({
    kind: 'session',
    apiKeyId: null,
    address: null,
    memberships: [],
  });
  expect(await read(second, '/v1/sessions')).toMatchObject({
    data: [{ isCurrent: true }, { isCurrent: false }],
  });
  expect(await read(first, '/v1/communities/demo/members')).toMatchObject({ name: 'RoleNotAllowed' });
  const stored = await dumpTables(service.databaseUrl);
  for (const text of ['ada@', 'Ada@', first]) expect(stored).not.toContain(text);
  expect((await service.call('/v1/sessions', { method: 'DELETE', key: first })).status).toBe(204);
  for (const process of [service, otherProcess]) {
    expect(await read(second, '/v1/sessions/current', process)).toMatchObject({ name: 'InvalidSession' });
    expect(await read(other, '/v1/sessions/current', process)).toMatchObject({ address: null });
  }
});

test('a challenge is used once, on any process, also after the sign-out', async () => {
  const signed = await signedChallenge(service, newWallet());
  const responses = await Promise.all(
    [service, otherProcess, service, otherProcess].map((at) => postSession(signed, at)),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
  const created = responses.find(({ status }) => status === 201) ?? Response.error();
  const { sessionToken: key } = (await created.json()) as CreatedSession;
  await service.call('/v1/sessions/current', { method: 'DELETE', key });
  expect(await nameOf(await postSession(signed, otherProcess))).toBe('SignInRefused');
});

describe('a sign-in is refused', () => {
  const OTHER = newWallet();

  test.each<[string, (message: string) => string, string]>([
    ['with another domain', (m) => m.replace('badge.example wants', 'evil.example wants'), 'SignInRefused'],
    ['with another scheme', (m) => `https://${m}`, 'SignInRefused'],
    ['with another URI', (m) => m.replace(PUBLIC_URL, 'https://evil.example'), 'SignInRefused'],
    ['with another chain', (m) => m.replace(/Chain ID: \d+/, 'Chain ID: 99999'), 'SignInRefused'],
    ['with another version', (m) => m.replace('Version: 1', 'Version: 2'), 'InvalidRequest'],
    ['with another address', (m) => m.replace(/0x\w{40}/, OTHER.address), 'SignInRefused'],
    ['with another statement', (m) => m.replace('Sign in to', 'Give away'), 'SignInRefused'],
    ['with another nonce', (m) => m.replace(/Nonce: \w{8}/, 'Nonce: 12345678'), 'SignInRefused'],
    ['with a nonce of its own', (m) => m.replace(/Nonce: \w+/, 'Nonce: 0123456789abcdef'), 'SignInRefused'],
    [
      'with a later expiration',
      (m) => m.replace(/Expiration Time: \d+/, 'Expiration Time: 2999'),
      'SignInRefused',
    ],
    ['with a resource', (m) => `${m}\nResources:\n- https://evil.example`, 'SignInRefused'],
    ['with CRLF', (m) => m.replaceAll('\n', '\r\n'), 'InvalidRequest'],
    ['with more text', (m) => `${m}\n`, 'InvalidRequest'],
    ['with no message', () => 'hello', 'InvalidRequest'],
  ])('%s', async (_title, change, refusal) => {
    const wallet = newWallet();
    const message = change((await requestChallenge(wallet.address)).message);
    const before = await countSessions();
    const signature = await wallet.signMessage({ message });
    expect(await nameOf(await postSession({ message, signature }))).toBe(refusal);
    expect(await countSessions()).toBe(before);
  });

  test('with a challenge that has expired', async () => {
    const wallet = newWallet();
    const { key, nowTimestamp } = await readChallengeKey(service.context.database);
    const makeIssued = (ageMs: number) =>
      makeChallenge(service.context.settings, key, {
        address: parseAddress(wallet.address),
        chainId: service.context.settings.domain.chainId,
        issuedAt: new Date(nowTimestamp - ageMs),
      }).message;
    const outcomes: number[] = [];
    for (const message of [makeIssued(600_001), makeIssued(540_000)]) {
      const signature = await wallet.signMessage({ message });
      outcomes.push((await postSession({ message, signature })).status);
    }
    expect(outcomes).toEqual([403, 201]);
  });

  test('with a challenge of a service with another database', async () => {
    const foreign = await startTestService({ PUBLIC_URL });
    // The databases of tests are copies of one database, with its key.
    await query(foreign.databaseUrl, "update challenge_key set key = sha256('other')");
    const signed = await signedChallenge(foreign, newWallet());
    expect(await nameOf(await postSession(signed))).toBe('SignInRefused');
    await foreign.stop();
  });

  test('with the signature of another wallet, or a malformed one', async () => {
    const { message } = await requestChallenge(newWallet().address);
    const signature = await OTHER.signMessage({ message });
    expect(await verifyMessage({ address: OTHER.address, message, signature })).toBe(true);
    expect(await nameOf(await postSession({ message, signature }))).toBe('NotSignedByAddress');
    expect(await nameOf(await postSession({ message, signature: '0x12' }))).toBe('InvalidSignature');
  });
});

test('expired sessions are deleted, and their tokens stay invalid', async () => {
  const member = { communityId: 'demo', role: 'viewer' } as const;
  const key = await createSession(service, member, "expires_at = now() - interval '1 ms'");
  const valid = await createSession(service, member);
  const before = await countSessions();
  expect(await cleanUpExpiredSessions(service.context)).toBe(false);
  expect(await countSessions()).toBe(before - 1);
  expect(await nameOf(await service.call('/v1/sessions/current', { key }))).toBe('InvalidSession');
  expect((await service.call('/v1/sessions/current', { key: valid })).status).toBe(200);
});

test('the sessions of one address share its rate limit, and those of strangers count for the client', async () => {
  const limited = await startTestService({ BADGE_RATE_LIMIT: '100/50' });
  const member = newWallet();
  await query(
    limited.databaseUrl,
    "insert into members (community_id, address, role) values ('demo', $1, 'viewer')",
    [Buffer.from(member.address.slice(2), 'hex')],
  );
  const keys: string[] = [];
  for (const wallet of [member, member, newWallet()]) {
    const response = await limited.call('/v1/sessions', { json: await signedChallenge(limited, wallet) });
    keys.push(((await response.json()) as CreatedSession).sessionToken);
  }
  const read = async (key: string) => (await limited.call('/v1/sessions/current', { key })).headers;
  const policies = (await Promise.all(keys.map(read))).map((headers) => headers.get('ratelimit-policy'));
  expect(policies).toEqual(['"key";q=500;w=5', '"key";q=500;w=5', '"address";q=250;w=5']);
  const [first = '', second = ''] = keys;
  const readRemaining = async (key: string) =>
    Number(/r=(\d+)/.exec((await read(key)).get('ratelimit') ?? '')?.[1]);
  // If a window ends between the two, they are sent again.
  await expect
    .poll(async () => (await readRemaining(first)) - (await readRemaining(second)), { timeout: 20_000 })
    .toBe(1);
  await limited.stop();
});
