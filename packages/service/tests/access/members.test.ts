import type { ApiKey, AuditEntry, CreatedApiKey, Member, Problem, Role } from '@badge/protocol';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signedChallenge } from '../../src/testing/access-matrix-fixture.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
let otherProcess: TestService;
let communityId: string;
let owner: Wallet;
let ownerSession: string;

beforeAll(async () => {
  service = await startTestService();
  otherProcess = await startOtherProcess(service);
});
afterAll(async () => {
  await otherProcess.stop();
  await service.stop();
});
beforeEach(async () => {
  owner = newWallet();
  const json = { displayId: 'd', name: 'n', adminAddresses: [owner.address] };
  const created = await service.call('/v1/communities', { key: service.adminKey, json });
  communityId = ((await created.json()) as { uniqId: string }).uniqId;
  ownerSession = await signIn(owner);
});

async function signIn(wallet: Wallet): Promise<string> {
  const response = await service.call('/v1/sessions', { json: await signedChallenge(service, wallet) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { sessionToken: string }).sessionToken;
}

const send = (method: string, path: string, key: string, body?: object, at: TestService = service) =>
  at.call(`/v1/communities/${communityId}${path}`, {
    method,
    key,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
const setRole = (address: string, role: Role, key = ownerSession) =>
  send('PUT', `/members/${address}`, key, { role });
const remove = (address: string, key = ownerSession) => send('DELETE', `/members/${address}`, key);
const outcomeOf = async (response: Response) =>
  response.status < 400 ? response.status : ((await response.json()) as Problem).name;

async function listMembers(): Promise<[string, Role][]> {
  const response = await send('GET', '/members', service.adminKey);
  return ((await response.json()) as { data: Member[] }).data.map(({ address, role }) => [address, role]);
}

async function listAdmins(): Promise<string[]> {
  const response = await send('PATCH', '', service.adminKey, {});
  return ((await response.json()) as { adminAddresses: string[] }).adminAddresses;
}

async function createKey(key: string, role: Role): Promise<CreatedApiKey> {
  const response = await send('POST', '/apiKeys', key, { name: 'test', role });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedApiKey;
}

async function listKeyIds(): Promise<string[]> {
  const response = await send('GET', '/apiKeys', service.adminKey);
  return ((await response.json()) as { data: ApiKey[] }).data.map(({ apiKeyId }) => apiKeyId);
}

test('members are listed in the order of addition, and a change of role keeps the place', async () => {
  const [one, two] = [newWallet(), newWallet()];
  expect((await setRole(one.address, 'viewer')).status).toBe(201);
  expect((await setRole(two.address, 'issuer')).status).toBe(201);
  expect((await setRole(one.address, 'editor')).status).toBe(200);
  const members = [
    [owner.address, 'owner'],
    [one.address, 'editor'],
    [two.address, 'issuer'],
  ];
  expect(await listMembers()).toEqual(members);
  const page = await send('GET', '/members?limit=1&offset=1', ownerSession);
  expect(await page.json()).toMatchObject({ limit: 1, offset: 1, data: [{ address: one.address }] });
});

test('adminAddresses are the owners, whoever changes them', async () => {
  const [one, two] = [newWallet(), newWallet()];
  await setRole(one.address, 'owner');
  expect(await listAdmins()).toEqual([owner.address, one.address]);
  await setRole(one.address, 'editor');
  expect(await listAdmins()).toEqual([owner.address]);
  await send('PATCH', '', service.adminKey, { adminAddresses: [two.address, one.address] });
  expect(await listMembers()).toEqual([
    [one.address, 'owner'],
    [two.address, 'owner'],
  ]);
  await remove(two.address, service.adminKey);
  expect(await listAdmins()).toEqual([one.address]);
  await send('PATCH', '', service.adminKey, { adminAddresses: [] });
  expect(await listMembers()).toEqual([]);
});

test('an owner changes the profile, but not adminAddresses', async () => {
  expect((await send('PATCH', '', ownerSession, { name: 'New' })).status).toBe(200);
  const refused = await send('PATCH', '', ownerSession, { adminAddresses: [] });
  expect(await outcomeOf(refused)).toBe('ApiKeyNotAllowed');
});

test('two owners who demote each other at once leave one owner', async () => {
  const other = newWallet();
  await setRole(other.address, 'owner');
  const otherSession = await signIn(other);
  const outcomes = await Promise.all([
    send('PUT', `/members/${other.address}`, ownerSession, { role: 'viewer' }).then(outcomeOf),
    send('PUT', `/members/${owner.address}`, otherSession, { role: 'viewer' }, otherProcess).then(outcomeOf),
  ]);
  expect(outcomes.sort()).toEqual([200, 'RoleNotAllowed']);
  expect((await listMembers()).filter(([, role]) => role === 'owner')).toHaveLength(1);
});

test('two owners who leave at once leave one owner', async () => {
  const other = newWallet();
  await setRole(other.address, 'owner');
  const otherSession = await signIn(other);
  const outcomes = await Promise.all([
    send('DELETE', `/members/${owner.address}`, ownerSession).then(outcomeOf),
    send('DELETE', `/members/${other.address}`, otherSession, undefined, otherProcess).then(outcomeOf),
  ]);
  expect(outcomes.sort()).toEqual([204, 'LastOwner']);
  expect(await listAdmins()).toHaveLength(1);
});

test('the last owner can neither leave nor be demoted, except by the operator', async () => {
  expect(await outcomeOf(await remove(owner.address))).toBe('LastOwner');
  expect(await outcomeOf(await setRole(owner.address, 'editor'))).toBe('LastOwner');
  expect((await setRole(owner.address, 'owner')).status).toBe(200);
  expect((await remove(owner.address, service.adminKey)).status).toBe(204);
});

test('a member removes itself, but nobody else', async () => {
  const [one, two] = [newWallet(), newWallet()];
  for (const { address } of [one, two]) await setRole(address, 'viewer');
  const session = await signIn(one);
  expect(await outcomeOf(await remove(two.address, session))).toBe('RoleNotAllowed');
  expect((await remove(one.address, session)).status).toBe(204);
  expect(await outcomeOf(await remove(one.address, session))).toBe('RoleNotAllowed');
});

test('a removed member is rejected by every process with the next request', async () => {
  const member = newWallet();
  await setRole(member.address, 'editor');
  const session = await signIn(member);
  expect((await send('GET', '/configuration', session, undefined, otherProcess)).status).toBe(200);
  expect((await remove(member.address)).status).toBe(204);
  for (const process of [service, otherProcess]) {
    const response = await send('GET', '/configuration', session, undefined, process);
    expect(await outcomeOf(response)).toBe('RoleNotAllowed');
  }
});

test('a member who is demoted or removed loses the keys above the new role, also those made with such keys', async () => {
  const member = newWallet();
  await setRole(member.address, 'owner');
  const session = await signIn(member);
  const ofOwner = await createKey(ownerSession, 'owner');
  const ofMember = await createKey(session, 'owner');
  const madeWithKey = await createKey(ofMember.apiKey, 'owner');
  const viewing = await createKey(session, 'viewer');
  expect([ofMember, madeWithKey].map(({ createdBy }) => createdBy)).toEqual([member.address, member.address]);
  await setRole(member.address, 'editor');
  expect(await listKeyIds()).toEqual([ofOwner.apiKeyId, viewing.apiKeyId]);
  expect(await outcomeOf(await send('GET', '/members', madeWithKey.apiKey))).toBe('InvalidApiKey');
  expect((await send('GET', '/members', viewing.apiKey)).status).toBe(200);
  await remove(member.address);
  expect(await listKeyIds()).toEqual([ofOwner.apiKeyId]);
});

test('an owner whom the operator removes with adminAddresses loses its keys, and the audit log says so', async () => {
  const { apiKeyId } = await createKey(ownerSession, 'viewer');
  await send('PATCH', '', service.adminKey, { adminAddresses: [newWallet().address] });
  expect(await listKeyIds()).toEqual([]);
  const log = await service.call(`/v1/auditLog?communityId=${communityId}&action=revokeApiKey`, {
    key: service.adminKey,
  });
  expect(await log.json()).toMatchObject({ data: [{ actor: 'operator', resourceId: apiKeyId }] });
});

test('a key that is created while its creator loses its role does not stay', async () => {
  const member = newWallet();
  await setRole(member.address, 'owner');
  const session = await signIn(member);
  await Promise.all([
    ...Array.from({ length: 5 }, () => send('POST', '/apiKeys', session, { name: 'k', role: 'owner' })),
    setRole(member.address, 'viewer'),
  ]);
  expect(await listKeyIds()).toEqual([]);
});

test('the audit log names the address of a session, and is open to viewers of the community', async () => {
  const member = newWallet();
  await setRole(member.address, 'viewer');
  const response = await service.call(`/v1/auditLog?communityId=${communityId}`, {
    key: await signIn(member),
  });
  const [entry] = ((await response.json()) as { data: AuditEntry[] }).data;
  expect(entry).toMatchObject({
    actor: 'session',
    apiKeyId: null,
    address: owner.address,
    action: 'setMember',
    resourceType: 'member',
    resourceId: member.address,
    reason: null,
  });
});

test.each([
  ['nobody', 'must be 0x and 40 hex digits'],
  ['0x52908400098527886E0F7030069857D2E4169ee7', 'has a wrong EIP-55 checksum: it is probably mistyped'],
])('the address %s in the path is an error', async (address, detail) => {
  const response = await setRole(address, 'viewer');
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ parameter: 'address', detail }] });
});
