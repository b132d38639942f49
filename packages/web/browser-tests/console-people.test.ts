import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole, parseCsv, readDownload } from './harness/console.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

browserTest('one list says who has a badge, and what happened to each person', async () => {
  const site = sharedSite();
  const { badge } = site;
  const creator = newWallet();
  const wallet = newAddress();
  const contributors = [
    creator.address,
    { contributor: 'muller@example.org', name: 'Jürgen Müller' },
    { contributor: wallet, name: 'Grace', note: 'Pays later.' },
    'nameless@example.org',
  ];
  const tokenId = await site.createToken({ signer: creator, headline: 'Given in ways', contributors });
  const { items } = await badge.createClaimLinks({ tokenId, identifiers: ['muller@example.org'] });
  const invited = await badge.createInvitations({
    tokenId,
    recipients: [{ email: 'ada@example.org', name: 'Ada' }],
    signer: creator,
  });
  expect(invited.items).toHaveLength(1);
  const claimCode = items[0]?.code ?? '';
  const claim = await badge.claim({ tokenId, claimingAddress: newAddress(), claimCode });
  await claim.wait();

  const page = await openConsole(site, `/badges/${tokenId}`);
  await page.getByText('1 has it: 1 of the 4 people you gave it to').waitFor();
  await page.getByText('4 people', { exact: true }).waitFor();
  const rows = page.getByRole('row');
  await rows.filter({ hasText: 'Ada' }).getByText('Invited').waitFor();
  await rows.filter({ hasText: 'Grace' }).getByText('Can claim it').waitFor();
  await rows.filter({ hasText: 'Jürgen Müller' }).getByText('Has it').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-people');

  // The search finds letters without their accents. The text is not in the address of the page.
  await page.getByRole('searchbox').fill('muller');
  await page.getByText('1 person', { exact: true }).waitFor();
  expect(page.url()).not.toContain('muller');
  await page.getByRole('searchbox').fill('');
  await page.getByText('4 people', { exact: true }).waitFor();
  await page.getByLabel('What they have').selectOption('Has it');
  await page.getByText('1 person', { exact: true }).waitFor();

  // Whoever can still claim, whatever they were sent.
  await page.getByLabel('What they have').selectOption('Does not have it yet');
  await page.getByText('3 people', { exact: true }).waitFor();
  await page.getByLabel('What they have').selectOption('All');
  // A link of somebody on the list is what they were given.
  await page.getByLabel('How it was given').selectOption('With a link');
  await page.getByText('1 person', { exact: true }).waitFor();
  await rows.filter({ hasText: 'Jürgen Müller' }).waitFor();
  await page.getByLabel('How it was given').selectOption('All');

  // The e-mail of an invitation stays.
  await page.getByRole('button', { name: 'Ada' }).click();
  const invitedPanel = page.getByRole('dialog', { name: 'Ada' });
  await invitedPanel.getByText('An invitation goes to this address.').waitFor();
  expect(await invitedPanel.getByLabel('E-mail').isEditable()).toBe(false);
  await page.keyboard.press('Escape');
  await invitedPanel.waitFor({ state: 'detached' });
  await page.getByLabel('What they have').selectOption('Has it');
  await page.getByText('1 person', { exact: true }).waitFor();

  // The panel of a person.
  await page.getByRole('button', { name: 'Jürgen Müller' }).click();
  const panel = page.getByRole('dialog', { name: 'Jürgen Müller' });
  const history = panel.getByRole('region', { name: 'What happened' });
  await history.getByText('Claimed it').waitFor();
  expect(await history.getByText('Somebody with a link').count()).toBe(0);
  expect(await history.getByText('somebody with a link').count()).toBe(0);
  expect(await history.getByRole('listitem').count()).toBeGreaterThan(1);
  await panel.getByLabel('Name').fill('J. Müller');
  await panel.getByLabel('Note').fill('Speaks at nine.');
  await panel.getByRole('button', { name: 'Save' }).click();
  const renamed = page.getByRole('dialog', { name: 'J. Müller' });
  await renamed.getByText('Saved').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-person');
  const { data: claimed } = await badge.listRecipients({ tokenId, status: 'claimed' });
  expect(claimed.map(({ name, note }) => [name, note])).toEqual([['J. Müller', 'Speaks at nine.']]);
  await page.keyboard.press('Escape');
  await renamed.waitFor({ state: 'detached' });
  expect(await page.locator(':focus').textContent()).toBe('J. Müller');

  // Many at once.
  await page.getByLabel('What they have').selectOption('All');
  await page.getByText('4 people', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Select everybody on this page' }).check();
  const selection = page.getByRole('region', { name: 'With those who are selected' });
  await selection.getByText('4 selected').waitFor();
  await selection.getByRole('button', { name: 'Revoke 1' }).waitFor();
  await expectAccessible(page);
  const downloaded = page.waitForEvent('download');
  await selection.getByRole('button', { name: 'Save these as CSV' }).click();
  const file = await downloaded;
  const selectedRows = parseCsv(await readDownload(file));
  expect(selectedRows).toHaveLength(4);
  // The file of everybody has the same columns, and the words of the page.
  const savedAll = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const all = await savedAll;
  expect(all.suggestedFilename()).toBe(file.suggestedFilename());
  const allRows = parseCsv(await readDownload(all));
  expect(allRows.toSorted()).toEqual(selectedRows.toSorted());
  expect(allRows.map(([name, email, , status, , way]) => [name, email, status, way])).toContainEqual([
    'J. Müller',
    'muller@example.org',
    'Has it',
    'With a link',
  ]);
  await page.getByRole('checkbox', { name: 'Select Grace' }).uncheck();
  await selection.getByRole('button', { name: 'Remove 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 2 people?' });
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('2 people are removed.').waitFor();
  await page.getByText('2 people', { exact: true }).waitFor();
  await page.getByText('1 has it: 1 of the 2 people you gave it to').waitFor();
  const { data: left } = await badge.listRecipients({ tokenId });
  expect(left.map(({ name }) => name).sort()).toEqual(['Grace', 'J. Müller']);

  // Whoever comes to a room was not expected.
  const expiresAtTimestamp = Date.now() + 3_600_000;
  const room = await badge.createClaimLinks({ tokenId, maxClaims: 10, expiresAtTimestamp, signer: creator });
  const inRoom = { tokenId, claimingAddress: newAddress(), claimCode: room.items[0]?.code ?? '' };
  await (await badge.claim(inRoom)).wait();
  const running = page.getByRole('region', { name: 'Links for a room that are open' });
  await running.getByText('1 of 10 claimed').waitFor();
  await running.getByRole('button', { name: 'Pause' }).click();
  await running.getByText('Paused').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  const links = page.getByRole('region', { name: 'Links' }).getByRole('listitem');
  await links.first().getByText('Link for a room').waitFor();
  await links.last().getByText('J. Müller · muller@example.org').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await rows.filter({ hasText: 'In a room' }).waitFor();
  await page.getByText('2 have it: 1 of the 2 people you gave it to and 1 from a room').waitFor();
});
