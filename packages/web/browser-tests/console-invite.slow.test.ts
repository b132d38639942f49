import { newAddress, newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../sdk/src/index.ts';
import { openSigner } from '../src/console/signer/signer.ts';
import { browserTest, openPage } from './harness/browser.ts';
import { openAddressField } from './harness/claim-ways.ts';
import { openConsole, openPerson, parseCsv, readDownload } from './harness/console.ts';
import { findMailLink, type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite, startSite } from './harness/site.ts';

let site: MailSite;
let communityId: string;
let key: string;
let badge: BadgeClient;
beforeAll(async () => {
  site = await startMailSite({ BADGE_MAIL_LIMIT: 'off' });
  communityId = 'inviters';
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Inviters' });
  await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
  key = (await site.operator.createApiKey({ communityId, name: 'invite', role: 'issuer' })).apiKey;
  badge = createBadgeClient({ url: site.url, apiKey: key });
});
afterAll(() => site?.remove());

/** Creates a badge for people on a list, with the managed creator. Returns its id. */
async function createListed(headline: string, contributors: string[]): Promise<number> {
  const { address } = await site.operator.getManagedCreator({ communityId });
  const { signer } = await openSigner({ id: 'managed', address }, { badge: site.operator, communityId });
  const creation = await site.operator.createToken({
    signer,
    communityId,
    headline,
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: true,
    contributors,
  });
  return (await creation.wait()).tokenId;
}

async function createOpen(headline: string): Promise<number> {
  const token = { communityId, headline, nftTypeId: 'defaultBlueGreen', totalClaimCount: 2_000 };
  const operator = createBadgeClient({ url: site.url, apiKey: site.adminKey });
  return (await (await operator.createToken({ signer: newWallet(), ...token })).wait()).tokenId;
}

async function pasteList(page: Page, list: string): Promise<void> {
  await page.getByLabel('Who gets it').fill(list);
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('table').waitFor();
}

const finished = (page: Page) => page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).last();
const mailsTo = (address: string) => site.mails.received.filter(({ recipient }) => recipient === address);

browserTest(
  'an organiser looks at the mail, sends the invitations, and sees what becomes of them',
  async () => {
    const tokenId = await createListed('Speaker at the mail', ['listed@example.org']);
    site.mails.refuse = (address) =>
      address === 'full@example.org'
        ? { responseCode: 552, message: '5.2.2 The mailbox of <full@example.org> is full' }
        : null;
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
    await page.getByText('Next: invite 1 person on the list who has no link').waitFor();
    await pasteList(
      page,
      [
        'Name,E-mail,Language',
        'Ada Lovelace,ada@example.org,',
        'Inés,ines@example.org,español',
        'Omar,omar@example.org,ar',
        'Full,full@example.org,fr',
        'Listed,listed@example.org,',
        'Grace,0x52908400098527886E0F7030069857D2E4169EE7,',
      ].join('\n'),
    );
    await page.getByText('5 get an invitation').waitFor();
    expect(await page.getByLabel('Send the invitations for me').isChecked()).toBe(true);
    await page.getByText('1 line names a language that the mails do not have, such as “fr”.').waitFor();
    await page.getByLabel('Your message (optional)').fill('Thank you for your talk.\nSee you next year!');
    await expectAccessible(page);
    await takeScreenshots(page, 'invite-check');

    // Both other choices change what the button does, and nothing is lost.
    await page.getByLabel('I send the links myself').check();
    await page.getByRole('button', { name: 'Put 1 on the list, make 5 links' }).waitFor();
    await page.getByLabel('Send the invitations for me').check();
    const send = page.getByRole('button', { name: 'Put 1 on the list, send 5 mails' });
    await send.waitFor();

    await page.getByRole('button', { name: 'Look at the mail' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Inviters has a badge for you: Speaker at the mail').waitFor();
    const frame = dialog.locator('iframe');
    expect(await frame.getAttribute('sandbox')).toBe('allow-same-origin');
    const mail = frame.contentFrame();
    await mail.getByText('Hello Ada Lovelace,').waitFor();
    await mail.getByText('See you next year!').waitFor();
    // The styles of the mail are there, in spite of the policy of the page, and its picture is too.
    expect(await mail.locator('blockquote').evaluate((node) => getComputedStyle(node).backgroundColor)).toBe(
      'rgb(244, 238, 231)',
    );
    expect(
      await mail.locator('img').evaluate((node) => (node as HTMLImageElement).naturalWidth),
    ).toBeGreaterThan(0);
    await expectAccessible(page);
    await takeScreenshots(page, 'invite-preview');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await mail.locator('.card').evaluate((node) => getComputedStyle(node).backgroundColor)).toBe(
      'rgb(30, 25, 22)',
    );
    await page.emulateMedia({ colorScheme: 'light' });
    await dialog.getByLabel('Language').selectOption('es');
    await mail.getByText('Hola, Inés:').waitFor();
    await dialog.getByLabel('Only text').check();
    await dialog.getByText('Hola, Inés:').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).click();

    await send.click();
    await finished(page);
    await page.getByText('5 invited').waitFor();
    // The list refreshes itself.
    await page.getByRole('row', { name: 'Ines' }).getByText('Invited').waitFor();
    await page.getByRole('row', { name: 'full@example.org' }).getByText('Mail failed').waitFor();
    await page.getByRole('button', { name: '1 mail failed' }).waitFor();
    const panel = await openPerson(page, 'Full');
    await panel.getByText('5.2.2').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await expectAccessible(page);
    await takeScreenshots(page, 'invite-done');
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const rows = parseCsv(await readDownload(await downloaded));
    const rowOf = (name: string) => rows.find(([first]) => first === name)?.slice(3);
    expect(rowOf('Ada Lovelace')).toEqual(['', 'Invited by e-mail: the service sends the link', '']);
    // The file keeps the language that the list says.
    expect(rowOf('Omar')?.at(-1)).toBe('ar');

    // Each mail is in its language, and has what the organiser wrote.
    const subjects = ['ada', 'ines', 'omar', 'listed'].map((name) => {
      const [received, ...others] = mailsTo(`${name}@example.org`);
      expect(others).toEqual([]);
      expect(received?.text).toContain('See you next year!');
      return received?.subject?.slice(0, 8);
    });
    expect(subjects).toEqual(['Inviters', 'Inviters', 'لديك شار', 'Inviters']);
    expect(mailsTo('ines@example.org')[0]?.text).toContain('Hola, Inés:');
    // Only whoever was on the list is named there.
    const { data: contributors } = await badge.listContributors({ tokenId });
    expect(contributors.filter(({ contributor }) => contributor.includes('@'))).toHaveLength(1);

    // The same list again: there is nothing to do.
    await page.getByRole('button', { name: 'Give it to others' }).click();
    await pasteList(page, 'ADA@example.org\nfull@example.org');
    await page.getByRole('cell', { name: 'Has an invitation already' }).waitFor();
    await page.getByRole('cell', { name: 'Has an invitation whose mail failed' }).waitFor();
    await page.getByRole('button', { name: 'Nothing to give', disabled: true }).waitFor();
    await expectAccessible(page);
  },
);

browserTest('an invitation is sent again, revoked, and claimed with the link of the mail', async () => {
  const tokenId = await createOpen('Open by mail');
  site.mails.refuse = () => null;
  const people = ['again', 'wrong', 'claims'].map((name) => `${name}@example.org`);
  await badge.createInvitations({ tokenId, recipients: people.map((email) => ({ email })) });
  await expect
    .poll(() => people.map((email) => mailsTo(email).length), { timeout: 20_000 })
    .toEqual([1, 1, 1]);
  const page = await openConsole(site, `/badges/${tokenId}`, { key });
  await page.getByText('3 people', { exact: true }).waitFor();
  await expectAccessible(page);

  const panel = await openPerson(page, 'again@example.org');
  await panel.getByRole('button', { name: 'Send again' }).click();
  const dialog = page.getByRole('dialog', { name: /again\?|Remove/ });
  await dialog.getByText('the link in the earlier mail stops working.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => mailsTo('again@example.org').length, { timeout: 20_000 }).toBe(2);
  const [old, latest] = mailsTo('again@example.org').map((mail) => findMailLink(mail, 'claim'));
  const codeOf = (link = '') => link.split('#')[1] ?? '';
  expect((await badge.checkClaimCode({ tokenId, claimCode: codeOf(old) })).canClaim).toBe(false);
  expect((await badge.checkClaimCode({ tokenId, claimCode: codeOf(latest) })).canClaim).toBe(true);

  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('checkbox', { name: 'Select wrong@example.org' }).check();
  await page.getByRole('button', { name: 'Remove 1' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('2 people', { exact: true }).waitFor();
  const [revoked] = (await badge.listInvitations({ tokenId, status: 'revoked' })).data;
  expect(revoked?.email).toBe('wrong@example.org');

  const [mail] = mailsTo('claims@example.org');
  const link = findMailLink(mail ?? {}, 'claim');
  const claimer = await openPage(site, link.replace(site.url, ''));
  await (await openAddressField(claimer)).fill(newAddress());
  await claimer.getByRole('button', { name: 'Continue' }).click();
  await claimer.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await claimer.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  await page.reload();
  await page.getByRole('row', { name: 'claims@example.org' }).getByText('Has it').waitFor();
  await takeScreenshots(page, 'invitations');

  // Somebody who was sent a mail is found by a part of the e-mail.
  await page.getByRole('searchbox').fill('AGAIN@');
  await page.getByText('1 person', { exact: true }).waitFor();

  // The log says what was done.
  const owner = await site.operator.createApiKey({ communityId, name: 'log', role: 'owner' });
  const log = await openConsole(site, '/settings/log', { key: owner.apiKey });
  for (const text of ['People invited by e-mail', 'Invitation sent again', 'Invitation revoked']) {
    await row(log, text).waitFor();
  }

  // A viewer sees the list, and no button that would be refused.
  const viewer = await site.operator.createApiKey({ communityId, name: 'viewer', role: 'viewer' });
  const seen = await openConsole(site, `/badges/${tokenId}`, { key: viewer.apiKey });
  await openPerson(seen, 'again@example.org');
  expect(await seen.getByRole('button', { name: /Send again|Remove|Look at|^Save$/ }).count()).toBe(0);
  expect(await seen.getByRole('checkbox').count()).toBe(0);
  await expectAccessible(seen);
});

browserTest.for([
  ['es-MX', 'Revisar la lista', 'Enviar las invitaciones por mí', 'Ver el correo', /^Invitar a 1/, 'Listo'],
  ['ar', 'تحقق من القائمة', 'إرسال الدعوات نيابةً عني', 'عرض الرسالة', 'دعوة شخص واحد', 'تم'],
] as const)('invitations in %s', async ([locale, check, choice, look, invite, done]) => {
  const tokenId = await createOpen(`In ${locale}`);
  site.mails.refuse = () => null;
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key, locale });
  await page.getByRole('textbox').fill(`${locale}@example.org`);
  await page.getByRole('button', { name: check }).click();
  expect(await page.getByLabel(choice).isChecked()).toBe(true);
  await expectAccessible(page);
  await page.getByRole('button', { name: look }).click();
  await page.getByRole('dialog').locator('iframe').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: invite }).click();
  await page.getByRole('heading', { name: done, exact: true }).waitFor();
  await page.getByRole('row', { name: `${locale}@example.org` }).waitFor();
  await expectAccessible(page);
  // The mails have the language of the page, unless the list says another one.
  await expect.poll(() => mailsTo(`${locale}@example.org`).length, { timeout: 20_000 }).toBe(1);
  const [mail] = mailsTo(`${locale}@example.org`);
  expect(mail?.text).toContain(locale === 'ar' ? 'مرحبًا' : 'Hola');
});

browserTest('a sandbox without a mail server keeps the mails, and shows them', async () => {
  const sandbox = sharedSite();
  const tokenId = await sandbox.createToken({ headline: 'Kept mails' });
  const page = await openConsole(sandbox, `/badges/${tokenId}/give`);
  await pasteList(page, 'Ada,ada@example.org');
  // Nobody would get these mails, so the organiser must want it.
  expect(await page.getByLabel('I send the links myself').isChecked()).toBe(true);
  await page.getByLabel('Send the invitations for me').check();
  await page.getByText('This sandbox has no mail server, so nobody gets these mails.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Invite 1 person' }).click();
  await finished(page);
  const panel = await openPerson(page, 'Ada');
  await panel.getByRole('button', { name: 'Look at the mail' }).click();
  const mail = page.getByRole('dialog').locator('iframe').contentFrame();
  await mail.getByText('Hello Ada,').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'invite-kept');
  // The link of the mail opens the page to claim.
  const opened = page.waitForEvent('popup');
  await mail.getByRole('link', { name: 'Get your badge' }).click();
  const claim = await opened;
  await claim.getByText('Your link is for one badge.').waitFor();
});

browserTest('without a mail server, the page says why, and the organiser sends the links', async () => {
  const production = await startSite({
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
    BADGE_RATE_LIMIT: 'off',
  });
  onTestFinished(() => production.remove());
  const { operator } = production;
  await operator.createCommunity({ uniqId: 'plain', displayId: 'plain', name: 'Plain' });
  const { apiKey } = await operator.createApiKey({ communityId: 'plain', name: 'give', role: 'editor' });
  const plain = createBadgeClient({ url: production.url, apiKey });
  const token = { headline: 'By hand', nftTypeId: 'defaultBlueGreen', totalClaimCount: 10 };
  const creation = await plain.createToken({ signer: newWallet(), communityId: 'plain', ...token });
  const { tokenId } = await creation.wait();
  const page = await openConsole(production, `/badges/${tokenId}/give`, { key: apiKey });
  await pasteList(page, 'ada@example.org');
  await page.getByText('This service cannot send invitations').waitFor();
  expect(await page.getByLabel('Send the invitations for me').count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Make 1 link' }).click();
  await finished(page);

  // There, nobody can keep a badge with an e-mail: a person without a wallet can only keep the link.
  const { items } = await plain.createClaimLinks({ tokenId, count: 1 });
  const claim = await openPage(production, (items[0]?.url ?? '').replace(/^https?:\/\/[^/]+/, ''));
  await claim.getByText('I have no wallet yet').click();
  await claim.getByRole('button', { name: 'Keep this link' }).waitFor();
  expect(await claim.getByText('Keep it with my e-mail').count()).toBe(0);
});

browserTest(
  'whoever has an e-mail and a wallet gets a mail without a code, and the page says who is told',
  async () => {
    const tokenId = await createListed('Told by mail', [newAddress()]);
    const wallet = newWallet();
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
    await pasteList(
      page,
      [
        'Name,E-mail,Wallet',
        `Ada,ada-told@example.org,${wallet.address}`,
        `Bob,,${newAddress()}`,
        'Eve,eve-told@example.org,',
      ].join('\n'),
    );
    const told = page.getByRole('region', { name: 'Who is told' });
    await told.getByText('2 get a mail.').waitFor();
    await told.getByText('1 has only a wallet, and gets no mail. Give this person the link:').waitFor();
    await told.getByText(`/claim/${tokenId}`).waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'invite-told');
    await page.getByLabel('I send the links myself').check();
    await told.getByText('The service sends no mails.').waitFor();
    await told.getByText('3 get no mail from the service: send each the link in the file.').waitFor();
    await page.getByLabel('Send the invitations for me').check();
    await page.getByRole('button', { name: 'Look at the mail' }).click();
    const dialog = page.getByRole('dialog');
    const mailFrame = dialog.locator('iframe').contentFrame();
    await mailFrame.getByRole('paragraph').filter({ hasText: 'get it with your wallet' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Put 2 on the list, send 2 mails' }).click();
    await finished(page);
    await told.getByText('2 get a mail.').waitFor();
    await told.getByText('1 has only a wallet, and gets no mail. Give this person the link:').waitFor();
    const people = page.getByRole('row').filter({ hasText: '-told@example.org' });
    for (const person of [people.first(), people.last()]) await person.getByText('Invited').waitFor();
    expect(await people.count()).toBe(2);
    await expectAccessible(page);
    const [mail, ...others] = mailsTo('ada-told@example.org');
    expect(others).toEqual([]);
    expect(mail?.text).toMatch(new RegExp(`/claim/${tokenId}\\n`));
    expect(findMailLink(mailsTo('eve-told@example.org')[0] ?? {}, 'claim')).toContain('#');
    const { data } = await badge.listContributors({ tokenId });
    expect(data.filter(({ contributor }) => contributor === wallet.address)).toHaveLength(1);
    // The badge, Ada, Bob and the entry of Eve's link: nobody is there twice.
    expect(data).toHaveLength(4);
    // Given again, nobody gets a second mail.
    await page.getByRole('button', { name: 'Give it to others' }).click();
    await pasteList(page, `ada-told@example.org,${wallet.address}`);
    await told.getByText('1 has a mail or a link already, and gets no other.').waitFor();
  },
);
