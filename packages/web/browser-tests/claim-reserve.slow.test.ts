import { newAddress, newWallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { browserTest, openPage, type PageOptions } from './harness/browser.ts';
import { findMailLink, type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const PHONE: PageOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const OFFER = 'No wallet yet? Keep a place with your e-mail';

let site: MailSite;
beforeAll(async () => {
  site = await startMailSite();
});
afterAll(() => site?.remove());

/** Creates a badge with a room for so many people. Returns its id, and the path of the room. */
async function createRoom(headline: string, maxClaims: number): Promise<{ tokenId: number; path: string }> {
  const signer = newWallet();
  const tokenId = await site.createToken({ signer, headline, contributors: [signer.address] });
  const room = { maxClaims, expiresAtTimestamp: Date.now() + 3_600_000 };
  const { items } = await site.badge.createClaimLinks({ tokenId, signer, ...room });
  return { tokenId, path: pathOf(items[0]?.url) };
}

function pathOf(url = ''): string {
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`;
}

/** Enters an address in the part for people without a wallet. */
async function askForPlace(page: Page, email: string): Promise<void> {
  await page.getByText(OFFER).click();
  await page.getByLabel('Your e-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me the mail' }).click();
}

const mailsTo = (address: string) => site.mails.received.filter(({ recipient }) => recipient === address);
async function waitForMail(address: string, count: number): Promise<string> {
  await expect.poll(() => mailsTo(address).length, { timeout: 20_000 }).toBe(count);
  const mail = mailsTo(address)[count - 1] ?? {};
  return pathOf(findMailLink(mail, 'reserve') || findMailLink(mail, 'claim'));
}

browserTest('a person without a wallet keeps a place in a room, and claims later', async () => {
  const { tokenId, path } = await createRoom('Kept for later', 2);
  const page = await openPage(site, path, PHONE);
  await page.getByText(OFFER).click();
  await takeScreenshots(page, 'reserve-offer');
  const field = page.getByLabel('Your e-mail address');
  await field.fill('ada@example.org');
  await field.press('Enter');
  await page.getByText('Look into your mailbox').waitFor();
  await takeScreenshots(page, 'reserve-sent');
  const confirmPath = await waitForMail('ada@example.org', 1);
  expect(confirmPath).toMatch(new RegExp(`^/reserve/${tokenId}#`));

  // To open the page takes no place. A button does.
  const confirm = await openPage(site, confirmPath, PHONE);
  await confirm.getByRole('button', { name: 'Keep my place' }).waitFor();
  await confirm.getByText('Demo community').waitFor();
  await expectAccessible(confirm);
  await takeScreenshots(confirm, 'reserve-ask');
  expect((await site.badge.listClaimLinks({ tokenId })).data.map((link) => link.claimCount)).toEqual([0]);
  await confirm.getByRole('button', { name: 'Keep my place' }).click();
  await confirm.getByRole('heading', { name: 'Your place is kept' }).waitFor();
  await confirm.getByRole('link', { name: 'MetaMask' }).waitFor();
  await expectAccessible(confirm);
  await takeScreenshots(confirm, 'reserve-kept');
  await confirm.reload();
  await confirm.getByRole('heading', { name: 'Your place is kept' }).waitFor();
  const { data: links } = await site.badge.listClaimLinks({ tokenId });
  expect(links.map(({ claimCount, maxClaims }) => [claimCount, maxClaims]).sort()).toEqual([
    [0, 1],
    [1, 2],
  ]);

  // The link of the next mail claims, also when the room is full.
  await (
    await site.badge.claim({ tokenId, claimingAddress: newAddress(), claimCode: path.split('#')[1] ?? '' })
  ).wait();
  const claimPath = await waitForMail('ada@example.org', 2);
  const claim = await openPage(site, claimPath, PHONE);
  const address = newAddress();
  await claim.getByLabel('Address of your wallet').fill(address);
  await claim.getByRole('button', { name: 'Continue' }).click();
  await claim.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await claim.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  expect(await site.badge.holdsToken({ tokenId, address })).toBe(true);
});

browserTest('a wrong e-mail address is explained, and the mail can be sent again', async () => {
  const { tokenId, path } = await createRoom('Sent again', 2);
  const page = await openPage(site, path, PHONE);
  await page.getByText(OFFER).click();
  await expectAccessible(page);
  const field = page.getByLabel('Your e-mail address');
  for (const text of ['', 'ada', 'ada@example', 'ada@10.0.0.1']) {
    await field.fill(text);
    await field.press('Enter');
    await page.getByText('This is not a valid e-mail address.').waitFor();
    expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);
  }
  await expectAccessible(page);
  await field.fill('typo@example.org');
  await field.press('Enter');
  await page.getByText('Look into your mailbox').waitFor();
  await expectAccessible(page);
  expect(await waitForMail('typo@example.org', 1)).toMatch(new RegExp(`^/reserve/${tokenId}#`));
  await page.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('We have sent it again.').waitFor();
  const confirm = await openPage(site, await waitForMail('typo@example.org', 2), PHONE);
  await confirm.getByRole('button', { name: 'Keep my place' }).click();
  await confirm.getByRole('heading', { name: 'Your place is kept' }).waitFor();
});

browserTest('whoever has a place gets the link again, with the same words', async () => {
  const { path } = await createRoom('Lost mail', 5);
  const page = await openPage(site, path);
  await askForPlace(page, 'lost@example.org');
  await page.getByText('Look into your mailbox').waitFor();
  const words = await page.getByRole('status').filter({ hasText: 'Look into your mailbox' }).innerText();
  const confirm = await openPage(site, await waitForMail('lost@example.org', 1));
  await confirm.getByRole('button', { name: 'Keep my place' }).click();
  await confirm.getByRole('heading', { name: 'Your place is kept' }).waitFor();
  await waitForMail('lost@example.org', 2);

  const later = await openPage(site, path);
  await askForPlace(later, 'lost@example.org');
  await later.getByText('Look into your mailbox').waitFor();
  expect(await later.getByRole('status').filter({ hasText: 'Look into your mailbox' }).innerText()).toBe(
    words,
  );
  expect(await waitForMail('lost@example.org', 3)).toContain('/claim/');
  await later.getByRole('button', { name: 'Use another address' }).click();
  await later.getByLabel('Your e-mail address').waitFor();
});

browserTest('a room that is full says so', async () => {
  const { tokenId, path } = await createRoom('Full room', 2);
  const page = await openPage(site, path);
  await askForPlace(page, 'slow@example.org');
  const confirmPath = await waitForMail('slow@example.org', 1);
  const other = await openPage(site, path);
  await other.getByText(OFFER).click();
  const claimCode = path.split('#')[1] ?? '';
  for (const claimingAddress of [newAddress(), newAddress()]) {
    await (await site.badge.claim({ tokenId, claimingAddress, claimCode })).wait();
  }
  await other.getByLabel('Your e-mail address').fill('late@example.org');
  await other.getByRole('button', { name: 'Send me the mail' }).click();
  await other.getByText('No place is left: all badges of this code are taken.').waitFor();
  await expectAccessible(other);

  const confirm = await openPage(site, confirmPath);
  await confirm.getByRole('button', { name: 'Keep my place' }).click();
  await confirm.getByRole('heading', { name: 'No place is left' }).waitFor();
  await expectAccessible(confirm);
  await takeScreenshots(confirm, 'reserve-full');
});

browserTest('a link that has ended, and one that is incomplete, say so', async () => {
  const { tokenId, path } = await createRoom('Late', 5);
  const page = await openPage(site, path);
  await askForPlace(page, 'tomorrow@example.org');
  const latePath = await waitForMail('tomorrow@example.org', 1);
  // The time to confirm begins when the mail is sent.
  await vi.waitFor(async () => {
    const sent = await query(
      site.databaseUrl,
      "update invitations set sent_at = now() - interval '2 hours' where token_id = $1 and sent_at is not null returning 1",
      [tokenId],
    );
    expect(sent).toHaveLength(1);
  });
  const late = await openPage(site, latePath);
  await late.getByRole('button', { name: 'Keep my place' }).click();
  await late.getByRole('heading', { name: 'This link has ended' }).waitFor();
  await expectAccessible(late);

  const broken = await openPage(site, `/reserve/${tokenId}#x`);
  await broken.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await expectAccessible(broken);
  const missing = await openPage(site, '/reserve/999999#ABCDEFGH');
  await missing.getByRole('heading', { name: /badge/i, level: 1 }).waitFor();
});

browserTest('the place is kept in spite of a 503 and a lost response', async () => {
  const { tokenId, path } = await createRoom('Interrupted', 3);
  const page = await openPage(site, path);
  await askForPlace(page, 'again@example.org');
  const confirmPath = await waitForMail('again@example.org', 1);
  const confirm = await openPage(site, confirmPath);
  let count = 0;
  await confirm.route('**/reservations/confirm', async (route) => {
    count += 1;
    if (count > 2) return await route.continue();
    // The first one is executed, but the page does not learn it.
    if (count === 1) await route.fetch();
    await route.abort('connectionreset');
  });
  await confirm.getByRole('button', { name: 'Keep my place' }).click();
  await confirm.getByRole('heading', { name: 'Your place is kept' }).waitFor({ timeout: 30_000 });
  expect(count).toBeGreaterThan(2);
  const { data } = await site.badge.listClaimLinks({ tokenId });
  expect(data.map(({ claimCount }) => claimCount).sort()).toEqual([0, 1]);
});

browserTest('a link of an e-mail can be kept as it is, or sent by mail', async () => {
  const tokenId = await site.createToken({ headline: 'For one person' });
  const { items } = await site.badge.createClaimLinks({ tokenId, count: 1 });
  const page = await openPage(site, pathOf(items[0]?.url), PHONE);
  await page.getByText(OFFER).click();
  await page.getByText('Then this link ends.').waitFor();
  await page.getByRole('button', { name: 'Keep this link' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'reserve-offer-link');
});

browserTest('a sandbox without a mail server says where the mail is', async () => {
  const sandbox = sharedSite();
  const tokenId = await sandbox.createToken({ headline: 'In a file' });
  const { items } = await sandbox.badge.createClaimLinks({ tokenId, count: 1 });
  const page = await openPage(sandbox, pathOf(items[0]?.url));
  await askForPlace(page, 'ada@example.org');
  await page.getByText('This is a sandbox without a mail server').waitFor();
  await expectAccessible(page);
});

browserTest.for([
  [
    'es-MX',
    '¿Aún no tienes cartera?',
    'Tu correo electrónico',
    'Enviarme el correo',
    'Guardar mi lugar',
    'Tu lugar está guardado',
  ],
  ['ar', 'ليست لديك محفظة بعد؟', 'بريدك الإلكتروني', 'أرسلوا إليّ الرسالة', 'احجز مكاني', 'حُجز مكانك'],
] as const)('a place is kept in %s', async ([locale, offer, label, send, keep, kept]) => {
  const { path } = await createRoom(`Room in ${locale}`, 5);
  const page = await openPage(site, path, { ...PHONE, locale });
  await page.getByText(offer).click();
  await page.getByLabel(label).fill(`${locale}@example.org`);
  await expectAccessible(page);
  await page.getByRole('button', { name: send }).click();
  const confirm = await openPage(site, await waitForMail(`${locale}@example.org`, 1), { ...PHONE, locale });
  await confirm.getByText('Demo community').waitFor();
  await expectAccessible(confirm);
  await confirm.getByRole('button', { name: keep }).click();
  await confirm.getByRole('heading', { name: kept }).waitFor();
  await expectAccessible(confirm);
});
