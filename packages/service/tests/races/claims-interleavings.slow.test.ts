import type { Owner, Token } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const wallets = Array.from({ length: 3 }, () => newWallet());
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

const post = (path: string, body: object) => service.call(path, { json: body, key: service.apiKey });

/** Returns `success` or the name of the error. */
async function outcomeOf(response: Response): Promise<string> {
  if (response.status !== 202) return (await json<{ name: string }>(response)).name;
  const operation = await service.call(`${response.headers.get('location')}?wait=20`);
  const { status, error } = await json<{ status: string; error: { name: string } | null }>(operation);
  return error?.name ?? status;
}

async function createToken(totalClaimCount: number): Promise<number> {
  const { headers } = await post('/v1/tokens', await signedToken({ totalClaimCount }));
  const operation = await service.call(`${headers.get('location')}?wait=20`);
  return (await json<{ resourceId: number }>(operation)).resourceId;
}

interface Step {
  action: 'claim' | 'airdrop' | 'burn';
  walletIndex: number;
}
const anyStep = fc.record<Step>({
  action: fc.constantFrom('claim', 'claim', 'airdrop', 'burn'),
  walletIndex: fc.nat({ max: wallets.length - 1 }),
});

async function request(tokenId: number, { action, walletIndex }: Step): Promise<Response> {
  const wallet = wallets[walletIndex] ?? newWallet();
  const { address } = wallet;
  const path = `/v1/tokens/${tokenId}/${action}`;
  if (action === 'claim') return await post(path, { claimingAddress: address });
  if (action === 'airdrop') return await post(path, { address });
  return await post(path, { burningAddress: address, signature: await signTokenId(wallet, 'Burn', tokenId) });
}

// The scheduler of fast-check chooses the order in which requests are sent and in which the test waits for
// their operations.
test('whatever the order of requests and waits, the counts and owners match the operations that succeeded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 3 }),
      fc.array(anyStep, { minLength: 2, maxLength: 12 }),
      async (scheduler, totalClaimCount, steps) => {
        const tokenId = await createToken(totalClaimCount);
        const send = scheduler.scheduleFunction((step: Step) => request(tokenId, step));
        const wait = scheduler.scheduleFunction(outcomeOf);
        const runs = steps.map(async (step) => ({ ...step, outcome: await wait(await send(step)) }));
        const settled = await scheduler.waitFor(Promise.all(runs));

        const expected = ['success', 'ClaimingAddressAlreadyHasToken', 'NoTokensLeft', 'TokenNotOwned'];
        expect(settled.filter(({ outcome }) => !expected.includes(outcome))).toEqual([]);
        const successes = settled.filter(({ outcome }) => outcome === 'success');
        const countSuccesses = (actions: string[], index: number) =>
          successes.filter((step) => actions.includes(step.action) && step.walletIndex === index).length;
        const claimsByWallet = wallets.map((_, index) => countSuccesses(['claim', 'airdrop'], index));
        const burnsByWallet = wallets.map((_, index) => countSuccesses(['burn'], index));

        const token = await json<Token>(await service.call(`/v1/tokens/${tokenId}`));
        const { data } = await json<{ data: Owner[] }>(await service.call(`/v1/tokens/${tokenId}/owners`));
        const owners = new Set(data.map(({ address }) => address));
        expect(owners.size).toBe(data.length);
        const claimerCount = claimsByWallet.filter((count) => count > 0).length;
        expect(token.claimabilityAttributes.remainingClaimCount).toBe(totalClaimCount - claimerCount);
        for (const [index, { address }] of wallets.entries()) {
          const isOwner = (claimsByWallet[index] ?? 0) > 0 && burnsByWallet[index] === 0;
          expect(owners.has(address), `${address}: ${JSON.stringify(settled)}`).toBe(isOwner);
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
}, 120_000);
