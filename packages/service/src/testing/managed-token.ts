import { type ManagedSignature, type Operation, toBadgeMessage } from '@badge/protocol';
import type { TestService } from './services.ts';

type Caller = Pick<TestService, 'call' | 'adminKey'>;

/** Gives a community a managed creator, or takes it away. */
export async function setManagedCreator(
  { call, adminKey }: Caller,
  communityId: string,
  hasManagedCreator: boolean | null,
): Promise<Response> {
  return await call(`/v1/communities/${communityId}`, {
    method: 'PATCH',
    key: adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ hasManagedCreator }),
  });
}

/** Returns a body for an allowlisted token of a community, without `creator` and `signature`. */
export function managedToken(communityId: string) {
  return {
    communityId,
    headline: 'Managed',
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: true,
    contributors: ['a@b.c'],
  };
}

/** Requests a signature of the managed creator. */
export async function sign(
  { call }: Pick<TestService, 'call'>,
  communityId: string,
  { key, ...json }: { key: string; primaryType: string; message: unknown },
): Promise<Response> {
  return await call(`/v1/communities/${communityId}/managedCreator/sign`, { key, json });
}

/** Creates a token that the managed creator of the community signs. Returns its id. */
export async function createManagedToken(
  service: Caller,
  communityId: string,
  fields: Record<string, unknown> = {},
): Promise<number> {
  const { call, adminKey: key } = service;
  const body = { ...managedToken(communityId), ...fields };
  const signed = await sign(service, communityId, {
    key,
    primaryType: 'Badge',
    message: toBadgeMessage(body),
  });
  const { address: creator, signature } = (await signed.json()) as ManagedSignature;
  const accepted = await call('/v1/tokens', { key, json: { ...body, creator, signature } });
  const operation = await call(`${accepted.headers.get('location')}?wait=30`);
  const { status, resourceId } = (await operation.json()) as Operation;
  if (status !== 'success') throw new Error(`the token was not created: ${status}`);
  return Number(resourceId);
}
