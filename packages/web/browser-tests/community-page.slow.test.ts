import { newWallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();

/** Creates a community with this many badges, `Badge 1 of …` first. */
async function createCommunity(uniqId: string, tokenCount: number, fields: object = {}): Promise<void> {
  await site.operator.createCommunity({ uniqId, displayId: uniqId, name: uniqId, ...fields });
  for (let number = 1; number <= tokenCount; number += 1) {
    const creation = await site.operator.createToken({
      signer: newWallet(),
      communityId: uniqId,
      headline: `Badge ${number} of ${uniqId}`,
      nftTypeId: number % 2 === 0 ? 'defaultPinkIndigo' : 'defaultYellowTeal',
      totalClaimCount: 10,
    });
    await creation.wait();
  }
}

browserTest('the page shows the community and its badges, the newest first', async () => {
  await createCommunity('builders', 3, {
    displayId: 'lisbon',
    name: 'Builders of Lisbon',
    description: 'We build things together.\nEverybody is welcome. See https://example.org/join.',
    // The page must not load this logo, because it is on another origin.
    logoUrl: 'https://cdn.example/logo.png',
  });
  const page = await openPage(site, '/community/builders');
  await page.getByRole('heading', { level: 1, name: 'Builders of Lisbon' }).waitFor();
  expect(await page.title()).toBe('Builders of Lisbon · Badge');
  await page.getByText('lisbon', { exact: true }).waitFor();
  await page.getByText('Everybody is welcome.').waitFor();
  const link = page.getByRole('list', { name: 'Links' }).getByRole('link');
  expect(await link.getAttribute('href')).toBe('https://example.org/join');
  expect(await link.getAttribute('rel')).toContain('nofollow ugc');
  await page.getByText('3 badges', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Badge 3 of builders' }).waitFor();
  const badges = page.getByRole('region', { name: 'Badges of this community' });
  expect(await badges.getByRole('listitem').first().textContent()).toContain('Badge 3');
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'community');
  await page.getByRole('link', { name: 'Badge 1 of builders' }).click();
  await page.getByRole('heading', { level: 1, name: 'Badge 1 of builders' }).waitFor();
});

browserTest('the badges are shown in pages', async () => {
  // One more than a page of the list shows.
  await createCommunity('many', 25);
  const page = await openPage(site, '/community/many');
  await page.getByRole('link', { name: 'Badge 25 of many' }).waitFor();
  await page.getByText('25 badges', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Badge 1 of many' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Badge 1 of many' }).waitFor();
  expect(new URL(page.url()).search).toBe('?page=2');
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByRole('link', { name: 'Badge 25 of many' }).waitFor();
});

browserTest("the page shows a logo on the service's own origin", async () => {
  await createCommunity('with-logo', 0, { logoUrl: `${site.url}/images/nft/defaultGoldBlack.png` });
  const page = await openPage(site, '/community/with-logo');
  await page.getByRole('heading', { level: 1, name: 'with-logo' }).waitFor();
  await page.waitForFunction(() => {
    const logo = document.querySelector<HTMLImageElement>('main header img');
    return logo?.complete && logo.naturalWidth > 0;
  });
});

browserTest('the page of a community without badges says so', async () => {
  await createCommunity('new', 0);
  const page = await openPage(site, '/community/new');
  await page.getByText('No badges yet').waitFor();
  await expectNoAxeViolations(page);
});

browserTest('the page of a community that does not exist returns 404, and says so', async () => {
  const page = await openPage(site, START_PATH);
  const response = await page.goto('/community/nobody');
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { level: 1, name: 'There is no such community' }).waitFor();
  await expectNoAxeViolations(page);
});

browserTest('without a connection, the page says so and can try again', async () => {
  await createCommunity('offline', 1);
  const page = await openPage(site, START_PATH);
  await page.route('**/v1/**', (route) => route.abort('internetdisconnected'));
  await page.goto('/community/offline');
  await page.getByText('No connection').waitFor();
  await page.unroute('**/v1/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Badge 1 of offline' }).waitFor();
});
