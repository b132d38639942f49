import { newWallet } from '@badge/test-support/signing';
import { beforeAll, expect } from 'vitest';
import { claimForNewAddresses, site } from './harness/badge-owners.ts';
import { browserTest, openPage } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll, shortenAddress } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';

beforeAll(async () => {
  await site.operator.createCommunity({
    uniqId: 'builders-of-badges',
    displayId: 'builders-of-badges',
    name: 'Builders of Lisbon',
  });
});

browserTest('the page shows everything about a badge', async () => {
  const creator = newWallet();
  const creation = await site.operator.createToken({
    signer: creator,
    communityId: 'builders-of-badges',
    nftTypeId: 'defaultBlueGreen',
    headline: 'Speaker <b>2026</b>',
    description: 'Gave a talk in front of two hundred people.\nThank you!',
    links: ['https://example.org/talks?year=2026', 'javascript:alert(1)'],
    startDateTimestamp: Date.UTC(2026, 4, 4),
    endDateTimestamp: Date.UTC(2026, 4, 6),
    expirationTimestamp: Date.UTC(2099, 0, 31, 18),
    totalClaimCount: 250,
    customAttributes: [
      { fieldName: 'track', type: 'string', value: 'Typed data' },
      { fieldName: 'minutes', type: 'number', value: 1234.5 },
      { fieldName: 'recorded', type: 'boolean', value: true },
      { fieldName: 'talkDate', type: 'date', value: '2026-05-05' },
    ],
  });
  const { tokenId: id } = await creation.wait();
  const owners = await claimForNewAddresses(id, 2);
  // In Los Angeles, midnight UTC is still the day before. The page must show days without a time as they are
  // in UTC.
  const page = await openPage(site, `/token/${id}`, { timezoneId: 'America/Los_Angeles' });

  await page.getByRole('heading', { level: 1, name: 'Speaker <b>2026</b>' }).waitFor();
  expect(await page.title()).toBe('Speaker <b>2026</b> · Badge');
  await page.getByText('Gave a talk in front of two hundred people.').waitFor();
  await page.getByRole('img', { name: 'Speaker <b>2026</b>' }).waitFor();
  await page.getByText('May 4 – 6, 2026').waitFor();
  await page.getByText('Jan 31, 2099, 10:00 AM PST').waitFor();
  await page.getByText('248 left').waitFor();
  await page.getByText('2 of 250 claimed').waitFor();
  await page.getByText('Created', { exact: true }).waitFor();
  await page.getByText(shortenAddress(creator.address)).waitFor();
  for (const value of ['Typed data', '1234.5', 'Yes', 'May 5, 2026']) await page.getByText(value).waitFor();

  const link = page.getByRole('link', { name: 'example.org/talks?year=2026' });
  expect(await link.getAttribute('rel')).toContain('noopener');
  await page.getByText('javascript:alert(1)').waitFor();
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);

  for (const owner of owners) await page.getByRole('link', { name: shortenAddress(owner) }).waitFor();
  const claimLink = page.getByRole('link', { name: 'Claim this badge' });
  expect(await claimLink.getAttribute('href')).toBe(`/claim/${id}`);

  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'badge');

  await page.getByRole('link', { name: 'Builders of Lisbon' }).click();
  await page.waitForURL('**/community/builders-of-badges');
});
