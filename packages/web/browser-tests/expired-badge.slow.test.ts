import { newAddress, newWallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { expectAccessible, shortenAddress } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

const YEAR_MS = 365 * 86_400_000;

browserTest('an expired badge is shown as expired, and is renewed in the console', async () => {
  const site = sharedSite();
  const { badge } = site;
  const [one, other] = [newAddress(), newAddress()];
  const tokenId = await site.createToken({
    signer: newWallet(),
    headline: 'First aid',
    totalClaimCount: 10,
    validityDays: 365,
  });
  for (const address of [one, other]) await (await badge.airdrop({ tokenId, address })).wait();
  await query(
    site.databaseUrl,
    "update claims set claimed_at = claimed_at - interval '365 days' where token_id = $1",
    [tokenId],
  );

  const page = await openPage(site, `/token/${tokenId}?owner=${one}`);
  await page.getByText(`${shortenAddress(one)} has this badge, but it has expired`).waitFor();
  await page.getByText('365 days from the claim').waitFor();
  await expectAccessible(page);
  await page.goto(`${site.url}/wallet/${one}`);
  await page.getByText(/^expired /).waitFor();

  const desk = await openConsole(site, `/badges/${tokenId}?status=expired`);
  await desk.getByText('2 people', { exact: true }).waitFor();
  await desk.getByRole('checkbox', { name: 'Select everybody on this page' }).check();
  const selection = desk.getByRole('region', { name: 'With those who are selected' });
  // Whoever has the badge, also an expired one, is not taken out of the list.
  expect(await selection.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  await selection.getByRole('button', { name: 'Renew 2' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Renew the badge of 2 people?' });
  await dialog.getByText('Their badge ends at the time below').waitFor();
  await expectAccessible(desk);
  await dialog.getByLabel('Day').fill('2001-01-01');
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await dialog.getByText('Choose a time in the future.').waitFor();
  await dialog.getByLabel('Day').fill('2999-01-31');
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await dialog.waitFor({ state: 'detached' });

  const { data } = await badge.listRecipients({ tokenId });
  expect(data.map(({ status }) => status)).toEqual(['claimed', 'claimed']);
  for (const { validUntilTimestamp } of data) {
    expect(validUntilTimestamp).toBeGreaterThan(Date.UTC(2999, 0, 30) - YEAR_MS);
  }
  await desk.goto(`${site.url}/console/badges/${tokenId}`);
  await desk.getByText('until Jan 31, 2999').first().waitFor();
});
