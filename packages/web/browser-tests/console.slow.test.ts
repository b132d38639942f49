import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { createBadgeClient } from '../../sdk/src/index.ts';
import { browserTest, openPage } from './harness/browser.ts';
import { openConsole, openPerson } from './harness/console.ts';
import { expectAccessible, shortenAddress } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';
import { createTestWallet } from './harness/wallet.ts';

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

/** Creates a badge that two people have. */
async function createOwnedBadge(): Promise<{ tokenId: number; owners: string[] }> {
  const tokenId = await site.createToken({ headline: 'Workshop 2026' });
  const owners = [newWallet().address, newWallet().address];
  for (const address of owners) await (await site.badge.airdrop({ tokenId, address })).wait();
  return { tokenId, owners };
}

/** Opens another tab of the same browser, which has not the storage of the tab. */
async function openTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(path);
  return tab;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

browserTest('the link of the sandbox signs in, and the key is not stored for later', async () => {
  const page = await openPage(site, `/console#key=${site.apiKey}`);
  await heading(page, 'Badges').waitFor();
  expect(page.url()).toBe(`${site.url}/console`);
  await page.reload();
  await heading(page, 'Badges').waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(site.apiKey);

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-sign-in');
  await page.reload();
  await heading(page, 'Sign in to the console').waitFor();

  // The link works again in the same tab, which does not load the page.
  await page.goto(`/console#key=${site.apiKey}`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
  expect(page.url()).not.toContain('key=');

  // Another link asks before it changes who is signed in, also in a tab that loads the page.
  await site.operator.createCommunity({ uniqId: 'stranger', displayId: 'stranger', name: 'Stranger' });
  const { apiKey: other } = await site.operator.createApiKey({ communityId: 'stranger', name: 'link' });
  const storedKey = () => page.evaluate(() => sessionStorage.getItem('badge.console.key'));
  const dialog = page.getByRole('dialog', { name: 'Change to the key in the link?' });
  for (const isLoaded of [false, true]) {
    if (isLoaded) await page.goto('about:blank');
    await page.goto(`/console#key=${other}`);
    await dialog.getByText('a key of the community “Stranger (stranger)”').waitFor();
    expect(page.url()).not.toContain('key=');
    if (!isLoaded) await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await storedKey()).toBe(site.apiKey);
  }
  await page.goto(`/console#key=${other}`);
  await dialog.getByText('“Stranger (stranger)”').waitFor();
  await dialog.getByRole('button', { name: 'Change' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await storedKey()).toBe(other);
});

browserTest(
  'a second tab is signed in as the first one is, signs out with it, and takes no key that is not known',
  async () => {
    await site.operator.createCommunity({ uniqId: 'second', displayId: 'second', name: 'Second community' });
    const wallet = createTestWallet();
    const address = wallet.accounts[0]?.address ?? '';
    for (const communityId of ['demo', 'second']) {
      await site.operator.setMember({ communityId, address, role: 'editor' });
    }
    const first = await openPage(site, '/console', { wallets: [wallet] });
    // Nobody is signed in yet, so a tab has nobody to ask. What is typed into it is not lost when another one
    // signs in.
    const early = await openTab(first, '/console');
    await early.getByLabel('API key').fill('badge_sandbox_typed');
    await first.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
    await heading(first, 'Badges').waitFor();
    expect(await early.getByLabel('API key').inputValue()).toBe('badge_sandbox_typed');

    // The choices are names, and the community that is open is open in the new tab, too.
    const choice = first.getByLabel('Community', { exact: true });
    expect(await choice.getByRole('option').allInnerTexts()).toEqual(['Demo community', 'Second community']);
    await choice.selectOption({ label: 'Second community' });
    const second = await openTab(first, '/console/settings');
    await heading(second, 'Settings').waitFor();
    expect(await second.getByLabel('Community', { exact: true }).inputValue()).toBe('second');
    await second.reload();
    await heading(second, 'Settings').waitFor();
    const stored = await second.evaluate(async () => [
      JSON.stringify(localStorage),
      document.cookie,
      (await indexedDB.databases()).map(({ name }) => name).join(),
    ]);
    const token = await second.evaluate(() => sessionStorage.getItem('badge.console.key') ?? '');
    expect(token).toMatch(/^badge_session_/);
    expect(stored.join()).not.toContain(token);

    // A page of the public part asks nobody.
    const open = await openTab(first, '/');
    expect(await open.evaluate(() => sessionStorage.getItem('badge.console.key'))).toBeNull();

    // A tab with a key of its own is somebody else, and stays signed in.
    const other = await openTab(first, `/console#key=${site.apiKey}`);
    await heading(other, 'Badges').waitFor();
    await second.getByRole('button', { name: 'Sign out', exact: true }).click();
    for (const tab of [first, second]) await tab.getByText('You are signed out.').waitFor();
    await heading(other, 'Badges').waitFor();
    expect(await other.evaluate(() => sessionStorage.getItem('badge.console.key'))).toBe(site.apiKey);
    const ended = createBadgeClient({ url: site.url, apiKey: token }).getSession();
    await expect(ended).rejects.toMatchObject({ name: 'InvalidSession' });

    // Without a tab that is signed in, a new one shows the sign-in.
    await other.close();
    const late = await openTab(first, '/console');
    await heading(late, 'Sign in to the console').waitFor();
  },
);

browserTest('a member signs in with a wallet, and again after the session has ended', async () => {
  const wallet = createTestWallet();
  const address = wallet.accounts[0]?.address ?? '';
  await site.operator.setMember({ communityId: 'demo', address, role: 'owner' });
  const page = await openPage(site, '/console/settings/members', { wallets: [wallet] });
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
  await page.getByRole('heading', { level: 2, name: 'Members' }).waitFor();
  await page.getByText('you', { exact: false }).first().waitFor();
  const added = newWallet().address;
  await page.getByLabel('Address of the new member').fill(added);

  // Somewhere else, the session ends. What was typed is still there after the sign-in.
  const token = await page.evaluate(() => sessionStorage.getItem('badge.console.key') ?? '');
  await createBadgeClient({ url: site.url, apiKey: token }).signOut();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Your session has ended.').waitFor();
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(shortenAddress(added)).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-members');

  // By keyboard.
  const storedKey = () => page.evaluate(() => sessionStorage.getItem('badge.console.key'));
  const current = (await storedKey()) ?? '';
  await page.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
  const question = page.getByRole('dialog', { name: 'Sign out everywhere?' });
  await question.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
  await page.getByText('You are signed out.').waitFor();
  expect(await storedKey()).toBeNull();
  const ended = createBadgeClient({ url: site.url, apiKey: current }).getSession();
  await expect(ended).rejects.toMatchObject({ name: 'InvalidSession' });
});

browserTest(
  'an editor looks after a badge: revokes it with a reason, gives it back, and hides it',
  async () => {
    const { tokenId, owners } = await createOwnedBadge();
    const page = await openConsole(site, '');
    await page.getByText('2 of 10 claimed').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-badges');
    await page.getByRole('link', { name: 'Workshop 2026', exact: false }).first().click();
    await heading(page, 'Workshop 2026').waitFor();
    await page.getByText('Claims over time').waitFor();
    const [revoked = ''] = owners;
    const panel = await openPerson(page, shortenAddress(revoked));
    await panel.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: /this badge\?|Give the badge back/ });
    await dialog.getByRole('button', { name: 'Revoke the badge' }).click();
    await dialog.getByText('Write a reason').waitFor();
    await dialog.getByLabel('Reason').fill('Did not attend.');
    await dialog.getByRole('button', { name: 'Revoke the badge' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await site.badge.getOwner({ tokenId, address: revoked })).status).toBe('revoked');

    await panel.getByText('Revoked: Did not attend.').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-revoked');
    await panel.getByRole('button', { name: 'Give it back' }).click();
    await dialog.getByLabel('Reason').fill('Did attend.');
    await dialog.getByRole('button', { name: 'Give it back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await site.badge.getOwner({ tokenId, address: revoked })).status).toBe('held');
    await panel.getByText('Got it back: Did attend.').waitFor();
    await panel.getByRole('button', { name: 'Move' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Hide it' }).click();
    await dialog.getByText('Those who have it keep it').waitFor();
    await dialog.getByRole('button', { name: 'Hide it' }).click();
    await page.getByText('This badge is hidden from lists.').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-badge');
  },
);

browserTest('whoever was revoked is found with a part of the address, also after a reload', async () => {
  const { tokenId, owners } = await createOwnedBadge();
  const [revoked = ''] = owners;
  await (await site.badge.revoke({ tokenId, address: revoked, reason: 'Not there.' })).wait();
  const page = await openConsole(site, `/badges/${tokenId}`);
  await page.getByText('2 people', { exact: true }).waitFor();
  for (const text of [revoked.slice(0, 12), revoked.slice(-10).toUpperCase(), revoked]) {
    await page.getByRole('searchbox').fill(text);
    await page.getByText('1 person', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: shortenAddress(revoked) })
      .getByText('Revoked')
      .waitFor();
  }
  // The filter is in the address of the page, so it is also there after a reload.
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('What they have').selectOption('Revoked');
  await page.getByText('1 person', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('1 person', { exact: true }).waitFor();
  await page.getByLabel('How it was given').selectOption('With a link');
  await page.getByText('Nobody is found').waitFor();
  await expectAccessible(page);
});
