import type { Contributor, Operation, Owner, Token } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

const creator = newWallet();
let firstService: TestService;
let secondService: TestService;
beforeAll(async () => {
  firstService = await startTestService();
  secondService = await startTestService({ DATABASE_URL: firstService.databaseUrl });
});
afterAll(async () => {
  await Promise.all([firstService.stop(), secondService.stop()]);
});

const toAddress = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
/** Returns the addresses of the numbers from 1 to `count`, in this order. */
const listAddresses = (count: number) => Array.from({ length: count }, (_, index) => toAddress(index + 1));
const serviceOf = (index: number) => (index % 2 === 0 ? firstService : secondService);

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

const post = (service: TestService, path: string, body: unknown) =>
  service.call(path, { json: body, key: firstService.apiKey });

async function operationOf(service: TestService, response: Response): Promise<Operation> {
  expect(response.status, await response.clone().text()).toBe(202);
  return await json<Operation>(service.call(`${response.headers.get('location')}?wait=20`));
}

/** Returns `success` or the name of the error, and the operation if the request was accepted. */
async function readOutcome(service: TestService, response: Response) {
  if (response.status !== 202)
    return { outcome: (await json<{ name: string }>(response)).name, operation: null };
  const operation = await operationOf(service, response);
  return { outcome: operation.error?.name ?? operation.status, operation };
}

async function createToken(fields: Record<string, unknown>): Promise<number> {
  const body = await signedToken(fields, creator);
  return Number((await operationOf(firstService, await post(firstService, '/v1/tokens', body))).resourceId);
}

async function claim(service: TestService, tokenId: number, claimingAddress: string) {
  return await readOutcome(service, await post(service, `/v1/tokens/${tokenId}/claim`, { claimingAddress }));
}

const remainingOf = async (service: TestService, tokenId: number) =>
  (await json<Token>(service.call(`/v1/tokens/${tokenId}`))).claimabilityAttributes.remainingClaimCount;

async function countClaims(tokenId: number): Promise<number> {
  return (await query(firstService.databaseUrl, 'select from claims where token_id = $1', [tokenId])).length;
}

async function list<Item>(service: TestService, path: string): Promise<Item[]> {
  const call = service.call(`${path}?limit=1000`, { key: firstService.apiKey });
  return (await json<{ data: Item[] }>(call)).data;
}

test('exactly 500 claims succeed if 2,000 wallets race for a token with 500 claims', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const tokenId = await createToken({ totalClaimCount: 500 });
  const outcomes: string[] = [];
  // The clients take their addresses from one iterator, so each address is used once.
  const addresses = listAddresses(2_000).values();
  const runClient = async () => {
    for (const address of addresses) outcomes.push((await claim(firstService, tokenId, address)).outcome);
  };
  // With more than 400 clients, requests would time out, because the clients and the service share one process.
  await Promise.all(Array.from({ length: 400 }, runClient));
  expect(outcomes).toHaveLength(2_000);
  expect(new Set(outcomes)).toEqual(new Set(['success', 'NoTokensLeft']));
  expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(500);
  expect(await countClaims(tokenId)).toBe(500);
  expect(await remainingOf(firstService, tokenId)).toBe(0);
});

test('exactly 100 claims succeed if 300 wallets race through two services for a token with 100 claims', {
  tags: ['slow'],
}, async () => {
  const tokenId = await createToken({ totalClaimCount: 100 });
  const addresses = listAddresses(300);
  const outcomes = await Promise.all(
    addresses.map(async (address) => {
      const claims = await Promise.all([
        claim(firstService, tokenId, address),
        claim(secondService, tokenId, address),
      ]);
      return claims.map(({ outcome }) => outcome);
    }),
  );
  expect(new Set(outcomes.flat())).toContain('success');
  for (const pair of outcomes) {
    const refusal = pair.includes('success') ? 'ClaimingAddressAlreadyHasToken' : 'NoTokensLeft';
    for (const outcome of pair) expect(['success', refusal]).toContain(outcome);
  }
  const winners = addresses.filter((_, index) => outcomes[index]?.includes('success'));
  expect(winners).toHaveLength(100);
  for (const service of [firstService, secondService]) {
    const owners = await list<Owner>(service, `/v1/tokens/${tokenId}/owners`);
    expect(owners.map(({ address }) => address.toLowerCase()).sort()).toEqual(winners);
    expect(await remainingOf(service, tokenId)).toBe(0);
  }
});

test('claims that are sent during an addition to the allowlist fail before the addition is settled, and succeed after that', async () => {
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['nobody'],
  });
  const addresses = listAddresses(60);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const refused = await Promise.all(
    addresses.map((address, index) => claim(serviceOf(index), tokenId, address)),
  );
  expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['AddressNotAllowlisted']));

  const claimUntilListed = async (address: string, index: number) => {
    let outcome = 'AddressNotAllowlisted';
    while (outcome === 'AddressNotAllowlisted') {
      ({ outcome } = await claim(serviceOf(index), tokenId, address));
    }
    return outcome;
  };
  const addContributors = async (from: number) => {
    const body = { contributors: addresses.slice(from, from + 30), signature };
    const response = await post(serviceOf(from), `/v1/tokens/${tokenId}/addContributors`, body);
    expect((await operationOf(serviceOf(from), response)).status).toBe('success');
    const { outcome } = await claim(serviceOf(from + 1), tokenId, addresses[from] ?? '');
    expect(['success', 'ClaimingAddressAlreadyHasToken']).toContain(outcome);
  };
  // The additions overlap: most addresses are sent twice.
  const [outcomes] = await Promise.all([
    Promise.all(addresses.map(claimUntilListed)),
    Promise.all([0, 15, 30, 45].map(addContributors)),
  ]);
  for (const outcome of outcomes) expect(['success', 'ClaimingAddressAlreadyHasToken']).toContain(outcome);
  const contributors = await list<Contributor>(secondService, `/v1/tokens/${tokenId}/contributors`);
  expect(contributors.map(({ hasClaimed }) => hasClaimed)).toEqual([false, ...addresses.map(() => true)]);
  expect(await list<Owner>(firstService, `/v1/tokens/${tokenId}/owners`)).toHaveLength(60);
});

test('if a burn is requested before the claim is settled, the claim is still counted exactly once', async () => {
  const tokenId = await createToken({ totalClaimCount: 30 });
  const wallets = Array.from({ length: 30 }, () => newWallet());
  await Promise.all(
    wallets.map(async (claimer) => {
      const claimingAddress = claimer.address;
      const claimResponse = await post(firstService, `/v1/tokens/${tokenId}/claim`, { claimingAddress });
      const signature = await signTokenId(claimer, 'Burn', tokenId);
      const burnBody = { burningAddress: claimer.address, signature };
      const [, { outcome }] = await Promise.all([
        operationOf(firstService, claimResponse),
        readOutcome(firstService, await post(firstService, `/v1/tokens/${tokenId}/burn`, burnBody)),
      ]);
      expect(['success', 'TokenNotOwned']).toContain(outcome);
    }),
  );
  expect(await countClaims(tokenId)).toBe(30);
  expect(await remainingOf(firstService, tokenId)).toBe(0);
});

test('claims that race the expiration of the token succeed if and only if they were accepted before the expiration', async () => {
  const [clock] = await query<{ now: string }>(
    firstService.databaseUrl,
    'select floor(extract(epoch from clock_timestamp()) * 1000) as now',
  );
  const expirationTimestamp = Number(clock?.now) + 1_500;
  const tokenId = await createToken({ totalClaimCount: 1_000_000, expirationTimestamp });
  let addressCount = 0;
  const results: Awaited<ReturnType<typeof claim>>[] = [];
  /** Claims for one new address after another until the token has expired. */
  const claimUntilExpired = async (_: unknown, index: number) => {
    let outcome = 'success';
    while (outcome === 'success') {
      addressCount += 1;
      const result = await claim(serviceOf(index), tokenId, toAddress(addressCount));
      results.push(result);
      outcome = result.outcome;
    }
  };
  await Promise.all(Array.from({ length: 16 }, claimUntilExpired));

  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['success', 'TokenClaimExpired']));
  for (const { outcome, operation } of results) {
    if (operation === null) continue;
    expect(operation.createdAtTimestamp < expirationTimestamp).toBe(outcome === 'success');
  }
  const successes = results.filter(({ outcome }) => outcome === 'success').length;
  expect(await remainingOf(secondService, tokenId)).toBe(1_000_000 - successes);
  const lateClaim = await claim(firstService, tokenId, newWallet().address);
  expect(lateClaim).toEqual({ outcome: 'TokenClaimExpired', operation: null });
});
