import { newWallet } from '@badge/test-support/signing';
import { beforeAll, expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { clickAndReadCopy, expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();
beforeAll(async () => {
  await site.operator.createCommunity({
    uniqId: 'builders-of-wallets',
    displayId: 'builders-of-wallets',
    name: 'Builders of Lisbon',
  });
});

const DESIGNS = ['defaultOrangeRed', 'defaultCyanViolet', 'defaultGoldBlack', 'defaultGreenPurple'];

/** Creates a token of a community and claims it for the address. */
async function giveToken(claimingAddress: string, headline: string, communityId = 'demo'): Promise<number> {
  const creation = await site.operator.createToken({
    signer: newWallet(),
    communityId,
    headline,
    // The screenshots show several designs.
    nftTypeId: DESIGNS[headline.length % DESIGNS.length] ?? '',
    totalClaimCount: 10,
  });
  const { tokenId } = await creation.wait();
  await (await site.operator.claim({ tokenId, claimingAddress })).wait();
  return tokenId;
}

browserTest('the page shows the claimed badges, and those that wait to be claimed', async () => {
  const { address } = newWallet();
  const claimed = await giveToken(address, 'Speaker 2026', 'builders-of-wallets');
  await giveToken(address, 'Workshop: typed data from first principles', 'demo');
  const unclaimed = await site.createToken({ headline: 'Core contributor', contributors: [address] });
  const page = await openPage(site, `/wallet/${address}`);

  await page.getByRole('img', { name: address }).waitFor();
  const claimedLink = page.getByRole('link', { name: 'Speaker 2026 Builders of Lisbon' });
  expect(await claimedLink.getAttribute('href')).toBe(`/token/${claimed}?owner=${address}`);
  const unclaimedLink = page.getByRole('link', { name: 'Core contributor Demo community Claim' });
  expect(await unclaimedLink.getAttribute('href')).toBe(`/claim/${unclaimed}`);
  await page.getByRole('heading', { level: 2, name: 'Ready to claim' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'Claimed badges' }).waitFor();
  await page.getByRole('button', { name: 'Share' }).waitFor();

  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'wallet');
});

browserTest('the address is shown in groups, and copied without spaces', async () => {
  const { address } = newWallet();
  const page = await openPage(site, `/wallet/${address}`);
  const groups = page.getByRole('img', { name: address });
  await groups.waitFor();
  expect(await groups.locator('span').allTextContents()).toEqual([
    '0x',
    ...(address.slice(2).match(/.{4}/g) ?? []),
  ]);
  await groups.click();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(address);
  const copied = await clickAndReadCopy(page.getByRole('button', { name: 'Copy' }), page.getByText('Copied'));
  expect(copied).toBe(address);
});

browserTest('the badges can be filtered by community', async () => {
  const { address } = newWallet();
  await giveToken(address, 'From Lisbon', 'builders-of-wallets');
  await giveToken(address, 'From the demo', 'demo');
  const page = await openPage(site, `/wallet/${address}`);
  await page.getByRole('link', { name: 'From the demo' }).waitFor();

  await page.getByLabel('Community').selectOption('Builders of Lisbon');
  await page.getByRole('link', { name: 'From the demo' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'From Lisbon' }).waitFor();
  expect(new URL(page.url()).search).toBe('?community=builders-of-wallets');
  await expectNoAxeViolations(page);

  await page.reload();
  await page.getByRole('link', { name: 'From Lisbon' }).waitFor();
  expect(await page.getByRole('link', { name: 'From the demo' }).count()).toBe(0);
  await page.getByLabel('Community').selectOption('All communities');
  await page.getByRole('link', { name: 'From the demo' }).waitFor();
});

browserTest(
  'if the wallet has no badge of the chosen community, the page offers all communities',
  async () => {
    const { address } = newWallet();
    await giveToken(address, 'From the demo', 'demo');
    const page = await openPage(site, `/wallet/${address}?community=builders-of-wallets`);
    await page.getByText('No claimed badge of this community').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'All communities' }).click();
    await page.getByRole('link', { name: 'From the demo' }).waitFor();
  },
);

browserTest('many badges are shown in pages', async () => {
  const { address } = newWallet();
  // One more than a page of the list shows.
  for (let number = 1; number <= 25; number += 1) await giveToken(address, `Badge ${number} of many`);
  const page = await openPage(site, `/wallet/${address}`);
  await page.getByRole('link', { name: 'Badge 25 of many' }).waitFor();
  expect(await page.getByRole('link', { name: 'Badge 1 of many' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Badge 1 of many' }).waitFor();
  await page.getByText('Page 2').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Claimed badges');

  await page.goto(`/wallet/${address}?page=9`);
  await page.getByRole('button', { name: 'To the first page' }).click();
  await page.getByRole('link', { name: 'Badge 25 of many' }).waitFor();
});

browserTest('a revoked badge is not among the badges of the wallet', async () => {
  const { address } = newWallet();
  const [revokedId, heldId] = [
    await site.createToken({ headline: 'Revoked' }),
    await site.createToken({ headline: 'Held' }),
  ];
  for (const tokenId of [revokedId, heldId]) await (await site.badge.airdrop({ tokenId, address })).wait();
  await (await site.badge.revoke({ tokenId: revokedId, address, reason: 'a reason' })).wait();
  const page = await openPage(site, `/wallet/${address}`);
  await page.getByText('Held').first().waitFor();
  expect(await page.getByText('Revoked').count()).toBe(0);
});

browserTest('a wallet without badges says what to do', async () => {
  const page = await openPage(site, `/wallet/${newWallet().address}`);
  await page.getByText('No badges yet').waitFor();
  expect(await page.getByText('Ready to claim').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0);
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'wallet-empty');
  await page.getByRole('link', { name: 'See the latest badges' }).click();
  await page.waitForURL(`${site.url}/badges`);
  await page.goBack();
  await page.getByRole('link', { name: 'Enter another address' }).click();
  await page.waitForURL(`${site.url}/#your-badges`);
});

browserTest(
  'a badge that the wallet gets later appears when the visitor comes back to the page',
  async () => {
    const { address } = newWallet();
    const page = await openPage(site, `/wallet/${address}`);
    await page.getByText('No badges yet').waitFor();
    await site.createToken({ headline: 'Core contributor', contributors: [address] });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('link', { name: 'Core contributor' }).waitFor();
    await page.getByText('No badge claimed yet').waitFor();
    await takeScreenshots(page, 'wallet-unclaimed');
  },
);

browserTest('the page says until when each badge can be claimed', async () => {
  const { address } = newWallet();
  const contributors = [address];
  await site.createToken({
    headline: 'Open until 2099',
    contributors,
    expirationTimestamp: Date.UTC(2099, 0, 31, 12),
  });
  const ended = await site.createToken({
    headline: 'Ended in 2020',
    contributors,
    expirationTimestamp: Date.UTC(2020, 0, 1, 12),
  });
  const page = await openPage(site, `/wallet/${address}`);
  // Intl writes a narrow space before AM and PM, which the dot matches.
  const time = String.raw`\d+:\d\d.[AP]M [A-Z]+\S*`;
  const open = new RegExp(`^Open until 2099 Demo community until Jan 31, 2099, ${time} Claim$`);
  await page.getByRole('link', { name: open }).waitFor();
  const endedLink = page.getByRole('link', {
    name: new RegExp(`^Ended in 2020 Demo community ended Jan 1, 2020, ${time}$`),
  });
  expect(await endedLink.getAttribute('href')).toBe(`/token/${ended}`);
  const lists = page.getByRole('region', { name: 'Ready to claim' });
  expect(await lists.getByRole('heading').or(lists.getByRole('link')).allInnerTexts()).toEqual([
    'Ready to claim',
    expect.stringContaining('Open until 2099'),
    'Can no longer be claimed',
    expect.stringContaining('Ended in 2020'),
  ]);
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'wallet-expired');
});

browserTest('badges are not called ready to claim if their claims have ended', async () => {
  const { address } = newWallet();
  await site.createToken({
    headline: 'Ended in 2020',
    contributors: [address],
    expirationTimestamp: Date.UTC(2020, 0, 1, 12),
  });
  const page = await openPage(site, `/wallet/${address}`);
  await page.getByRole('heading', { level: 2, name: 'Can no longer be claimed' }).waitFor();
  await page.getByRole('link', { name: 'Ended in 2020' }).waitFor();
  expect(await page.getByText('Ready to claim').count()).toBe(0);
  expect(await page.getByText('This wallet is on the list for these badges.').count()).toBe(0);
  await expectNoAxeViolations(page);
});

browserTest(
  'the wallet page of a text that is not an address returns 404, and says that it is not an address',
  async () => {
    for (const address of ['0x123', 'vitalik.eth', newWallet().address.slice(2)]) {
      const page = await openPage(site, START_PATH);
      const response = await page.goto(`/wallet/${address}`);
      expect(response?.status()).toBe(404);
      await page.getByRole('heading', { level: 1, name: 'This is not the address of a wallet' }).waitFor();
      await page.getByRole('link', { name: 'Enter an address' }).waitFor();
      await expectNoAxeViolations(page);
    }
  },
);

browserTest('an address with a wrong checksum is shown with a warning', async () => {
  const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
  const mistyped = address.replace('E', 'e');
  const page = await openPage(site, `/wallet/${mistyped}`);
  await page.getByText('This address may be mistyped').waitFor();
  await page.getByRole('img', { name: address }).waitFor();
  await page.getByText('No badges yet').waitFor();
  await expectNoAxeViolations(page);

  await page.goto(`/wallet/${address.toLowerCase()}`);
  await page.getByText('No badges yet').waitFor();
  expect(await page.getByText('This address may be mistyped').count()).toBe(0);
});

browserTest('if the service does not respond, the page says so and can try again', async () => {
  const { address } = newWallet();
  await giveToken(address, 'Speaker 2026');
  await site.createToken({ headline: 'Core contributor', contributors: [address] });
  const page = await openPage(site, START_PATH);
  const walletCalls = '**/v1/wallets/**';
  await page.route(walletCalls, (route) => route.abort());
  await page.goto(`/wallet/${address}`);
  await page.getByText('No connection').waitFor();
  await expectNoAxeViolations(page);
  await page.unroute(walletCalls);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Speaker 2026' }).waitFor();
  await page.getByRole('link', { name: 'Core contributor' }).waitFor();
});
