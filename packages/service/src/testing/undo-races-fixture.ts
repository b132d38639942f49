import type { Operation, OwnerState, Token } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export const ROUNDS = 12;
export const reason = 'a reason';

export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

export const ownerPath = (tokenId: number, address: string) => `/v1/tokens/${tokenId}/owners/${address}`;

export const count = (outcomes: string[]) => outcomes.filter((outcome) => outcome === 'success').length;
export const rounds = async (race: () => Promise<void>) => {
  await Promise.all(Array.from({ length: ROUNDS }, race));
};

/**
 * Starts two services on one database before the tests, and stops them after. Returns the calls with which
 * the tests race.
 */
export function undoRacesFixture() {
  let services: [TestService, TestService];
  beforeAll(async () => {
    const first = await startTestService();
    services = [first, await startTestService({ DATABASE_URL: first.databaseUrl })];
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });

  /**
   * Sends a request through one of the services. Returns `success` or the name of the error, and the token's
   * id.
   */
  async function send(path: string, body: unknown, service = services[0]) {
    const response = await service.call(path, { json: body, key: services[0].apiKey });
    if (response.status !== 202)
      return { outcome: (await json<{ name: string }>(response)).name, tokenId: null };
    const { error, status, resourceId } = await json<Operation>(
      service.call(`${response.headers.get('location')}?wait=20`),
    );
    return { outcome: error?.name ?? status, tokenId: resourceId };
  }

  async function createToken(): Promise<number> {
    return Number((await send('/v1/tokens', await signedToken({ totalClaimCount: 100 }))).tokenId);
  }

  const claim = async (tokenId: number, claimingAddress: string, service?: TestService) =>
    (await send(`/v1/tokens/${tokenId}/claim`, { claimingAddress }, service)).outcome;
  const revoke = async (tokenId: number, address: string, service?: TestService) =>
    (await send(`${ownerPath(tokenId, address)}/revoke`, { reason }, service)).outcome;

  const move = async (tokenId: number, address: string, toAddress: string, service?: TestService) =>
    (await send(`${ownerPath(tokenId, address)}/move`, { toAddress, reason }, service)).outcome;

  /** Returns undefined if the address has never had the token. */
  async function statusOf(tokenId: number, address: string): Promise<OwnerState['status'] | undefined> {
    const response = await services[0].call(ownerPath(tokenId, address));
    return response.status === 404 ? undefined : (await json<OwnerState>(response)).status;
  }

  async function expectRemaining(tokenId: number, remaining: number): Promise<void> {
    for (const service of services) {
      const token = await json<Token>(service.call(`/v1/tokens/${tokenId}`));
      expect(token.claimabilityAttributes.remainingClaimCount).toBe(remaining);
    }
  }

  return {
    get services() {
      return services;
    },
    send,
    createToken,
    claim,
    revoke,
    move,
    statusOf,
    expectRemaining,
  };
}
