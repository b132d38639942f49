import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll, isMainAction } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
  await site.createToken({ headline: 'Speaker 2026', nftTypeId: 'defaultOrangeRed' });
  await site.createToken({ headline: 'Hackathon winner', nftTypeId: 'defaultGreenPurple' });
  await site.createToken({ headline: 'متطوّعة', nftTypeId: 'defaultPinkIndigo' });
});
afterAll(() => site.remove());

browserTest('the landing page shows the latest badges, the newest first, linked to their pages', async () => {
  const page = await openPage(site, '/');
  const latest = page.getByRole('region', { name: 'Latest badges' });
  const badges = latest.getByRole('listitem').getByRole('link');
  await badges.first().waitFor();
  expect(await badges.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    '/token/3',
    '/token/2',
    '/token/1',
  ]);
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'landing');
});

browserTest('the landing page of a new service shows how to make a badge', async () => {
  const emptySite = await startSite();
  onTestFinished(() => emptySite.remove());
  const page = await openPage(emptySite, '/', { colorScheme: 'dark' });
  await page.getByRole('heading', { name: 'No badges yet' }).waitFor();
  await expectNoAxeViolations(page);
  const create = page
    .getByRole('region', { name: 'Latest badges' })
    .getByRole('link', { name: 'Make a badge' });
  expect(await create.getAttribute('href')).toBe('/console/make');
  // A badge is made in the console. Code is in the guides.
  expect(await page.locator('pre').count()).toBe(0);
  await takeScreenshots(page, 'landing-empty');
});

browserTest('a badge that is created later appears when the visitor comes back to the page', async () => {
  const page = await openPage(site, '/');
  await page.getByRole('link', { name: 'Speaker 2026' }).waitFor();
  const tokenId = await site.createToken({ headline: 'Created later' });
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('link', { name: 'Created later' }).waitFor();
  // Another test expects exactly three badges.
  await site.badge.updateToken({ tokenId, isHidden: true });
});

/** Waits until the field for an address has the focus and is on the screen. */
async function waitForFocusedSearch(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const field = document.querySelector('#your-badges textarea');
    const { top, bottom } = field?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
    return document.activeElement === field && top >= 0 && bottom <= innerHeight;
  });
}

browserTest('the first action is to make a badge, and a link for developers leads to the API', async () => {
  const page = await openPage(site, '/');
  const links = page.getByRole('main').getByRole('link');
  await links.filter({ hasText: 'Speaker 2026' }).waitFor();
  expect((await links.allTextContents()).slice(0, 2)).toEqual(['Make a badge', 'Find my badges']);
  expect(await isMainAction(links.nth(0))).toBe(true);
  expect(await isMainAction(links.nth(1))).toBe(false);
  expect(
    await page
      .getByRole('button')
      .evaluateAll(
        (all) => all.filter((button) => getComputedStyle(button).backgroundImage.includes('gradient')).length,
      ),
  ).toBe(0);
  const developers = page.getByRole('region', { name: 'For developers' }).getByRole('link');
  expect(await developers.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    '/docs',
    '/docs/errors',
  ]);
  await links.nth(0).click();
  await page.waitForURL('**/console/make');
  await page.getByRole('heading', { level: 1 }).waitFor();
});

browserTest('"Find my badges" leads to the field for an address, also after a reload', async () => {
  const page = await openPage(site, '/');
  const link = page.getByRole('link', { name: 'Find my badges' });
  await link.click();
  await waitForFocusedSearch(page);
  expect(new URL(page.url()).hash).toBe('#your-badges');

  // The second time, the URL does not change.
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await link.click();
  await waitForFocusedSearch(page);

  await page.reload();
  await page.getByRole('link', { name: 'Hackathon winner' }).waitFor();
  await waitForFocusedSearch(page);
});

browserTest('a link on another page leads to the field for an address', async () => {
  const page = await openPage(site, '/token/1');
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The router does the same when a person follows a link.
  await page.evaluate(() => history.pushState(null, '', '/#your-badges'));
  await waitForFocusedSearch(page);
});

browserTest(
  'the search refuses a text that is not an address, and opens the wallet page of an address',
  async () => {
    const page = await openPage(site, '/');
    const address = page.getByLabel('Wallet address');
    await address.fill('ada.eth');
    await address.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'begins with 0x' }).waitFor();
    await address.fill('0x123');
    await address.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'An address has 42 characters.' }).waitFor();
    await expectNoAxeViolations(page);
    await address.fill(' 0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044 ');
    await address.press('Enter');
    await page.waitForURL('**/wallet/0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044');
  },
);

/** Opens the landing page in a browser that remembers the address, as it does after a claim. */
async function openWithLastAddress(address: string): Promise<Page> {
  const page = await openPage(site, START_PATH);
  await page.evaluate((value) => localStorage.setItem('badge.address', value), address);
  await page.goto('/');
  return page;
}

browserTest('the first action opens the badges of the address that the browser remembers', async () => {
  const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
  const page = await openWithLastAddress(address);
  const link = page.getByRole('link', { name: 'Your badges: 0x530E…0044' });
  await link.waitFor();
  expect(await isMainAction(link)).toBe(true);
  expect(await isMainAction(page.getByRole('link', { name: 'Make a badge' }).first())).toBe(false);
  expect(await page.getByRole('link', { name: 'Find my badges' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Hackathon winner' }).waitFor();
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'landing-returning');
  await link.click();
  await page.waitForURL(`**/wallet/${address}`);
});

browserTest('a link to the search focuses the address that the browser remembers', async () => {
  const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
  const page = await openWithLastAddress(address);
  await page.goto('/#your-badges');
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('Use my address'));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/wallet/${address}`);
});

browserTest('a page in another language says which links lead to pages in English', async () => {
  const page = await openPage(site, '/');
  await page.getByRole('banner').getByRole('combobox').selectOption('es');
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Referencia de la API (en inglés)' });
  expect(await link.getAttribute('hreflang')).toBe('en');
});

browserTest('the page says that the service cannot be reached, and can try again', async () => {
  const page = await openPage(site, START_PATH);
  await page.route('**/v1/tokens?*', (route) => route.abort());
  // The test moves the clock of the page, so that it need not wait between the retries of the SDK.
  await page.clock.install();
  await page.goto('/');
  const alert = page.getByRole('alert').filter({ hasText: 'No connection' });
  while (!(await alert.isVisible())) await page.clock.runFor(10_000);
  await expectNoAxeViolations(page);
  await page.unroute('**/v1/tokens?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Hackathon winner' }).waitFor();
});
