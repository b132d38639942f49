import { newAddress } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole, openPerson } from './harness/console.ts';
import { shortenAddress } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

browserTest('the page of a badge follows claims, and an open dialog and the focus stay', async () => {
  const site = sharedSite();
  const tokenId = await site.createToken({ headline: 'Live', totalClaimCount: 10 });
  const first = newAddress();
  await (await site.badge.airdrop({ tokenId, address: first })).wait();
  const { apiKey } = await site.operator.createApiKey({
    communityId: 'demo',
    name: 'live',
    role: 'editor',
  });
  const page = await openConsole(site, `/badges/${tokenId}`, { key: apiKey });
  await page.getByText('1 of 10 claimed').waitFor();
  const asked: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/v1/')) asked.push(url);
  });

  const panel = await openPerson(page, shortenAddress(first));
  await panel.getByRole('button', { name: 'Move' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move this badge' });
  const reason = dialog.getByLabel('Reason');
  await reason.fill('A new wallet.');
  const second = newAddress();
  await (await site.badge.airdrop({ tokenId, address: second })).wait();
  await page.getByText('2 of 10 claimed').waitFor();
  await page
    .getByRole('button', { name: shortenAddress(second), includeHidden: true })
    .waitFor({ state: 'attached' });
  expect(await reason.inputValue()).toBe('A new wallet.');
  expect(await reason.evaluate((node) => node === document.activeElement)).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await panel.getByRole('button', { name: 'Close' }).click();

  // Without the page, nothing is asked. What has happened meanwhile is shown when it is back.
  const setVisibility = (state: string) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await setVisibility('hidden');
  const before = asked.length;
  await (await site.badge.airdrop({ tokenId, address: newAddress() })).wait();
  await page.getByText('2 of 10 claimed').waitFor();
  expect(asked.slice(before)).toEqual([]);
  await setVisibility('visible');
  await page.getByText('3 of 10 claimed').waitFor();
  // It waits for events. Nothing else is asked again and again.
  expect(asked.filter(({ searchParams }) => searchParams.has('wait')).length).toBeLessThan(10);
});

browserTest('a viewer sees claims too, and errors of the feed leave the page as it is', async () => {
  const site = sharedSite();
  const tokenId = await site.createToken({ headline: 'Live for viewers', totalClaimCount: 10 });
  const { apiKey } = await site.operator.createApiKey({
    communityId: 'demo',
    name: 'live viewer',
    role: 'viewer',
  });
  const page = await openConsole(site, `/badges/${tokenId}`, { key: apiKey });
  await page.getByText('0 of 10 claimed').waitFor();
  let failures = 0;
  await page.route(/\/events\?/, async (route) => {
    failures += 1;
    if (failures > 2) await route.fallback();
    else await route.fulfill({ status: 500, contentType: 'text/plain', body: 'broken' });
  });
  await page.reload();
  await page.getByText('0 of 10 claimed').waitFor();
  await (await site.badge.airdrop({ tokenId, address: newAddress() })).wait();
  await page.getByText('1 of 10 claimed').waitFor();
  expect(failures).toBeGreaterThan(2);
});
