import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { expectAccessible, isInView } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();

browserTest('many are selected on several pages, and whoever cannot be changed is named', async () => {
  const { badge } = site;
  const tokenId = await site.createToken({ headline: 'For sixty', totalClaimCount: 100 });
  const owners = Array.from({ length: 60 }, newAddress);
  await Promise.all(owners.map(async (address) => await (await badge.airdrop({ tokenId, address })).wait()));
  const page = await openConsole(site, `/badges/${tokenId}`);
  await page.getByText('60 people', { exact: true }).waitFor();
  const everybody = page.getByRole('checkbox', { name: 'Select everybody on this page' });
  await everybody.press('Space');
  await page.getByText('50 selected').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(11);
  expect(await everybody.isChecked()).toBe(false);
  await everybody.press('Space');
  await page.getByText('60 selected').waitFor();
  await page.getByRole('button', { name: 'Select nobody' }).click();
  await page.getByText('60 selected').waitFor({ state: 'detached' });
  await page.getByRole('checkbox').nth(1).press('Space');
  expect(await everybody.evaluate((box) => (box as HTMLInputElement).indeterminate)).toBe(true);
  // The actions stay in view.
  await page.getByRole('row').last().scrollIntoViewIfNeeded();
  expect(await isInView(page.getByRole('region', { name: 'With those who are selected' }))).toBe(true);
  await page.getByRole('button', { name: 'Select all 60' }).click();
  await page.getByText('60 selected').waitFor();

  // Somebody else is faster with one of them.
  const [faster = ''] = owners;
  await (await badge.revoke({ tokenId, address: faster, reason: 'Not there.' })).wait();
  await page.getByRole('button', { name: 'Revoke 60' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Revoke the badge' }).click();
  await dialog.getByText('Write a reason').waitFor();
  await dialog.getByLabel('Reason').fill('The event was cancelled.');
  await dialog.getByRole('button', { name: 'Revoke the badge' }).click();
  await dialog.getByText('This did not work for 1 person:').waitFor();
  await dialog.getByText(faster.slice(-4)).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await badge.listRecipients({ tokenId, status: 'revoked', limit: 1 })).total).toBe(60);
});

browserTest.for(['es-MX', 'ar'])('people in %s', async (locale) => {
  const contributors = [
    { contributor: newAddress(), name: 'Zoë', email: 'zoe@example.org', note: 'Comes by train.' },
    { contributor: 'ada@example.org', name: 'Ada' },
  ];
  const signer = newWallet();
  const tokenId = await site.createToken({ signer, headline: 'In other languages', contributors });
  const page = await openConsole(site, `/badges/${tokenId}`, { locale });
  await page.getByRole('searchbox').fill('ZOE');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('checkbox').first().check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Zoë' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Zoë' });
  await panel.getByRole('listitem').first().waitFor();
  expect(await panel.getByRole('textbox').last().inputValue()).toBe('Comes by train.');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});
