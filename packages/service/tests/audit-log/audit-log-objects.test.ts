import { randomUUID } from 'node:crypto';
import type {
  AuditEntry,
  CreatedApiKey,
  CreatedClaimLinks,
  CreatedInvitations,
  Operation,
  WebhookWithSecret,
} from '@badge/protocol';
import { waitForPlacedEvents } from '@badge/test-support/fixtures';
import { newAddress, newWallet, signedBurn, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../src/testing/access-matrix-roles.ts';
import { nftTypeForm } from '../../src/testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// What the audit log says about the objects of its entries. None of it is in the entries.

let service: TestService;
const creator = newWallet();

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function send<Body>(
  method: string,
  path: string,
  json?: unknown,
  key = service.adminKey,
): Promise<Body> {
  const response = await service.call(path, {
    method,
    key,
    ...(json === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return (text === '' ? {} : JSON.parse(text)) as Body;
}

/** Sends a request, and returns its operation when it has ended. */
async function settle(path: string, json: unknown): Promise<Operation> {
  const response = await service.call(path, { json, key: service.adminKey });
  expect(response.status, await response.clone().text()).toBe(202);
  return await send<Operation>('GET', `${response.headers.get('location')}?wait=30`);
}

async function createToken(headline: string, fields: object = {}): Promise<number> {
  const { resourceId } = await settle('/v1/tokens', await signedToken({ headline, ...fields }, creator));
  return resourceId ?? 0;
}

async function listEntries(key = service.adminKey): Promise<AuditEntry[]> {
  const { data } = await send<{ data: AuditEntry[] }>(
    'GET',
    '/v1/auditLog?communityId=demo&limit=1000',
    undefined,
    key,
  );
  return data;
}

/** The entries about one resource, the oldest first. */
async function entriesOf(resourceId: string | number, key?: string): Promise<AuditEntry[]> {
  const all = await listEntries(key);
  return all.filter((entry) => entry.resourceId === String(resourceId)).reverse();
}

/** What is known about the operations on one token, the oldest first. */
async function operationsOf(tokenId: number): Promise<Partial<AuditEntry>[]> {
  const entries = (await listEntries()).filter(
    (entry) => entry.tokenId === tokenId && entry.resourceType === 'operation',
  );
  return entries.reverse().map(({ action, headline, ownerAddress, toAddress, operationStatus }) => ({
    action,
    headline,
    ownerAddress,
    toAddress,
    operationStatus,
  }));
}

test('an operation names its badge and whose it is, for ever, also after the badge has gone on', async () => {
  const owner = newWallet();
  const { address } = owner;
  const toAddress = newAddress();
  const tokenId = await createToken('In the log');
  const path = `/v1/tokens/${tokenId}`;
  const reason = { reason: 'a mistake' };
  await settle(`${path}/airdrop`, { address });
  await settle(`${path}/owners/${address}/revoke`, reason);
  await settle(`${path}/owners/${address}/reinstate`, reason);
  await settle(`${path}/owners/${address}/move`, { ...reason, toAddress });
  // Back again: the claims no longer say which operation has moved the badge first.
  await settle(`${path}/owners/${toAddress}/move`, { ...reason, toAddress: address });
  await settle(`${path}/burn`, await signedBurn(tokenId, owner));
  const known = {
    headline: 'In the log',
    ownerAddress: address,
    toAddress: null,
    operationStatus: 'success',
  };
  expect(await operationsOf(tokenId)).toEqual([
    { ...known, action: 'createToken', ownerAddress: null },
    { ...known, action: 'airdrop' },
    { ...known, action: 'revoke' },
    { ...known, action: 'reinstate' },
    { ...known, action: 'move', toAddress },
    { ...known, action: 'move', ownerAddress: toAddress, toAddress: address },
    { ...known, action: 'burn' },
  ]);
  const [stored] = await query<{ text: string }>(
    service.databaseUrl,
    'select string_agg(audit_log::text, $1) as text from audit_log',
    ['\n'],
  );
  for (const one of [address, toAddress]) {
    expect(stored?.text.toLowerCase()).not.toContain(one.slice(2).toLowerCase());
  }
});

test('an operation that an earlier release has settled names whose badge it is by the claim', async () => {
  const [claimed, revoked, from, to] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const tokenId = await createToken('Long ago');
  const path = `/v1/tokens/${tokenId}`;
  for (const address of [claimed, revoked, from]) await settle(`${path}/airdrop`, { address });
  await settle(`${path}/owners/${revoked}/revoke`, { reason: 'a mistake' });
  await settle(`${path}/owners/${from}/move`, { reason: 'a mistake', toAddress: to });
  await query(service.databaseUrl, 'update operations set request = null where resource_id = $1', [tokenId]);
  const known = await operationsOf(tokenId);
  expect(known.slice(1).map(({ ownerAddress, toAddress }) => [ownerAddress, toAddress])).toEqual([
    [claimed, null],
    [revoked, null],
    [from, null],
    [revoked, null],
    [from, to],
  ]);
});

test('an operation that has failed names the badge and the address, too', async () => {
  const tokenId = await createToken('Only one');
  const operationId = randomUUID();
  const failed = newAddress();
  await query(
    service.databaseUrl,
    `with operation as (
       insert into operations (operation_id, operation_type, community_id, request, request_bytes, status, error, completed_at)
       values ($1, 'airdrop', 'demo', $2, 100, 'error', '{"name": "NoTokensLeft", "detail": "None is left."}', now())
     )
     insert into audit_log (actor, action, community_id, resource_type, resource_id)
     values ('operator', 'airdrop', 'demo', 'operation', $1::uuid::text)`,
    [operationId, JSON.stringify({ tokenId, address: failed.slice(2).toLowerCase() })],
  );
  expect(await entriesOf(operationId)).toMatchObject([
    { tokenId, headline: 'Only one', ownerAddress: failed, operationStatus: 'error' },
  ]);
});

test('a link names its badge, and whom it is for', async () => {
  const tokenId = await createToken('With links', {
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['ada@example.org'],
  });
  const path = `/v1/tokens/${tokenId}/claimLinks`;
  const { items } = await send<CreatedClaimLinks>('POST', path, { identifiers: ['ada@example.org'] });
  const { claimLinkId = '' } = items[0] ?? {};
  await send('DELETE', `${path}/${claimLinkId}`);
  const known = { tokenId, headline: 'With links', ownerAddress: null, operationStatus: null };
  expect(await entriesOf(claimLinkId)).toMatchObject([
    { ...known, action: 'revokeClaimLink', resourceName: 'ada@example.org' },
  ]);
  // The entry of the creation is about the badge.
  expect(await entriesOf(tokenId)).toMatchObject([
    { ...known, action: 'createClaimLinks', resourceName: null },
  ]);
});

test('an invitation and its link name the mailbox, until it is erased; a reservation never does', async () => {
  const email = `${randomUUID()}@example.org`;
  const tokenId = await createToken('By mail');
  const path = `/v1/tokens/${tokenId}`;
  const { items } = await send<CreatedInvitations>('POST', `${path}/invitations`, {
    recipients: [{ email }],
  });
  const { invitationId = '', claimLinkId } = items[0] ?? {};
  await send('DELETE', `${path}/invitations/${invitationId}`);
  const known = { tokenId, headline: 'By mail' };
  expect(await entriesOf(invitationId)).toMatchObject([
    { ...known, action: 'revokeInvitation', resourceName: email },
  ]);
  await query(
    service.databaseUrl,
    `insert into audit_log (actor, action, community_id, resource_type, resource_id)
     values ('operator', 'revokeClaimLink', 'demo', 'claimLink', $1)`,
    [claimLinkId],
  );
  expect(await entriesOf(claimLinkId ?? '')).toMatchObject([{ ...known, resourceName: email }]);

  const change = (set: string) =>
    query(service.databaseUrl, `update invitations set ${set} where invitation_id = $1`, [invitationId]);
  await change("kind = 'reservation', source_link_id = claim_link_id");
  expect(await entriesOf(claimLinkId ?? '')).toMatchObject([{ ...known, resourceName: null }]);
  await change("kind = 'invitation', email_hash = null, mailbox_hash = null, erase_at = null");
  await query(
    service.databaseUrl,
    'update recipients set email = null, email_hash = null where invitation_id = $1',
    [invitationId],
  );
  expect(await entriesOf(invitationId)).toMatchObject([{ ...known, resourceName: null }]);
});

test('a key, a webhook, a design and the community have their names, and what is gone has none', async () => {
  const { apiKeyId, apiKey } = await send<CreatedApiKey>('POST', '/v1/communities/demo/apiKeys', {
    name: 'Our website',
    role: 'owner',
  });
  // An event of an earlier test would make a delivery, with which the webhook cannot be deleted.
  await waitForPlacedEvents(service.databaseUrl);
  const url = 'http://localhost:9/secret-path';
  const webhook = { name: 'Discord', url };
  const { webhookId } = await send<WebhookWithSecret>(
    'POST',
    '/v1/communities/demo/webhooks',
    webhook,
    apiKey,
  );
  await send('PATCH', '/v1/communities/demo', { description: 'We meet on Tuesdays.' }, apiKey);
  const form = { method: 'POST', key: apiKey, body: nftTypeForm() };
  const nftType = await service.call('/v1/communities/demo/nftTypes', form);
  const { nftTypeId, name } = (await nftType.json()) as { nftTypeId: string; name: string };
  await send('DELETE', `/v1/communities/demo/nftTypes/${nftTypeId}`, undefined, apiKey);
  await send('DELETE', `/v1/communities/demo/apiKeys/${apiKeyId}`);

  const byKey = { actor: 'apiKey', apiKeyId, apiKeyName: 'Our website' };
  expect(await entriesOf(apiKeyId)).toMatchObject([
    { action: 'createApiKey', apiKeyName: null, resourceName: 'Our website' },
    { action: 'revokeApiKey', apiKeyName: null, resourceName: 'Our website' },
  ]);
  expect(await entriesOf(webhookId)).toMatchObject([{ ...byKey, resourceName: 'Discord' }]);
  expect((await entriesOf('demo')).at(-1)).toMatchObject({
    ...byKey,
    resourceName: expect.stringMatching(/./),
  });
  expect(await entriesOf(nftTypeId)).toMatchObject([
    { ...byKey, action: 'createNftType', resourceName: name },
    { ...byKey, action: 'deleteNftType', resourceName: name },
  ]);
  expect(JSON.stringify(await listEntries())).not.toContain('secret-path');

  await query(service.databaseUrl, 'delete from webhooks where webhook_id = $1', [webhookId]);
  expect(await entriesOf(webhookId)).toMatchObject([{ resourceId: webhookId, resourceName: null }]);
});

test('whoever may not list keys and webhooks does not learn their names from the log', async () => {
  const role = 'owner';
  const { apiKeyId, apiKey } = await send<CreatedApiKey>('POST', '/v1/communities/demo/apiKeys', {
    name: 'Hidden key',
    role,
  });
  const webhook = { name: 'Hidden webhook', url: 'http://localhost:9/' };
  const { webhookId } = await send<WebhookWithSecret>(
    'POST',
    '/v1/communities/demo/webhooks',
    webhook,
    apiKey,
  );
  for (const reader of ['viewer', 'issuer', 'editor', 'owner'] as const) {
    const isOwner = reader === 'owner';
    const sessionOrKey = [
      await createSession(service, { communityId: 'demo', role: reader }),
      (
        await send<CreatedApiKey>('POST', '/v1/communities/demo/apiKeys', {
          name: `reads as ${reader}`,
          role: reader,
        })
      ).apiKey,
    ];
    for (const key of sessionOrKey) {
      expect(await entriesOf(webhookId, key), reader).toMatchObject([
        {
          apiKeyId,
          apiKeyName: isOwner ? 'Hidden key' : null,
          resourceName: isOwner ? 'Hidden webhook' : null,
        },
      ]);
      const [created] = await entriesOf(apiKeyId, key);
      expect(created?.resourceName, reader).toBe(isOwner ? 'Hidden key' : null);
    }
  }
});
