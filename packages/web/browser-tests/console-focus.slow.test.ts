import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole, openPerson } from './harness/console.ts';
import { shortenAddress } from './harness/page-checks.ts';
import { type OwnSite, startSite } from './harness/site.ts';

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

const createKey = async (role: 'owner' | 'editor' | 'viewer') =>
  (await site.operator.createApiKey({ communityId: 'demo', name: `for ${role}`, role })).apiKey;

/** What is done at once, without a dialog. */
const WITHOUT_DIALOG =
  /^(Sign out$|Save|Download|Pause$|Send a test|What was sent|Choose|Add$|Copy|\d+ mail)/;

/**
 * Opens each dialog that a button of the page opens, closes it with the Escape key, and returns the names of
 * the buttons.
 */
async function openEachDialog(page: Page): Promise<string[]> {
  const opened: string[] = [];
  const names = await listNames(page);
  for (const [index, name] of names.entries()) {
    if (WITHOUT_DIALOG.test(name)) continue;
    // Other buttons can appear meanwhile.
    const sameBefore = names.slice(0, index).filter((other) => other === name).length;
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).nth(sameBefore);
    if (!(await button.isVisible()) || !(await button.isEnabled())) continue;
    await button.press('Enter');
    const dialog = page.locator('dialog[open]');
    // A dialog opens in the same moment as its button is pressed.
    if ((await dialog.count()) === 0) continue;
    opened.push(name.replace(/:.*/, ''));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === document.activeElement), name).toBe(true);
  }
  return opened;
}

async function listNames(page: Page): Promise<string[]> {
  return await page
    .getByRole('main')
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''));
}

browserTest('after the Escape key, the focus is on the button that has opened the dialog', async () => {
  const key = await createKey('owner');
  const tokenId = await site.createToken({ headline: 'In a dialog' });
  const listedId = await site.createToken({
    headline: 'With a list',
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['ada@example.org'],
  });
  const address = newWallet().address;
  await (await site.badge.airdrop({ tokenId, address })).wait();
  await site.badge.createClaimLinks({ tokenId, count: 1 });
  await site.badge.createInvitations({ tokenId, recipients: [{ email: 'bob@example.org' }] });
  await site.operator.createWebhook({ communityId: 'demo', name: 'ours', url: 'http://localhost:9/' });
  await site.operator.setMember({ communityId: 'demo', address, role: 'viewer' });
  const dialogs: [string, string, string[]][] = [
    [`/badges/${tokenId}`, shortenAddress(address), ['Hide it', shortenAddress(address), 'bob@example.org']],
    [`/badges/${listedId}`, 'ada@example.org', ['Hide it', 'ada@example.org']],
    [`/badges/${tokenId}/links`, 'Revoke', ['Hide it', 'Make links', 'Revoke']],
    ['/settings/members', 'Remove', ['Change the role', 'Remove']],
    ['/settings/keys', 'Revoke', ['Create a key', 'Revoke']],
    ['/settings/webhooks', 'Delete', ['Add a webhook', 'Change', 'Pause', 'New secret', 'Delete']],
  ];
  const page = await openConsole(site, '', { key });
  for (const [path, last, expected] of dialogs) {
    await page.goto(`/console${path}`);
    await page.getByRole('button', { name: last }).first().waitFor();
    expect(await openEachDialog(page), path).toEqual(expect.arrayContaining(expected));
  }
  const operator = await openConsole(site, '/settings/communities', { key: site.adminKey });
  await operator.getByRole('button', { name: 'Create a community' }).waitFor();
  expect(await openEachDialog(operator)).toEqual(['Create a community']);

  // A dialog that no button has opened gives the focus back, too.
  await page.goto('/console/settings');
  await page.getByLabel('Description').focus();
  await page.goto(`/console/settings#key=${await createKey('editor')}`);
  await page.getByRole('dialog', { name: 'Change to the key in the link?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Description').evaluate((one) => one === document.activeElement)).toBe(true);
});

browserTest('who may only look sees no button that changes something', async () => {
  const tokenId = await site.createToken({ headline: 'Only looked at' });
  const { address } = newWallet();
  await (await site.badge.airdrop({ tokenId, address })).wait();
  await site.badge.createClaimLinks({ tokenId, count: 1 });
  await site.badge.createInvitations({ tokenId, recipients: [{ email: 'bob@example.org' }] });
  const page = await openConsole(site, '', { key: await createKey('viewer') });
  const owner = shortenAddress(address);
  const people = [owner, 'bob@example.org', 'Somebody with a link'];
  // The page of a badge always waits for events.
  const badgePaths = [
    [`/badges/${tokenId}`, owner],
    [`/badges/${tokenId}/links`, 'Link for one person'],
  ] as const;
  const paths = ['', '/settings', '/settings/members', '/settings/log'].map((path) => [path, null] as const);
  for (const [path, shown] of [...paths, ...badgePaths]) {
    await page.goto(`/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (shown === null) await page.waitForLoadState('networkidle');
    else await page.getByText(shown).first().waitFor();
    const opened = (await openEachDialog(page)).filter((name) => !people.includes(name));
    expect(opened, path).toEqual([]);
    expect(await page.getByRole('button', { name: /^(Save|Add)$/ }).count(), path).toBe(0);
  }
  await page.goto(`/console/badges/${tokenId}`);
  for (const name of people) {
    const panel = await openPerson(page, name);
    const names = await panel.getByRole('button').allTextContents();
    expect(names.filter((one) => one !== '')).toEqual(['Close']);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  }
  expect(await page.getByRole('checkbox').count()).toBe(0);
});

browserTest('after an action, the focus is in the panel if the button is gone', async () => {
  const tokenId = await site.createToken({ headline: 'Revoked by keyboard' });
  const address = newWallet().address;
  await (await site.badge.airdrop({ tokenId, address })).wait();
  const page = await openConsole(site, `/badges/${tokenId}`, { key: await createKey('owner') });
  const panel = await openPerson(page, shortenAddress(address));
  await panel.getByRole('button', { name: 'Revoke' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Revoke this badge?' });
  await dialog.getByLabel('Reason').fill('Did not attend.');
  await dialog.getByRole('button', { name: 'Revoke the badge' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
  // The focus is on the page, or on the panel that is open.
  const isInside = () => panel.evaluate((node) => node.contains(document.activeElement));
  await expect.poll(isInside).toBe(true);
});
