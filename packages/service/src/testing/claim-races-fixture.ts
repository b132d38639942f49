import type { Operation, Token } from '@badge/protocol';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export const creator = newWallet();

export const toAddress = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
/** Returns the addresses of the numbers from 1 to `count`, in this order. */
export const listAddresses = (count: number) =>
  Array.from({ length: count }, (_, index) => toAddress(index + 1));

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

export async function operationOf(service: TestService, response: Response): Promise<Operation> {
  expect(response.status, await response.clone().text()).toBe(202);
  return await json<Operation>(service.call(`${response.headers.get('location')}?wait=20`));
}

/** Returns `success` or the name of the error, and the operation if the request was accepted. */
export async function readOutcome(service: TestService, response: Response) {
  if (response.status !== 202)
    return { outcome: (await json<{ name: string }>(response)).name, operation: null };
  const operation = await operationOf(service, response);
  return { outcome: operation.error?.name ?? operation.status, operation };
}

export const remainingOf = async (service: TestService, tokenId: number) =>
  (await json<Token>(service.call(`/v1/tokens/${tokenId}`))).claimabilityAttributes.remainingClaimCount;

/**
 * Starts two services on one database before the tests, and stops them after. Returns the calls with which
 * the tests race.
 */
export function claimRacesFixture() {
  let firstService: TestService;
  let secondService: TestService;
  beforeAll(async () => {
    firstService = await startTestService();
    secondService = await startTestService({ DATABASE_URL: firstService.databaseUrl });
  });
  afterAll(async () => {
    await Promise.all([firstService.stop(), secondService.stop()]);
  });

  const post = (service: TestService, path: string, body: unknown) =>
    service.call(path, { json: body, key: firstService.apiKey });

  async function createToken(fields: Record<string, unknown>): Promise<number> {
    const body = await signedToken(fields, creator);
    return Number((await operationOf(firstService, await post(firstService, '/v1/tokens', body))).resourceId);
  }

  async function claim(service: TestService, tokenId: number, claimingAddress: string) {
    return await readOutcome(
      service,
      await post(service, `/v1/tokens/${tokenId}/claim`, { claimingAddress }),
    );
  }

  async function countClaims(tokenId: number): Promise<number> {
    return (await query(firstService.databaseUrl, 'select from claims where token_id = $1', [tokenId]))
      .length;
  }

  async function list<Item>(service: TestService, path: string): Promise<Item[]> {
    const call = service.call(`${path}?limit=1000`, { key: firstService.apiKey });
    return (await json<{ data: Item[] }>(call)).data;
  }

  return {
    get firstService() {
      return firstService;
    },
    get secondService() {
      return secondService;
    },
    post,
    createToken,
    claim,
    countClaims,
    list,
  };
}
