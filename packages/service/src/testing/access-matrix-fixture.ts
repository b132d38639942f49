import { randomUUID } from 'node:crypto';
import type { CreatedClaimLink, CreatedClaimLinks, Operation, SignInChallenge } from '@badge/protocol';
import {
  newAddress,
  newWallet,
  signedContributors,
  signedToken,
  signTokenId,
  type Wallet,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { createKeys, type Keys } from './access-matrix-roles.ts';
import { createManagedToken, setManagedCreator } from './managed-token.ts';
import { nftTypeForm } from './nft-type-provocations.ts';
import type { TestService } from './services.ts';

/** A sandbox service with the resources that the rows of the access matrix use, all in the community `demo`. */
export interface MatrixFixture {
  service: TestService;
  keys: Keys;
  /** Signs every token. An admin of `demo`. */
  creator: Wallet;
  openTokenId: number;
  allowlistedTokenId: number;
  /** Its creator is the managed creator of `demo`. */
  managedTokenId: number;
  operationId: string;
}

export async function createMatrixFixture(service: TestService): Promise<MatrixFixture> {
  const creator = newWallet();
  const { call, adminKey } = service;
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  expect((await call('/v1/communities', { key: adminKey, json: other })).status).toBe(201);
  const patched = await call('/v1/communities/demo', {
    method: 'PATCH',
    key: adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adminAddresses: [creator.address] }),
  });
  expect(patched.status).toBe(200);
  const fixture = { service, creator, keys: await createKeys(service) };
  const open = await waitForSuccess(service, await postToken(fixture));
  const allowlisted = await waitForSuccess(
    service,
    await postToken(fixture, {
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [creator.address],
    }),
  );
  expect((await setManagedCreator(service, 'demo', true)).status).toBe(200);
  return {
    ...fixture,
    openTokenId: open.resourceId ?? 0,
    allowlistedTokenId: allowlisted.resourceId ?? 0,
    managedTokenId: await createManagedToken(service, 'demo'),
    operationId: open.operationId,
  };
}

type FixtureBase = Pick<MatrixFixture, 'service' | 'creator' | 'keys'>;

/** Returns a signed body for a new token of `demo`. */
export async function signToken(
  { creator }: Pick<MatrixFixture, 'creator'>,
  fields: Record<string, unknown> = {},
) {
  return await signedToken({ totalClaimCount: 1_000, ...fields }, creator);
}

async function postToken(fixture: FixtureBase, fields: Record<string, unknown> = {}): Promise<Response> {
  const { service, keys } = fixture;
  return await service.call('/v1/tokens', { key: keys.right, json: await signToken(fixture, fields) });
}

/** Waits until an accepted operation succeeds, and returns it. */
export async function waitForSuccess(service: TestService, response: Response): Promise<Operation> {
  expect(response.status).toBe(202);
  const read = await service.call(`${response.headers.get('location')}?wait=30`);
  const operation = (await read.json()) as Operation;
  expect(operation, JSON.stringify(operation)).toMatchObject({ status: 'success' });
  return operation;
}

/** Creates a token of `demo`, and returns its id. */
export async function createToken(fixture: MatrixFixture): Promise<number> {
  return (await waitForSuccess(fixture.service, await postToken(fixture))).resourceId ?? 0;
}

/** Adds a viewer to `demo`, and returns its address. */
export async function createMember({ service, keys }: MatrixFixture): Promise<string> {
  const { address } = newWallet();
  const response = await service.call(`/v1/communities/demo/members/${address}`, {
    method: 'PUT',
    key: keys.operator,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ role: 'viewer' }),
  });
  expect(response.status).toBe(201);
  return address;
}

/** Requests a challenge for a wallet, and returns it signed: the body of a sign-in. */
export async function signedChallenge(
  service: Pick<TestService, 'call'>,
  wallet: Wallet,
): Promise<{ message: string; signature: string }> {
  const response = await service.call('/v1/sessions/challenge', { json: { address: wallet.address } });
  const { message } = (await response.json()) as SignInChallenge;
  return { message, signature: await wallet.signMessage({ message }) };
}

/** Creates a claim link of the open token. */
export async function createClaimLink({
  service,
  keys,
  openTokenId,
}: MatrixFixture): Promise<CreatedClaimLink> {
  const path = `/v1/tokens/${openTokenId}/claimLinks`;
  const response = await service.call(path, { key: keys.right, json: { count: 1 } });
  const [link] = ((await response.json()) as CreatedClaimLinks).items;
  if (link === undefined) throw new Error('no claim link was created');
  return link;
}

/** Creates a link for a room, of the allowlisted token. */
export async function createRoomLink(fixture: MatrixFixture): Promise<CreatedClaimLink> {
  const { service, keys, allowlistedTokenId, creator } = fixture;
  const json = {
    maxClaims: 2,
    signature: await signTokenId(creator, 'AllowlistedAddress', allowlistedTokenId),
    expiresAtTimestamp: Date.now() + 3_600_000,
  };
  const path = `/v1/tokens/${allowlistedTokenId}/claimLinks`;
  const response = await service.call(path, { key: keys.right, json });
  const [link] = ((await response.json()) as CreatedClaimLinks).items;
  if (link === undefined) throw new Error('no claim link was created');
  return link;
}

/** Airdrops the open token to a new wallet, and returns the wallet. */
export async function createOwner({ service, keys, openTokenId }: MatrixFixture): Promise<Wallet> {
  const owner = newWallet();
  const path = `/v1/tokens/${openTokenId}/airdrop`;
  await waitForSuccess(
    service,
    await service.call(path, { key: keys.right, json: { address: owner.address } }),
  );
  return owner;
}

/** Revokes the open token of a new wallet, and returns the wallet. */
export async function createRevokedOwner(fixture: MatrixFixture): Promise<Wallet> {
  const { service, keys, openTokenId } = fixture;
  const owner = await createOwner(fixture);
  const path = `/v1/tokens/${openTokenId}/owners/${owner.address}/revoke`;
  await waitForSuccess(service, await service.call(path, { key: keys.right, json: { reason: 'a reason' } }));
  return owner;
}

/** Adds a new address to the allowlist of the allowlisted token, and returns it. */
export async function addContributor(fixture: MatrixFixture): Promise<string> {
  const { service, keys, creator, allowlistedTokenId } = fixture;
  const contributor = newAddress();
  const path = `/v1/tokens/${allowlistedTokenId}/addContributors`;
  const json = await signedContributors(allowlistedTokenId, creator, [contributor]);
  await waitForSuccess(service, await service.call(path, { key: keys.right, json }));
  return contributor;
}

/**
 * Adds a webhook to `demo`, and returns its id. A community can have 20, so it is inserted here. Nothing is sent, which would
 * change the data that the test compares: a job seems to wait.
 */
export async function createWebhook({ service }: Pick<MatrixFixture, 'service'>): Promise<string> {
  const webhookId = randomUUID();
  const secret = service.context.encryption?.encrypt('webhookSecret', webhookId, 'whsec_c2VjcmV0');
  await query(
    service.databaseUrl,
    `insert into webhooks (webhook_id, community_id, url, name, encrypted_secret, woken_at)
     values ($1, 'demo', 'http://localhost:9/', 'matrix', $2, 'infinity')`,
    [webhookId, secret],
  );
  return webhookId;
}

/** Deletes the webhooks of `demo`, so that one more can be created. */
export async function deleteWebhooks({ service }: Pick<MatrixFixture, 'service'>): Promise<void> {
  await query(service.databaseUrl, 'update webhooks set deleted_at = now(), is_enabled = false');
}

/** Sends a test event to a new webhook of `demo`, and returns the path of its delivery. */
export async function createWebhookDelivery(fixture: MatrixFixture): Promise<string> {
  const { service, keys } = fixture;
  const path = `/v1/communities/demo/webhooks/${await createWebhook(fixture)}`;
  const response = await service.call(`${path}/test`, { method: 'POST', key: keys.operator });
  expect(response.status).toBe(201);
  return `${path}/deliveries/${((await response.json()) as { deliveryId: string }).deliveryId}`;
}

/** Adds an NFT type to a community, and returns its id. */
export async function createNftType({ service, keys }: MatrixFixture, communityId = 'demo'): Promise<string> {
  const nftTypeId = randomUUID();
  const response = await service.call(`/v1/communities/${communityId}/nftTypes`, {
    method: 'POST',
    key: keys.operator,
    body: nftTypeForm({ nftTypeId }),
  });
  expect(response.status).toBe(201);
  return nftTypeId;
}
