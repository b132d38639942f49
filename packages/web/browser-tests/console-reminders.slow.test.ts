import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect } from 'vitest';
import { openSigner } from '../src/console/signer/signer.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole, openPerson } from './harness/console.ts';
import { type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';

let site: MailSite;
const communityId = 'reminders';
let key: string;
beforeAll(async () => {
  site = await startMailSite({ BADGE_MAIL_LIMIT: 'off' });
  const names = { uniqId: communityId, displayId: communityId, name: 'Course' };
  await site.operator.createCommunity(names);
  await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
  key = (await site.operator.createApiKey({ communityId, name: 'owner', role: 'owner' })).apiKey;
});
afterAll(() => site?.remove());

/** Creates a certificate for people on a list. Returns its id. */
async function createCertificate(): Promise<number> {
  const { address } = await site.operator.getManagedCreator({ communityId });
  const { signer } = await openSigner({ id: 'managed', address }, { badge: site.operator, communityId });
  const creation = await site.operator.createToken({
    signer,
    communityId,
    headline: 'First aid',
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: true,
    contributors: ['teacher@example.org'],
  });
  return (await creation.wait()).tokenId;
}

const mailsTo = (address: string) => site.mails.received.filter(({ recipient }) => recipient === address);

browserTest('invitations are sent on a day, moved and taken back, and people are reminded', async () => {
  const tokenId = await createCertificate();
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
  await page.getByLabel('Who gets it').fill('Ada,ada@example.org\nBob,bob@example.org');
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('table').waitFor();
  const when = page.getByRole('group', { name: 'When the mails are sent' });
  const wrongTime = page.getByText('Choose a time that is still to come, at most 90 days ahead.');
  for (const day of ['2020-01-31', '2999-01-31']) {
    await when.getByLabel('Day').fill(day);
    await wrongTime.waitFor();
    expect(await page.getByRole('button', { name: /Invite 2 people/ }).isEnabled()).toBe(false);
    await when.getByLabel('Day').fill('');
    await wrongTime.waitFor({ state: 'detached' });
  }
  await when.getByLabel('Day').fill('2020-01-31');
  await wrongTime.waitFor();
  await expectAccessible(page);
  const inAWeek = await page.evaluate(() => new Date(Date.now() + 7 * 86_400_000).toLocaleDateString('sv'));
  await when.getByLabel('Day').fill(inAWeek);
  const planned = new Date(`${inAWeek}T00:00`).toLocaleDateString('en', { month: 'short', day: 'numeric' });
  await page.getByText(`2 get a mail. The mails are planned for ${planned}, `).waitFor();
  await takeScreenshots(page, 'invite-on-a-day');
  await page.getByRole('button', { name: /Invite 2 people/ }).click();
  await page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
  await page.getByText(`2 get a mail. The mails are planned for ${planned}, `).waitFor();
  expect(site.mails.received).toEqual([]);

  await page.goto(`${site.url}/console/badges/${tokenId}`);
  await page.getByRole('button', { name: '2 mails are planned' }).click();
  await page.getByText('2 people', { exact: true }).waitFor();
  await page.getByText(`for ${planned}, `).first().waitFor();
  await takeScreenshots(page, 'console-planned');
  await page.getByRole('checkbox', { name: 'Select Bob' }).check();
  const selection = page.getByRole('region', { name: 'With those who are selected' });
  await selection.getByRole('button', { name: 'Remove 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('1 person', { exact: true }).waitFor();
  const panel = await openPerson(page, 'Ada');
  await panel.getByRole('button', { name: 'Send at another time' }).click();
  const moved = page.getByRole('dialog', { name: 'Send at another time' });
  await expectAccessible(page);
  await takeScreenshots(page, 'console-move-mail');
  await moved.getByRole('button', { name: 'Send it now' }).click();
  await moved.waitFor({ state: 'detached' });
  await expect.poll(() => mailsTo('ada@example.org').length, { timeout: 20_000 }).toBe(1);
  expect(mailsTo('bob@example.org')).toEqual([]);

  // Nobody is reminded within three days.
  await page.goto(`${site.url}/console/badges/${tokenId}?status=invited`);
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await selection.getByRole('button', { name: 'Remind 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remind who has not claimed?' });
  await dialog.getByText('Have got a mail in the last three days: 1').waitFor();
  expect(await dialog.getByRole('button', { name: 'Send the mails' }).isEnabled()).toBe(false);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-remind');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await query(site.databaseUrl, "update invitations set sent_at = sent_at - interval '4 days'");
  await selection.getByRole('button', { name: 'Remind 1' }).click();
  await dialog.getByText('1 person gets a mail.').waitFor();
  await dialog.getByRole('button', { name: 'Send the mails' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('1 person gets a mail.').waitFor();
  await expect.poll(() => mailsTo('ada@example.org').length, { timeout: 20_000 }).toBe(2);
  const reminded = await openPerson(page, 'Ada');
  await reminded.getByText('Reminded to claim it').waitFor();
});

browserTest('an owner says when people are reminded by themselves', async () => {
  const page = await openConsole(site, '/settings', { key });
  await page.getByLabel('Remind who has not claimed after (days)').fill('7, 14');
  await page.getByLabel('Remind before a badge ends (days)').fill('30, 7, 1, 2');
  await page.getByText('Write at most three numbers from 1 to 365.').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(false);
  await expectAccessible(page);
  await page.getByLabel('Remind before a badge ends (days)').fill('30, 7');
  await takeScreenshots(page, 'console-reminder-settings');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  const { reminders } = await site.operator.getCommunityConfiguration({ communityId });
  expect(reminders).toEqual({ unclaimedAfterDays: [7, 14], beforeExpiryDays: [30, 7] });
});
