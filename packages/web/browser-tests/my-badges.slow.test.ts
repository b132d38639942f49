import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../sdk/src/index.ts';
import { browserTest, openPage, type PageOptions, START_PATH } from './harness/browser.ts';
import { readCodes, signInByEmail } from './harness/claim-ways.ts';
import { readDownload } from './harness/console.ts';
import { type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';
import { createTestWallet } from './harness/wallet.ts';

const PHONE: PageOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const OTHER = 'builders-of-lisbon';
/** The chain of a sandbox. */
const CHAIN_ID = 80001;

let site: MailSite;
beforeAll(async () => {
  site = await startMailSite();
  await site.operator.createCommunity({ uniqId: OTHER, displayId: OTHER, name: 'Builders of Lisbon' });
});
afterAll(() => site?.remove());

interface Person {
  email: string;
  /** The token of the session. */
  key: string;
  /** A client with the session. */
  badge: BadgeClient;
}

/** Signs in somebody who has no mail yet. */
async function signIn(email: string): Promise<Person> {
  const { challengeId } = await site.badge.createEmailChallenge({ email });
  const [code = ''] = await readCodes(site, email);
  const { sessionToken: key } = await site.badge.signIn({ challengeId, code });
  return { email, key, badge: createBadgeClient({ url: site.url, apiKey: key }) };
}

/** Creates a badge that the person claims. Returns its id. */
async function give(person: Person, headline: string, communityId = 'demo'): Promise<number> {
  const token = { headline, communityId, nftTypeId: 'defaultBlueGreen', totalClaimCount: 10 };
  const { tokenId } = await (await site.operator.createToken({ signer: newWallet(), ...token })).wait();
  await (await person.badge.claim({ tokenId, isBySession: true })).wait();
  return tokenId;
}

/** Opens the page of somebody who has signed in. */
async function openMyBadges(person: Person, options: PageOptions = PHONE): Promise<Page> {
  const page = await openPage(site, START_PATH, options);
  const session = JSON.stringify({ key: person.key, email: person.email, address: null });
  await page.evaluate((stored) => sessionStorage.setItem('badge.session', stored), session);
  await page.goto('/my-badges');
  await page.getByText(`You are signed in as ${person.email}.`).waitFor();
  return page;
}

const itemOf = (page: Page, headline: string) => page.getByRole('listitem').filter({ hasText: headline });

browserTest('a person signs in, and sees the badges of all communities on one page', async () => {
  const person = await signIn('all@example.org');
  const tokenId = await give(person, 'Speaker 2026');
  await give(person, 'Workshop: typed data from first principles', OTHER);
  const page = await openPage(site, '/my-badges', PHONE);
  await page.getByRole('heading', { name: 'With my e-mail' }).waitFor();
  await page.getByText('No wallet was found in this browser.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-sign-in');
  await signInByEmail(site, page, 'all@example.org', 2);
  await page.getByText('Workshop: typed data').waitFor();
  await page.getByText('Builders of Lisbon').first().waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges');
  await itemOf(page, 'Speaker 2026').getByRole('link', { name: 'Speaker 2026' }).click();
  await page.waitForURL(`**/token/${tokenId}?owner=0x*`);
  await page.getByText('You have this badge').waitFor();
});

browserTest('who has no badge yet is told how to get one', async () => {
  const page = await openMyBadges(await signIn('none@example.org'));
  await page.getByRole('heading', { name: 'No badges yet' }).waitFor();
  await expectAccessible(page);
});

browserTest('a hidden badge is not on the public page of its address, and can be shown again', async () => {
  const person = await signIn('hide@example.org');
  await give(person, 'Seen');
  await give(person, 'Unseen');
  const [token] = (await person.badge.listOwnTokens()).data;
  const page = await openMyBadges(person);
  await itemOf(page, 'Unseen').getByRole('button', { name: 'Hide' }).click();
  await itemOf(page, 'Unseen').getByText('Hidden').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-hidden');
  const visitor = await openPage(site, `/wallet/${token?.address}`);
  await visitor.getByRole('link', { name: /^Seen/ }).waitFor();
  expect(await visitor.getByText('Unseen').count()).toBe(0);
  await itemOf(page, 'Unseen').getByRole('button', { name: 'Show again' }).click();
  await itemOf(page, 'Unseen').getByRole('button', { name: 'Hide' }).waitFor();
  await visitor.reload();
  await visitor.getByRole('link', { name: /^Unseen/ }).waitFor();
});

browserTest('a badge is given up after a question', async () => {
  const person = await signIn('burn@example.org');
  const tokenId = await give(person, 'Not mine any more');
  const page = await openMyBadges(person);
  const giveUp = itemOf(page, 'Not mine any more').getByRole('button', { name: 'Give up' });
  await giveUp.click();
  const dialog = page.getByRole('dialog', { name: 'Give up this badge?' });
  await dialog.getByText('This cannot be undone').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-give-up');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await giveUp.evaluate((button) => button === document.activeElement)).toBe(true);
  await giveUp.click();
  await dialog.getByRole('button', { name: 'Give it up' }).click();
  await page.getByRole('heading', { name: 'No badges yet' }).waitFor();
  expect((await site.badge.listOwners({ tokenId })).data).toEqual([]);
});

browserTest('the badges of a community are refused, and accepted again', async () => {
  const person = await signIn('refuse@example.org');
  await give(person, 'From the demo');
  const page = await openMyBadges(person);
  const row = page.getByRole('region', { name: 'Who may give me badges' }).getByRole('listitem');
  await row.getByRole('button', { name: 'Refuse its badges' }).click();
  await row.getByText('You refuse its badges').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-refused');
  expect((await person.badge.listRefusedCommunities()).data).toMatchObject([{ communityId: 'demo' }]);
  await row.getByRole('button', { name: 'Accept its badges again' }).click();
  await row.getByRole('button', { name: 'Refuse its badges' }).waitFor();
  expect((await person.badge.listRefusedCommunities()).data).toEqual([]);
});

browserTest('a credential with the e-mail and a typed name is downloaded', async () => {
  const person = await signIn('named@example.org');
  await give(person, 'With my name');
  const page = await openMyBadges(person, { ...PHONE, acceptDownloads: true });
  await page.getByRole('button', { name: 'Download with my name' }).click();
  const dialog = page.getByRole('dialog', { name: 'A credential with you in it' });
  await dialog.getByLabel('Your name (optional)').fill('Ada Lovelace');
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-credential');
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const file = await readDownload(await download);
  expect(JSON.parse(file).credentialSubject.identifier).toMatchObject([
    { hashed: false, identityHash: 'Ada Lovelace', identityType: 'name' },
    { hashed: true, identityType: 'emailAddress' },
  ]);
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Download with my name' }).click();
  await dialog.getByLabel('Picture (PNG)').check();
  const picture = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  expect((await picture).suggestedFilename()).toMatch(/\.png$/);
});

browserTest('a month later there is a wallet, and everything moves to it', async () => {
  const person = await signIn('move@example.org');
  const moved = [await give(person, 'Speaker'), await give(person, 'Winner', OTHER)];
  const owner = newWallet();
  const wallet = createTestWallet({ accounts: [owner], chainId: CHAIN_ID });
  // The wallet has this one already, so it stays.
  const had = await give(person, 'Had before');
  await (await site.badge.claim({ tokenId: had, claimingAddress: owner.address })).wait();
  const page = await openMyBadges(person, { ...PHONE, wallets: [wallet] });
  const part = page.getByRole('region', { name: 'Move my badges to a wallet' });
  await part.getByText('A badge that the wallet has, or had, stays with your e-mail.').waitFor();
  await part.getByText('everybody who sees the wallet sees these badges together').waitFor();
  await part.getByLabel('Send later badges to this wallet too').check();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-move');
  await part.getByRole('button', { name: 'Move to Test Wallet' }).click();
  await part.getByText('Your badges have moved').waitFor();
  await part.getByText('because the wallet has them already, or had them').waitFor();
  await part.getByRole('listitem').filter({ hasText: 'Had before' }).waitFor();
  await part.getByText('Later badges go to this wallet.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'my-badges-moved');
  for (const tokenId of moved) {
    expect(await site.badge.holdsToken({ tokenId, address: owner.address })).toBe(true);
  }
  expect((await person.badge.listOwnTokens()).data.map(({ badgeTokenId }) => badgeTokenId)).toEqual([had]);
  await part.getByRole('link', { name: 'Show the wallet' }).click();
  await page.getByRole('link', { name: /^Winner/ }).waitFor();

  // A later badge goes to the wallet at once, also from a browser without it.
  const later = await site.createToken({ headline: 'Later' });
  const other = await openMyBadges(person);
  await other.goto(`/claim/${later}`);
  await other.getByText('The badge goes to your wallet').waitFor();
  await expectAccessible(other);
  await takeScreenshots(other, 'keep-to-wallet');
  await other.getByRole('button', { name: 'Get it in this wallet' }).click();
  await other.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  await other.getByText('It is recorded for your address.').waitFor();
  expect(await site.badge.holdsToken({ tokenId: later, address: owner.address })).toBe(true);

  // Who signs in on the claim page reads it before the claim, too.
  const next = await site.createToken({ headline: 'Next' });
  const fresh = await openPage(site, `/claim/${next}`, PHONE);
  await signInByEmail(site, fresh, 'move@example.org', 2);
  await fresh.getByText('The badge goes to your wallet').waitFor();
  await fresh.getByRole('button', { name: 'Get it in this wallet' }).click();
  await fresh.getByText('It is recorded for your address.').waitFor();

  // Until the person wants it otherwise.
  await other.goto('/my-badges');
  await other.getByText('Later badges go to this wallet.').waitFor();
  await expectAccessible(other);
  await other.getByRole('button', { name: 'Keep later badges with my e-mail again' }).click();
  await other.getByText('Later badges go to this wallet.').waitFor({ state: 'detached' });
  expect(await person.badge.getSession()).toMatchObject({ defaultAddress: null });
});

browserTest('a wallet that declines has moved nothing', async () => {
  const person = await signIn('decline@example.org');
  await give(person, 'Stays');
  const wallet = createTestWallet({ chainId: CHAIN_ID });
  const page = await openMyBadges(person, { wallets: [wallet] });
  wallet.rejectNext('eth_signTypedData_v4');
  await page.getByRole('button', { name: 'Move to Test Wallet' }).click();
  await page.getByText('You said no in the wallet. Nothing was signed.').waitFor();
  await expectAccessible(page);
  expect((await person.badge.listOwnTokens()).data).toHaveLength(1);
});

browserTest('signing out in one tab signs out the others, and everywhere ends all sessions', async () => {
  const person = await signIn('out@example.org');
  const page = await openMyBadges(person);
  const tab = await page.context().newPage();
  await tab.goto('/my-badges');
  await tab.getByText('You are signed in as out@example.org.').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'With my e-mail' }).waitFor();
  await tab.getByRole('heading', { name: 'With my e-mail' }).waitFor();
  await expect.poll(() => person.badge.getSession().catch(({ status }) => status)).toBe(401);

  // Two devices.
  await signInByEmail(site, page, 'out@example.org', 2);
  const device = await openPage(site, '/my-badges');
  await signInByEmail(site, device, 'out@example.org', 3);
  await device.getByText('Another browser or tab').waitFor();
  await expectAccessible(device);
  await takeScreenshots(device, 'my-badges-sessions');
  await device.getByRole('button', { name: 'Sign out everywhere' }).click();
  await device.getByRole('heading', { name: 'With my e-mail' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'With my e-mail' }).waitFor();
});

browserTest('somebody with a wallet decides about their badges too', async () => {
  const shared = sharedSite();
  const owner = newWallet();
  const wallet = createTestWallet({ accounts: [owner] });
  const tokenId = await shared.createToken({ headline: 'In a wallet' });
  await (await shared.badge.claim({ tokenId, claimingAddress: owner.address })).wait();
  const page = await openPage(shared, '/my-badges', { ...PHONE, wallets: [wallet] });
  await page.getByText('You sign one message.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
  await page.getByText('You are signed in as 0x').waitFor();
  await itemOf(page, 'In a wallet').getByRole('button', { name: 'Hide' }).click();
  await itemOf(page, 'In a wallet').getByText('Hidden').waitFor();
  expect(await page.getByRole('heading', { name: 'Move my badges to a wallet' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Download with my name' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Download' }).click();
  await dialog.getByText('Enter your name.').waitFor();
  await expectAccessible(page);
});

browserTest.for([
  ['es-MX', 'Mis insignias', 'Has iniciado sesión como'],
  ['ar', 'شاراتي', 'سجّلت الدخول باسم'],
] as const)('the page can be used in %s', async ([locale, title, signedIn]) => {
  const person = await signIn(`${locale}@example.org`);
  await give(person, 'Speaker 2026');
  const page = await openPage(site, START_PATH, { ...PHONE, locale });
  const session = JSON.stringify({ key: person.key, email: person.email, address: null });
  await page.evaluate((stored) => sessionStorage.setItem('badge.session', stored), session);
  await page.goto('/my-badges');
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await page.getByText(signedIn).waitFor();
  await page.getByText('Speaker 2026').waitFor();
  await expectAccessible(page);
});
