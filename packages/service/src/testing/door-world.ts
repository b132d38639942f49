import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import { newWallet, signedToken, type Wallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { type Keys, makeKeys } from './door-roles.ts';
import { nftTypeForm } from './nft-type-provocations.ts';
import type { TestService } from './services.ts';

/** A sandbox service with what the rows of the matrix ask for, all of it the community's `demo`. */
export interface World {
  service: TestService;
  keys: Keys;
  /** Signs every token, and is an admin of `demo`. */
  creator: Wallet;
  openTokenId: number;
  allowlistedTokenId: number;
  operationId: string;
}

/** Fills a sandbox service with the world. */
export async function makeWorld(service: TestService): Promise<World> {
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
  const world = { service, creator, keys: await makeKeys(service) };
  const open = await settle(service, await postToken(world));
  const allowlisted = await settle(
    service,
    await postToken(world, {
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [creator.address],
    }),
  );
  return {
    ...world,
    openTokenId: open.resourceId ?? 0,
    allowlistedTokenId: allowlisted.resourceId ?? 0,
    operationId: open.operationId,
  };
}

type Start = Pick<World, 'service' | 'creator' | 'keys'>;

/** Signs a token of `demo` that no other test has. */
export async function signToken({ creator }: Pick<World, 'creator'>, fields: Record<string, unknown> = {}) {
  return await signedToken({ totalClaimCount: 1_000, ...fields }, creator);
}

async function postToken(world: Start, fields: Record<string, unknown> = {}): Promise<Response> {
  const { service, keys } = world;
  return await service.call('/v1/tokens', { key: keys.right, json: await signToken(world, fields) });
}

/** Waits until an accepted operation has succeeded. */
export async function settle(service: TestService, answer: Response): Promise<Operation> {
  expect(answer.status).toBe(202);
  const read = await service.call(`${answer.headers.get('location')}?wait=30`);
  const operation = (await read.json()) as Operation;
  expect(operation).toMatchObject({ status: 'success' });
  return operation;
}

/** Makes a token of `demo`. */
export async function makeToken(world: World): Promise<number> {
  return (await settle(world.service, await postToken(world))).resourceId ?? 0;
}

/** Gives the open token to a new wallet. */
export async function makeOwner({ service, keys, openTokenId }: World): Promise<Wallet> {
  const owner = newWallet();
  const path = `/v1/tokens/${openTokenId}/airdrop`;
  await settle(service, await service.call(path, { key: keys.right, json: { address: owner.address } }));
  return owner;
}

/** Adds an NFT type to a community. */
export async function makeNftType({ service, keys }: World, communityId = 'demo'): Promise<string> {
  const nftTypeId = randomUUID();
  const answer = await service.call(`/v1/communities/${communityId}/nftTypes`, {
    method: 'POST',
    key: keys.operator,
    body: nftTypeForm({ nftTypeId }),
  });
  expect(answer.status).toBe(201);
  return nftTypeId;
}
