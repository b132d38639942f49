import type { CreatedClaimLink, Operation } from '@badge/protocol';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export const creator = newWallet();

export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

export async function nameOf(at: TestService, response: Response): Promise<string> {
  if (response.status !== 202) return (await json<{ name: string }>(response)).name;
  const { status, error } = await json<Operation>(
    at.call(`${response.headers.get('location') ?? ''}?wait=20`),
  );
  return error?.name ?? status;
}

export type Room = CreatedClaimLink & { tokenId: number };

export const claim = (at: TestService, { tokenId, code }: Pick<Room, 'tokenId' | 'code'>, client?: string) =>
  at.call(`/v1/tokens/${tokenId}/claim`, {
    json: { claimingAddress: newAddress(), claimCode: code },
    headers: client === undefined ? {} : { 'X-Forwarded-For': client },
  });

export const count = (at: TestService, tokenId: number, links: number) =>
  at.call(`/v1/tokens/${tokenId}/claimLinks`, { key: at.apiKey, json: { count: links } });

/** Starts two services and a process on the database of the first before the tests, and stops them after. */
export function roomLinksFixture() {
  let service: TestService;
  let otherService: TestService;
  let api: TestService;
  beforeAll(async () => {
    [service, api] = await Promise.all([
      startTestService({ BADGE_STORAGE_QUOTA: '1GB' }),
      startTestService({ BADGE_ROLE: 'api' }),
    ]);
    otherService = await startTestService({ DATABASE_URL: service.databaseUrl });
  });
  afterAll(async () => {
    await Promise.all([service, otherService, api].map(({ stop }) => stop()));
  });

  /** Settles what `api` has accepted, and returns the outcomes of the claims. */
  async function settle(claims: Response[]): Promise<string[]> {
    const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker' });
    const outcomes = await Promise.all(claims.map((claim) => nameOf(api, claim)));
    await worker.stop();
    return outcomes;
  }

  async function createToken(at: TestService, fields: object = {}): Promise<number> {
    const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['ada'] };
    const body = await signedToken({ ...allowlisted, ...fields }, creator);
    const response = await at.call('/v1/tokens', { json: body, key: at.apiKey });
    if (at === api) await settle([response]);
    const location = response.headers.get('location') ?? '';
    return Number((await json<Operation>(at.call(`${location}?wait=20`))).resourceId);
  }

  return {
    get service() {
      return service;
    },
    get otherService() {
      return otherService;
    },
    get api() {
      return api;
    },
    settle,
    createToken,
  };
}
