import { newAddress } from '@badge/test-support/signing';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { openAddressField } from './harness/claim-ways.ts';
import { expectNoAxeViolations } from './harness/page-checks.ts';
import { loadLanguages, takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';
import { createTestWallet } from './harness/wallet.ts';

const CLAIM_CALL = '**/v1/tokens/*/claim';

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

browserTest(
  'a page that is reloaded before the service has responded continues the claim',

  async () => {
    const { page, tokenId, address } = await openReviewWithCode();
    // The request arrives, and its response is lost.
    await page.route(CLAIM_CALL, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await claim(page);
    await page.getByText('The service does not respond').waitFor();
    await expectNoAxeViolations(page);
    await takeScreenshots(page, 'claim-unreachable');
    // Responses are lost until the page is reloaded. Otherwise the page could finish the claim before the
    // reload.
    await page.reload();
    await page.unroute(CLAIM_CALL);
    await waitUntilClaimed(page);
    await expectOneOwner(tokenId, address);
  },
);

browserTest('a page that is reloaded while it waits for the operation continues to wait', async () => {
  const { page, tokenId, address } = await openReviewWithCode();
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/operations/*', async (route) => {
    await held.promise;
    await route.abort().catch(() => {});
  });
  const operationRead = page.waitForRequest('**/v1/operations/*');
  await claim(page);
  await operationRead;
  await page.getByRole('heading', { name: 'Claiming your badge' }).waitFor();
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'claim-claiming');
  await page.reload();
  await page.getByRole('heading', { name: 'Claiming your badge' }).waitFor();
  held.resolve();
  await page.unroute('**/v1/operations/*');
  await waitUntilClaimed(page);
  await expectOneOwner(tokenId, address);
});

browserTest('a claim that is continued is not celebrated if the badge was revoked meanwhile', async () => {
  const { page, tokenId, address } = await openReviewWithCode();
  const operationRead = page.waitForRequest('**/v1/operations/*');
  // The page does not learn the result of the claim before it is reloaded.
  await page.route('**/v1/operations/*', (route) => route.abort());
  await claim(page);
  await operationRead;
  await expect.poll(async () => (await site.badge.listOwners({ tokenId })).data.length).toBe(1);
  await (await site.badge.revoke({ tokenId, address, reason: 'a reason' })).wait();
  await page.reload();
  await page.unroute('**/v1/operations/*');
  await page.getByRole('heading', { name: 'This badge was revoked' }).waitFor();
  expect(await page.getByText('The badge is yours!').count()).toBe(0);
});

browserTest('a claim with a wallet is continued after a reload, without another signature', async () => {
  const wallet = createTestWallet({ chainId: 80001 });
  const page = await openPage(site, `/claim/${await site.createToken()}`, { wallets: [wallet] });
  await page.route(CLAIM_CALL, (route) => route.abort());
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await page.getByText('The service does not respond').waitFor();
  await page.reload();
  await page.unroute(CLAIM_CALL);
  await waitUntilClaimed(page);
  expect(wallet.methods.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
});

browserTest('a person who goes offline claims when the connection is back', async () => {
  const { page, tokenId, address } = await openReviewWithCode();
  await loadLanguages(page);
  await page.context().setOffline(true);
  await claim(page);
  await page.getByText('You are offline').waitFor();
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'claim-offline');
  await page.context().setOffline(false);
  await waitUntilClaimed(page);
  await expectOneOwner(tokenId, address);
});

browserTest.each([
  ['a restart of the service', 'SIGTERM'],
  ['a service that is killed and started again', 'SIGKILL'],
] as const)('a claim survives %s', async (_title, stopSignal) => {
  const { page, tokenId, address } = await openReviewWithCode();
  await site.stop(stopSignal);
  try {
    await claim(page);
    await page.getByText('The service does not respond').waitFor();
  } finally {
    await site.start();
  }
  await waitUntilClaimed(page);
  await expectOneOwner(tokenId, address);
});

browserTest('the page keeps trying while the database of the service is down', async () => {
  const { page } = await openReviewWithCode();
  await page.route(CLAIM_CALL, (route) => refuse(route, 503, 'Unavailable', 2));
  await claim(page);
  await page.getByText('The service needs a moment').waitFor();
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'claim-unavailable');
  await page.unroute(CLAIM_CALL);
  await waitUntilClaimed(page);
});

browserTest('a person who has to wait because of the rate limit can try at once', async () => {
  const { page } = await openReviewWithCode();
  await page.route(CLAIM_CALL, (route) => refuse(route, 429, 'RateLimited', 3_600));
  await claim(page);
  await page.getByText('Many people are here right now').waitFor();
  await expectNoAxeViolations(page);
  await page.unroute(CLAIM_CALL);
  await page.getByRole('button', { name: 'Try now' }).click();
  await waitUntilClaimed(page);
});

browserTest('an error of the service is shown with the request id', async () => {
  const { page } = await openReviewWithCode();
  await page.route(CLAIM_CALL, (route) => refuse(route, 500, 'InternalError'));
  await claim(page);
  await page.getByText('Something went wrong').waitFor();
  await page.getByText('request-1').waitFor();
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'claim-failed');
  await page.unroute(CLAIM_CALL);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
});

browserTest('a page that could not load its badge loads it when the service responds', async () => {
  const page = await openPage(site, '/');
  const tokenId = await site.createToken();
  const tokenCalls = '**/v1/tokens/*';
  await page.route(tokenCalls, (route) => route.abort());
  await page.goto(`/claim/${tokenId}`);
  await page.getByText('The service does not respond').waitFor();
  await page.unroute(tokenCalls);
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
});

browserTest('a second tab with the same link shows the claim of the first', async () => {
  const { page, path, tokenId, address } = await openReviewWithCode();
  const second = await page.context().newPage();
  await second.goto(path);
  await second.getByRole('heading', { name: 'Claim this badge' }).waitFor();
  await claim(page);
  await waitUntilClaimed(page);
  await second.getByRole('heading', { name: /^(The badge is yours!|You have already claimed)/ }).waitFor();
  const third = await page.context().newPage();
  await third.goto(path);
  await third.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
  await expectOneOwner(tokenId, address);
});

browserTest('two tabs that claim with a wallet at the same time get one badge', async () => {
  const wallet = createTestWallet({ chainId: 80001, isConnected: true });
  const tokenId = await site.createToken();
  const page = await openPage(site, `/claim/${tokenId}`, { wallets: [wallet] });
  const second = await page.context().newPage();
  await second.goto(`/claim/${tokenId}`);
  const tabs = [page, second];
  // Both tabs offer the wallet before the first tab remembers it.
  const walletButtons = tabs.map((tab) => tab.getByRole('button', { name: 'Continue with Test Wallet' }));
  for (const button of walletButtons) await button.waitFor();
  for (const button of walletButtons) await button.click();
  const signButtons = tabs.map((tab) => tab.getByRole('button', { name: 'Sign in the wallet' }));
  await Promise.all(signButtons.map((button) => button.waitFor()));
  const results = tabs.map((tab) =>
    tab.getByRole('heading', { name: /^(The badge is yours!|You have already claimed)/ }).waitFor(),
  );
  // The second tab continues the claim of the first, so its button can be gone before it is pressed.
  await Promise.all(signButtons.map((button, index) => Promise.race([button.click(), results[index]])));
  await Promise.all(results);
  await expectOneOwner(tokenId, wallet.accounts[0]?.address ?? '');
});

/** Opens a claim link, and enters an address. The page then asks whether the address is right. */
async function openReviewWithCode(): Promise<{ page: Page; path: string; tokenId: number; address: string }> {
  const tokenId = await site.createToken();
  const { items } = await site.badge.createClaimLinks({ tokenId, count: 1 });
  const path = `/claim/${tokenId}#${items[0]?.code}`;
  const page = await openPage(site, path);
  const address = newAddress();
  await (await openAddressField(page)).fill(address);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Is this your address?' }).waitFor();
  return { page, path, tokenId, address };
}

async function claim(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
}

async function waitUntilClaimed(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
}

async function expectOneOwner(tokenId: number, address: string): Promise<void> {
  const { data } = await site.badge.listOwners({ tokenId });
  expect(data.map((owner) => owner.address)).toEqual([address]);
}

/** Responds as the service does when it refuses a request. */
async function refuse(route: Route, status: number, name: string, retryAfterSeconds?: number): Promise<void> {
  await route.fulfill({
    status,
    contentType: 'application/problem+json',
    headers: {
      'X-Request-Id': 'request-1',
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
    json: { type: '', title: '', status, detail: name, instance: '', name, error: name },
  });
}
