import { newAddress, newWallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { openConsole, openPerson } from './harness/console.ts';
import { expectAccessible, shortenAddress } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
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

  const desk = await openConsole(site, `/badges/${tokenId}`);
  await desk.getByText('The badge of 2 people has expired.').waitFor();
  await desk.getByText('Claims over time').waitFor();
  await desk.getByRole('link', { name: 'Correct it' }).click();
  await desk.getByText('2 people move to the corrected badge: 2 have it, and 0 can still get it.').waitFor();
  await desk.goBack();
  await desk.getByLabel('What they have').selectOption('Ends within 30 days');
  await desk.getByText('Nobody is found').waitFor();
  await desk.getByLabel('What they have').selectOption('Expired');
  await desk.getByText('2 people', { exact: true }).waitFor();
  expect(await desk.getByRole('row').getByText('Expired').count()).toBe(2);
  await desk.getByRole('checkbox', { name: 'Select everybody on this page' }).check();
  const selection = desk.getByRole('region', { name: 'With those who are selected' });
  // Whoever has the badge, also an expired one, is not taken out of the list.
  expect(await selection.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  await selection.getByRole('button', { name: 'Renew 2' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Renew the badge of 2 people?' });
  await dialog.getByText(/^Until now, the end/).waitFor();
  await dialog.getByText('2 have an expired badge, and then have a valid one again.').waitFor();
  await dialog.getByText('Nobody gets a mail.').waitFor();
  const inAYear = await desk.evaluate(() => {
    const day = new Date();
    day.setDate(day.getDate() + 365);
    return day.toLocaleDateString('sv');
  });
  expect(await dialog.getByLabel('Day').inputValue()).toBe(inAYear);
  await expectAccessible(desk);
  await takeScreenshots(desk, 'console-renew');
  await dialog.getByLabel('Day').fill('2001-01-01');
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await dialog.getByText('Choose a time in the future.').waitFor();
  await dialog.getByLabel('Day').fill('2999-01-31');
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await dialog.waitFor({ state: 'detached' });

  await desk.getByText('The badge of 2 people now ends on Jan 31, 2999.').waitFor();
  await expectAccessible(desk);

  const { data } = await badge.listRecipients({ tokenId });
  expect(data.map(({ status }) => status)).toEqual(['claimed', 'claimed']);
  for (const { validUntilTimestamp } of data) {
    expect(validUntilTimestamp).toBeGreaterThan(Date.UTC(2999, 0, 30) - YEAR_MS);
  }
  await desk.goto(`${site.url}/console/badges/${tokenId}`);
  await desk.getByText('until Jan 31, 2999').first().waitFor();

  // One of two is revoked meanwhile.
  await desk.getByRole('checkbox', { name: 'Select everybody on this page' }).check();
  await selection.getByRole('button', { name: 'Renew 2' }).click();
  await dialog.getByText('For 2 people, this is earlier than now.').waitFor();
  await (await badge.revoke({ tokenId, address: other, reason: 'Not there.' })).wait();
  await dialog.getByRole('button', { name: 'Renew' }).click();
  const single = desk.getByRole('dialog', { name: 'Renew this badge?' });
  await single.getByText('1 person does not have the badge any more.').waitFor();
  await single.getByText(shortenAddress(other)).waitFor();
  await expectAccessible(desk);
  await single.getByRole('button', { name: 'Renew' }).click();
  await desk.getByText(/^The badge of 1 person now ends on /).waitFor();

  // One person, in the panel.
  const panel = await openPerson(desk, shortenAddress(one));
  await panel.getByRole('button', { name: 'Renew' }).click();
  await single.getByLabel('Day').fill('2998-01-31');
  await single.getByRole('button', { name: 'Renew' }).click();
  await panel.getByText('Renewed: until Jan 31, 2998').waitFor();
  await panel.getByRole('status').getByText('until Jan 31, 2998').waitFor();
  await expectAccessible(desk);
});

browserTest('the end of a badge is changed for everybody, and the console says what it means', async () => {
  const site = sharedSite();
  const { badge } = site;
  const tokenId = await site.createToken({ headline: 'Course certificate', validityDays: 365 });
  for (const address of [newAddress(), newAddress()]) {
    await (await badge.airdrop({ tokenId, address })).wait();
  }
  const page = await openConsole(site, `/badges/${tokenId}`);
  await page.getByText('It ends 365 days after each claim.').waitFor();
  await takeScreenshots(page, 'console-badge-that-ends');
  await page.getByRole('button', { name: 'Change the end' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the end' });
  await dialog.getByText('except for people whose badge you have renewed').waitFor();
  await dialog.getByText('credentials that people have downloaded become invalid').waitFor();
  await dialog.getByLabel('How many days it is valid').fill('0');
  await dialog.getByRole('button', { name: 'Change it' }).click();
  await dialog.getByText('Enter a whole number of days').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-change-the-end');
  await dialog.getByLabel('How many days it is valid').fill('20');
  await dialog.getByRole('button', { name: 'Change it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('It ends 20 days after each claim.').waitFor();
  expect(await badge.getToken({ tokenId })).toMatchObject({ validityDays: 20, validUntilTimestamp: null });
  await page.getByLabel('What they have').selectOption('Ends within 30 days');
  await page.getByText('2 people', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Change the end' }).click();
  await dialog.getByLabel('For everybody on a day').check();
  await dialog.getByLabel('Day', { exact: true }).fill('2001-01-01');
  await dialog.getByText('the badge of everybody expires at once').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Change it' }).click();
  await page.getByText('It ends on Jan 1, 2001.').waitFor();
  await page.getByText('The badge of 2 people has expired.').waitFor();
  await page.getByLabel('What they have').selectOption('Expired');
  await page.getByRole('cell').getByText('Jan 1, 2001', { exact: true }).first().waitFor();
  await page.getByLabel('What they have').selectOption('Ends within 30 days');
  await page.getByRole('button', { name: 'Change the end' }).click();
  await dialog.getByLabel('Day', { exact: true }).fill('2999-01-31');
  await dialog.getByRole('button', { name: 'Change it' }).click();
  await page.getByText('It ends on Jan 31, 2999.').waitFor();
  await page.getByText('Nobody is found').waitFor();

  await page.getByRole('button', { name: 'Change the end' }).click();
  await dialog.getByLabel('It does not end').check();
  await dialog.getByRole('button', { name: 'Change it' }).click();
  await page.getByText('It does not end.').waitFor();
  expect(await badge.getToken({ tokenId })).toMatchObject({ validityDays: null, validUntilTimestamp: null });
});
