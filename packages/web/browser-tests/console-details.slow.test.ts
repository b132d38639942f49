import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect } from 'vitest';
import { createBadgeClient, type Role } from '../../sdk/src/index.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole, openPerson, readDownload } from './harness/console.ts';
import { expectAccessible, shortenAddress } from './harness/page-checks.ts';
import { readQrCodes } from './harness/read-qr-codes.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';

const HOUR_MS = 3_600_000;

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

async function createKey(role: Role): Promise<string> {
  const name = `${role}-${Math.random()}`;
  return (await site.operator.createApiKey({ communityId: 'demo', name, role })).apiKey;
}

browserTest(
  'a dialog can be read by everybody, and does not block the sign-in when the key is revoked',
  async () => {
    const tokenId = await site.createToken({ headline: 'In a dialog' });
    const address = newWallet().address;
    await (await site.badge.airdrop({ tokenId, address })).wait();
    const { apiKey, apiKeyId } = await site.operator.createApiKey({
      communityId: 'demo',
      name: 'short-lived',
      role: 'editor',
    });
    const page = await openConsole(site, '', { key: apiKey });
    await page.getByRole('link', { name: 'In a dialog' }).first().waitFor();
    await expectAccessible(page);
    await page.goto(`/console/badges/${tokenId}`);
    const panel = await openPerson(page, shortenAddress(address));
    await panel.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move this badge' });
    await dialog.getByLabel('Reason').fill('A new wallet.');
    await dialog.getByRole('button', { name: 'Move the badge' }).click();
    await dialog.getByText('Enter an address.').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-dialog');
    const target = newWallet().address;
    await dialog.getByLabel('New address').fill(target);
    await site.operator.revokeApiKey({ communityId: 'demo', apiKeyId });
    await dialog.getByRole('button', { name: 'Move the badge' }).click();
    await page.getByLabel('API key').fill(site.apiKey);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in with the key' }).click();
    await dialog.getByRole('button', { name: 'Move the badge' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await site.badge.getOwner({ tokenId, address: target })).status).toBe('held');
  },
);

browserTest('people on a list are searched, saved, linked and removed', async () => {
  const creator = newWallet();
  const contributors = [newWallet().address, 'ada@example.org', 'grace@example.org'];
  const tokenId = await site.createToken({ signer: creator, headline: 'Listed', contributors });
  const page = await openConsole(site, `/badges/${tokenId}`, { key: await createKey('issuer') });
  await page.getByText('grace@example.org').waitFor();
  await expectAccessible(page);
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const file = await readDownload(await downloaded);
  expect(file).toContain('ada@example.org');

  await page.getByRole('searchbox').fill('ADA@');
  await page.getByText('1 person', { exact: true }).waitFor();
  const panel = await openPerson(page, 'ada@example.org');
  await panel.getByRole('button', { name: 'New link' }).click();
  const dialog = page.getByRole('dialog', { name: /link|Remove/ });
  await dialog.getByRole('button', { name: 'Make them' }).click();
  await dialog.getByText('The service shows them only this once.').waitFor();
  await expectAccessible(page);
  await dialog.getByText(`/claim/${tokenId}#`).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await panel.getByText('Has a link').waitFor();
  await panel.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  // With the person, the panel is gone.
  await panel.waitFor({ state: 'detached' });
  const { data } = await site.badge.listContributors({ tokenId });
  expect(data.map(({ contributor }) => contributor)).not.toContain('ada@example.org');

  await page.getByRole('link', { name: 'Links' }).click();
  await page.getByText('Revoked', { exact: true }).last().waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-links');
});

browserTest('who has lost the badge stays in the list by name, and gets it back', async () => {
  const creator = newWallet();
  const contributors = [creator.address, { contributor: 'ada@example.org', name: 'Ada' }];
  const tokenId = await site.createToken({ signer: creator, headline: 'Taken back', contributors });
  const { items } = await site.badge.createClaimLinks({ tokenId, identifiers: ['ada@example.org'] });
  const ada = newWallet().address;
  const claimCode = items[0]?.code ?? '';
  await (await site.badge.claim({ tokenId, claimingAddress: ada, claimCode })).wait();
  await (await site.badge.revoke({ tokenId, address: ada, reason: 'Not her.' })).wait();

  const page = await openConsole(site, `/badges/${tokenId}`);
  await page.getByText('0 have it: 0 of the 1 person you gave it to').waitFor();
  await page.getByRole('row', { name: 'Ada' }).getByText('Revoked').waitFor();
  const panel = await openPerson(page, 'Ada');
  await panel.getByText('Revoked: Not her.').waitFor();
  await panel.getByRole('button', { name: 'Give it back' }).click();
  const dialog = page.getByRole('dialog', { name: 'Give the badge back?' });
  await dialog.getByText('Ada · ada@example.org').waitFor();
  await dialog.getByLabel('Reason').fill('It was her.');
  await dialog.getByRole('button', { name: 'Give it back' }).click();
  await panel.getByText('Got it back: It was her.').waitFor();
  await page.getByText('1 has it: 1 of the 1 person you gave it to').waitFor();

  // A move names the person, who is the same one afterwards.
  await panel.getByRole('button', { name: 'Move' }).click();
  const move = page.getByRole('dialog', { name: 'Move this badge' });
  await move.getByText('Ada · ada@example.org').waitFor();
  const target = newWallet().address;
  await move.getByLabel('New address').fill(target);
  await move.getByLabel('Reason').fill('A new wallet.');
  await move.getByRole('button', { name: 'Move the badge' }).click();
  await panel.getByText(`Moved: ${shortenAddress(target)}`).waitFor();
  expect((await site.badge.getOwner({ tokenId, address: target })).status).toBe('held');
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('row', { name: 'Ada' }).getByText(shortenAddress(target)).waitFor();
  await page
    .getByRole('row', { name: shortenAddress(ada) })
    .getByText('Moved away')
    .waitFor();

  // The log says it too, by name.
  const log = await openConsole(site, '/settings/log', { key: await createKey('owner') });
  const entry = log.getByRole('listitem').filter({ hasText: 'A new wallet.' });
  await entry.getByText('Ada', { exact: true }).waitFor();
  await expectAccessible(log);
});

browserTest('links of an open badge are made, saved and revoked', async () => {
  const tokenId = await site.createToken({ headline: 'Open' });
  const page = await openConsole(site, `/badges/${tokenId}/links`);
  await page.getByRole('button', { name: 'Make links' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('How many').fill('0');
  await dialog.getByRole('button', { name: 'Make them' }).click();
  await dialog.getByText('Enter a number from 1 to 1,000.').waitFor();
  await dialog.getByLabel('How many').fill('7');
  await dialog.getByRole('button', { name: 'Make them' }).click();
  await dialog.getByText('2 more are in the file.').waitFor();
  const downloaded = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as CSV' }).click();
  const file = await readDownload(await downloaded);
  expect(file.match(/\/claim\//g)).toHaveLength(7);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Revoke: Link for one person' }).first().click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Status').selectOption('revoked');
  await page.getByText('Revoked', { exact: true }).last().waitFor();
  const { data } = await site.badge.listClaimLinks({ tokenId, status: 'revoked' });
  expect(data).toHaveLength(1);
});

browserTest('a room link on a projector shows its code and counts the claims', async () => {
  const creator = newWallet();
  const tokenId = await site.createToken({
    signer: creator,
    headline: 'In the room',
    contributors: [creator.address],
  });
  const expiresAtTimestamp = Date.now() + HOUR_MS;
  const room = { tokenId, maxClaims: 30, expiresAtTimestamp, signer: creator };
  const [link] = (await site.badge.createClaimLinks(room)).items;
  if (link === undefined) throw new Error('no link');
  const page = await openConsole(site, '', { key: await createKey('viewer') });
  await page.goto(`/console/badges/${tokenId}/room/${link.claimLinkId}#${link.code}`);
  await page.getByText('0 of 30 claimed').waitFor();
  await page.getByText(link.code, { exact: true }).waitFor();
  expect(await readQrCodes(page.getByRole('img', { name: 'QR code' }))).toEqual([link.url]);
  await page.getByText(/^Until /).waitFor();
  await page.getByText('This address works only on this computer').waitFor();
  await expectAccessible(page);
  const claim = { tokenId, claimingAddress: newWallet().address, claimCode: link.code };
  await (await site.badge.claim(claim)).wait();
  await page.getByText('1 of 30 claimed').waitFor();
  await page.goto(`/console/badges/${tokenId}/links`);
  await page.getByRole('listitem').filter({ hasText: '1 of 30 claimed' }).getByText('Open').waitFor();

  // A viewer sees that the link has ended, but no button that would be refused.
  await page.goBack();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await site.badge.revokeClaimLink({ tokenId, claimLinkId: link.claimLinkId });
  await page.getByText('This link is revoked').waitFor();
  expect(await page.getByRole('img', { name: 'QR code' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Make a new link' }).count()).toBe(0);
});

browserTest('a viewer sees no button that would be refused, and an issuer cannot create', async () => {
  const tokenId = await site.createToken({ headline: 'Seen by all' });
  const address = newWallet().address;
  await (await site.badge.airdrop({ tokenId, address })).wait();
  const viewer = await openConsole(site, `/badges/${tokenId}`, { key: await createKey('viewer') });
  await viewer.getByRole('heading', { level: 1, name: 'Seen by all' }).waitFor();
  const panel = await openPerson(viewer, shortenAddress(address));
  for (const name of ['Give it', 'Revoke', 'Move', 'Hide it', 'Make a badge']) {
    expect(await viewer.getByText(name, { exact: true }).count(), name).toBe(0);
  }
  await panel.getByRole('button', { name: 'Close' }).click();
  await viewer.goto('/console/settings');
  await viewer.getByText('Only owners can change the profile.').waitFor();
  expect(await viewer.getByRole('link', { name: 'API keys' }).count()).toBe(0);

  const issuer = await openConsole(site, `/badges/${tokenId}`, { key: await createKey('issuer') });
  await issuer.getByRole('link', { name: 'Give it' }).waitFor();
  await openPerson(issuer, shortenAddress(address));
  await issuer.getByLabel('Note').waitFor();
  for (const name of ['Revoke', 'Hide it', 'Make a badge']) {
    expect(await issuer.getByText(name, { exact: true }).count(), name).toBe(0);
  }
});

browserTest(
  'an owner changes the profile, creates a key that is shown once, and reads what happened',
  async () => {
    const tokenId = await site.createToken({ headline: 'In the log' });
    const key = await createKey('owner');
    const owner = createBadgeClient({ url: site.url, apiKey: key });
    const address = newWallet().address;
    await (await site.badge.airdrop({ tokenId, address })).wait();
    await (await owner.revoke({ tokenId, address, reason: 'Was not there.' })).wait();
    const page = await openConsole(site, '/settings', { key });
    await page.getByLabel('Description').fill('We meet on Tuesdays.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    expect((await site.badge.getCommunity({ communityId: 'demo' })).description).toBe('We meet on Tuesdays.');
    await expectAccessible(page);
    await takeScreenshots(page, 'console-profile');

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Our website');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const created = await page.getByText(/^badge_sandbox_\w{36}$/).innerText();
    await expectAccessible(page);
    await page.reload();
    await page.getByText('Our website').waitFor();
    expect(await page.getByText(created).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke: Our website' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'What happened' }).click();
    await page.getByText('API key revoked').last().waitFor();
    const revocation = page.getByRole('listitem').filter({ hasText: 'Badge revoked: In the log' });
    expect(await revocation.innerText()).toMatch(/with your API key owner-.* · Reason: Was not there\./);
    const link = revocation.getByRole('link', { name: 'In the log' });
    expect(await link.getAttribute('href')).toBe(`/console/badges/${tokenId}`);
    // Whose badge it was.
    expect(await revocation.innerText()).toContain(`${address.slice(0, 6)}…${address.slice(-4)}`);
    await page
      .getByText(/^API key created: owner-/)
      .first()
      .waitFor();
    // A revoked key has its name, too.
    await page.getByText('API key revoked: Our website').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-log');
    await page.getByLabel('What', { exact: true }).selectOption('updateCommunity');
    await page.getByRole('listitem').filter({ hasText: 'Profile changed' }).first().waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'API key revoked' }).count()).toBe(0);
  },
);

browserTest('the operator creates a community and switches between communities', async () => {
  const page = await openConsole(site, '/settings/communities', { key: site.adminKey });
  await page.getByRole('button', { name: 'Create a community' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('My DAO');
  await dialog.getByLabel('Id').fill('my-dao');
  await dialog.getByRole('button', { name: 'Create it' }).click();
  await page.getByRole('listitem').filter({ hasText: 'My DAO' }).waitFor();
  await expectAccessible(page);
  expect(await page.getByLabel('Community', { exact: true }).inputValue()).toBe('my-dao');
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByText('No members yet').waitFor();
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await expectAccessible(page);
  await page.getByLabel('Community', { exact: true }).selectOption('demo');
  await page.getByRole('link', { name: 'Badges' }).click();
  await page.getByRole('heading', { level: 1, name: 'Badges' }).waitFor();
  expect((await site.operator.getCommunity({ communityId: 'my-dao' })).name).toBe('My DAO');
});

browserTest.for([
  ['es-MX', 'Insignias', 'Ajustes'],
  ['ar', 'الشارات', 'الإعدادات'],
] as const)('the console in %s', async ([locale, badges, settings]) => {
  const tokenId = await site.createToken({ headline: `In ${locale}` });
  const page = await openConsole(site, '', { key: await createKey('owner'), locale });
  await page.getByRole('heading', { level: 1, name: badges }).waitFor();
  await expectAccessible(page);
  for (const path of [`/badges/${tokenId}`, `/badges/${tokenId}/links`]) {
    await page.goto(`/console${path}`);
    await page.getByRole('heading', { level: 1, name: `In ${locale}` }).waitFor();
    await expectAccessible(page);
  }
  for (const part of ['', '/members', '/keys', '/log']) {
    await page.goto(`/console/settings${part}`);
    await page.getByRole('heading', { level: 1, name: settings }).waitFor();
    await expectAccessible(page);
  }
});
