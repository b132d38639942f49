import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditEntry,
  type BadgeMessage,
  EIP712_TYPES,
  type Problem,
  toBadgeMessage,
} from '@badge/protocol';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toChecksumAddress } from '../../src/signatures/address.ts';
import { createApiKey, createSession } from '../../src/testing/access-matrix-roles.ts';
import {
  createManagedToken,
  managedToken,
  setManagedCreator,
  sign,
} from '../../src/testing/managed-token.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  for (const uniqId of ['other', 'none', 'off', 'race', 'lost', 'enabled-twice']) {
    const json = { uniqId, displayId: uniqId, name: uniqId };
    await service.call('/v1/communities', { key: service.adminKey, json });
  }
  for (const communityId of ['demo', 'other']) await setManagedCreator(service, communityId, true);
});
afterAll(async () => await service.stop());

const BADGE: BadgeMessage = toBadgeMessage(managedToken('demo'));
const signBadge = (message: unknown, key = service.adminKey, on = service) =>
  sign(on, 'demo', { key, primaryType: 'Badge', message });

async function readAddress(communityId: string, on = service): Promise<string> {
  const response = await on.call(`/v1/communities/${communityId}/managedCreator`, { key: on.adminKey });
  return ((await response.json()) as { address: string }).address;
}

async function nameOf(response: Response): Promise<string> {
  return response.status < 400 ? String(response.status) : ((await response.json()) as Problem).name;
}

async function listEntries(communityId: string): Promise<AuditEntry[]> {
  const path = `/v1/auditLog?limit=1000&communityId=${communityId}`;
  return ((await (await service.call(path, { key: service.adminKey })).json()) as { data: AuditEntry[] })
    .data;
}

/** Starts a process with another seed on the same database. */
async function startWithOtherSeed(): Promise<TestService> {
  const file = join(tmpdir(), `badge-seed-${randomBytes(8).toString('hex')}`);
  await writeFile(file, randomBytes(32), { mode: 0o600 });
  const other = await startOtherProcess(service, { BADGE_CREATOR_SEED_FILE: file });
  onTestFinished(async () => {
    await other.stop();
    await rm(file);
  });
  return other;
}

test('each signature has one audit entry with the session that asked, whatever its Idempotency-Key', async () => {
  const before = (await listEntries('demo')).length;
  const key = await createSession(service, { communityId: 'demo', role: 'editor' });
  const send = () =>
    service.call('/v1/communities/demo/managedCreator/sign', {
      key,
      json: { primaryType: 'Badge', message: BADGE },
      headers: { 'Idempotency-Key': 'the same' },
    });
  const responses = [await send(), await send()];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(responses.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null]);
  const entries = (await listEntries('demo')).slice(0, 2);
  expect((await listEntries('demo')).length).toBe(before + 2);
  for (const entry of entries) {
    expect(entry).toMatchObject({
      action: 'signBadge',
      actor: 'session',
      address: expect.stringMatching(/^0x/),
      resourceType: 'community',
      resourceId: 'demo',
      reason: null,
    });
  }
});

describe('roles', () => {
  test.each([
    ['viewer', 'RoleNotAllowed', 'RoleNotAllowed'],
    ['issuer', 'RoleNotAllowed', '200'],
    ['editor', '200', '200'],
    ['owner', '200', '200'],
  ] as const)('a key with the role %s: Badge %s, AllowlistedAddress %s', async (role, badge, allowlisted) => {
    const { apiKey: key } = await createApiKey(service, 'demo', role);
    const message = { tokenId: await createManagedToken(service, 'demo') };
    expect(await nameOf(await signBadge(BADGE, key))).toBe(badge);
    const primaryType = 'AllowlistedAddress';
    expect(await nameOf(await sign(service, 'demo', { key, primaryType, message }))).toBe(allowlisted);
  });

  test('an issuer whose key loses the role editor while its request waits gets no Badge', async () => {
    const { apiKey: key, apiKeyId } = await createApiKey(service, 'demo', 'editor');
    const before = (await listEntries('demo')).length;
    const release = await holdLock(service.databaseUrl, 'audit_log', 'access exclusive');
    const sent = signBadge(BADGE, key);
    try {
      await waitForBlockedStatements(service.databaseUrl, 1);
      await query(service.databaseUrl, "update api_keys set role = 'issuer' where api_key_id = $1", [
        apiKeyId,
      ]);
    } finally {
      await release();
    }
    expect(await nameOf(await sent)).toBe('RoleNotAllowed');
    expect((await listEntries('demo')).length).toBe(before);
  });
});

test.each<[string, unknown, string[]]>([
  ['another community', { ...BADGE, communityUniqId: 'other' }, ['/message/communityUniqId']],
  ['the community in another case', { ...BADGE, communityUniqId: 'Demo' }, ['/message/communityUniqId']],
  ['a missing field', { ...BADGE, links: undefined }, ['/message/links']],
  ['a null field', { ...BADGE, description: null }, ['/message/description']],
  ['a further field', { ...BADGE, creator: '0x' }, ['/message/creator']],
  ['a field of the other type', { ...BADGE, tokenId: 1 }, ['/message/tokenId']],
  ['an empty headline', { ...BADGE, headline: '' }, ['/message/headline']],
  ['a lone surrogate', { ...BADGE, headline: '\ud800' }, ['/message/headline']],
  ['a number as a text', { ...BADGE, expirationTimestamp: '0' }, ['/message/expirationTimestamp']],
  [
    'a start after its end',
    { ...BADGE, startDateTimestamp: 2, endDateTimestamp: 1 },
    ['/message/startDateTimestamp'],
  ],
  ['an allowlist and a count', { ...BADGE, totalClaimCount: 1 }, ['/message/totalClaimCount']],
  ['neither', { ...BADGE, isAllowlistRequired: false }, ['/message/totalClaimCount']],
  ['a negative count', { ...BADGE, totalClaimCount: -1 }, ['/message/totalClaimCount']],
  ['more than 64 KiB', { ...BADGE, links: Array(33).fill('l'.repeat(2_048)) }, ['/message']],
  ['nothing', {}, EIP712_TYPES.Badge.map(({ name }) => `/message/${name}`)],
])('a Badge with %s is malformed, and leaves no entry', async (_title, message, pointers) => {
  const before = (await listEntries('demo')).length;
  const response = await signBadge(message);
  const { name, errors = [] } = (await response.json()) as Problem;
  const places = errors.map((error) => ('pointer' in error ? error.pointer : ''));
  expect([name, places]).toEqual(['InvalidRequest', pointers]);
  expect((await listEntries('demo')).length).toBe(before);
});

test('a Badge with as much text as a token can have is signed', async () => {
  const links = Array(31).fill('l'.repeat(2_048));
  const controlCharacters = ['\u0001'.repeat(300)];
  expect((await signBadge({ ...BADGE, links: [...links, ...controlCharacters] })).status).toBe(200);
});

test('an AllowlistedAddress is signed only for an allowlisted token of the community, whose creator is the managed one', async () => {
  const key = service.adminKey;
  const signFor = async (tokenId: unknown) =>
    nameOf(await sign(service, 'demo', { key, primaryType: 'AllowlistedAddress', message: { tokenId } }));
  const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] };
  const accepted = await service.call('/v1/tokens', { key, json: await signedToken(fields, newWallet()) });
  const operation = await service.call(`${accepted.headers.get('location')}?wait=30`);
  const { resourceId } = (await operation.json()) as { resourceId: number };
  const open = { isAllowlistRequired: false, totalClaimCount: 1, contributors: undefined };
  expect(await signFor(await createManagedToken(service, 'demo'))).toBe('200');
  expect(await signFor(await createManagedToken(service, 'other'))).toBe('TokenNotFound');
  expect(await signFor(resourceId)).toBe('NotSignedByCreator');
  expect(await signFor(await createManagedToken(service, 'demo', open))).toBe('AllowlistMismatch');
  expect(await signFor(Number.MAX_SAFE_INTEGER)).toBe('TokenNotFound');
  for (const malformed of [0, -1, 1.5, '1', null, undefined, Number.MAX_SAFE_INTEGER + 1]) {
    expect(await signFor(malformed)).toBe('InvalidRequest');
  }
});

test.each(['Claim', 'Burn', 'CommunityAdminAirdrop', 'badge', '', null])(
  'the type %s is never signed',
  async (primaryType) => {
    const body = { key: service.adminKey, primaryType: primaryType as string, message: { tokenId: 1 } };
    expect(await nameOf(await sign(service, 'demo', body))).toBe('InvalidRequest');
  },
);

test('without a managed creator, there is none, and nothing is signed', async () => {
  const { call, adminKey: key } = service;
  expect(await nameOf(await call('/v1/communities/none/managedCreator', { key }))).toBe(
    'ManagedCreatorNotFound',
  );
  const message = toBadgeMessage(managedToken('none'));
  expect(await nameOf(await sign(service, 'none', { key, primaryType: 'Badge', message }))).toBe(
    'ManagedCreatorNotFound',
  );
});

test.each([false, null])(
  '%s switches the managed creator off; its tokens stay, and it comes back',
  async (off) => {
    await setManagedCreator(service, 'off', true);
    const address = await readAddress('off');
    const tokenId = await createManagedToken(service, 'off');
    expect((await setManagedCreator(service, 'off', off)).status).toBe(200);
    expect(await readAddress('off')).toBeUndefined();
    const key = service.adminKey;
    const signed = await sign(service, 'off', {
      key,
      primaryType: 'AllowlistedAddress',
      message: { tokenId },
    });
    expect(await nameOf(signed)).toBe('ManagedCreatorNotFound');
    expect((await service.call(`/v1/tokens/${tokenId}`)).status).toBe(200);
    await setManagedCreator(service, 'off', true);
    expect(await readAddress('off')).toBe(address);
  },
);

test('a signature that waits while the managed creator is switched off is refused', async () => {
  await setManagedCreator(service, 'race', true);
  const message = toBadgeMessage(managedToken('race'));
  const release = await holdLock(service.databaseUrl, 'audit_log', 'access exclusive');
  const sent = sign(service, 'race', { key: service.adminKey, primaryType: 'Badge', message });
  try {
    await waitForBlockedStatements(service.databaseUrl, 1);
    await query(
      service.databaseUrl,
      "update communities set managed_creator = null where community_id = 'race'",
    );
  } finally {
    await release();
  }
  expect(await nameOf(await sent)).toBe('ManagedCreatorNotFound');
  const actions = (await listEntries('race')).map(({ action }) => action);
  expect(actions).not.toContain('signBadge');
});

describe('with another seed', () => {
  test('nothing is signed, and the address stays, until the operator switches the managed creator off and on', async () => {
    await setManagedCreator(service, 'lost', true);
    const address = await readAddress('lost');
    const other = await startWithOtherSeed();
    const message = toBadgeMessage(managedToken('lost'));
    const signLost = (on: TestService) =>
      sign(on, 'lost', { key: on.adminKey, primaryType: 'Badge', message });
    expect(await nameOf(await signLost(other))).toBe('ManagedCreatorUnavailable');
    expect(await nameOf(await setManagedCreator(other, 'lost', true))).toBe('ManagedCreatorUnavailable');
    expect(await readAddress('lost', other)).toBe(address);
    expect((await listEntries('lost')).map(({ action }) => action)).not.toContain('signBadge');

    await setManagedCreator(other, 'lost', false);
    await setManagedCreator(other, 'lost', true);
    expect(await readAddress('lost', other)).not.toBe(address);
    expect(await nameOf(await signLost(other))).toBe('200');
    expect(await nameOf(await signLost(service))).toBe('ManagedCreatorUnavailable');
  });

  test('of two processes with different seeds, one gives the community its managed creator', async () => {
    const other = await startWithOtherSeed();
    const responses = await Promise.all(
      [service, other, service, other].map((on) => setManagedCreator(on, 'enabled-twice', true)),
    );
    const names = await Promise.all(responses.map(nameOf));
    expect(names.toSorted()).toEqual([
      '200',
      '200',
      'ManagedCreatorUnavailable',
      'ManagedCreatorUnavailable',
    ]);
    const winner = names[0] === '200' ? service : other;
    const derived = winner.context.managedCreators?.addressOf('enabled-twice');
    expect(await readAddress('enabled-twice')).toBe(derived && toChecksumAddress(derived));
  });
});

test('production without a seed gives no managed creator', async () => {
  const production = await startTestService({
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
    BADGE_RATE_LIMIT: 'off',
  });
  onTestFinished(() => production.stop());
  const json = { uniqId: 'demo', displayId: 'demo', name: 'Demo' };
  await production.call('/v1/communities', { key: production.adminKey, json });
  expect(await nameOf(await setManagedCreator(production, 'demo', true))).toBe('ManagedCreatorUnavailable');
  expect((await setManagedCreator(production, 'demo', false)).status).toBe(200);
});
