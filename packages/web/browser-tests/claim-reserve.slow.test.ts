import { newAddress, newWallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { browserTest, openPage, type PageOptions } from './harness/browser.ts';
import { findMailLink, type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';

// No page asks for a reservation, but programs do. Its mail leads to a page.

const PHONE: PageOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

let site: MailSite;
beforeAll(async () => {
  site = await startMailSite();
});
afterAll(() => site?.remove());

interface Room {
  tokenId: number;
  claimCode: string;
}

/** Creates a badge with a room for so many people. */
async function createRoom(headline: string, maxClaims: number, fields: object = {}): Promise<Room> {
  const signer = newWallet();
  const tokenId = await site.createToken({ signer, headline, contributors: [signer.address] });
  const room = { maxClaims, expiresAtTimestamp: Date.now() + 3_600_000, ...fields };
  const { items } = await site.badge.createClaimLinks({ tokenId, signer, ...room });
  return { tokenId, claimCode: items[0]?.code ?? '' };
}

const mailsTo = (email: string) => site.mails.received.filter(({ recipient }) => recipient === email);

/** Waits for so many mails to an address, and returns the path of the link in the last one. */
async function waitForMail(email: string, count: number): Promise<string> {
  await expect.poll(() => mailsTo(email).length, { timeout: 20_000 }).toBe(count);
  const mail = mailsTo(email)[count - 1] ?? {};
  const { pathname, hash } = new URL(findMailLink(mail, 'reserve') || findMailLink(mail, 'claim'));
  return `${pathname}${hash}`;
}

/** Asks for a place, and returns the path of the page that confirms it. */
async function reserve({ tokenId, claimCode }: Room, email: string): Promise<string> {
  await site.badge.createReservation({ tokenId, email, claimCode });
  return await waitForMail(email, 1);
}

browserTest('a button confirms a reservation, and the badge is there', async () => {
  const room = await createRoom('Kept at once', 2);
  const { tokenId } = room;
  const path = await reserve(room, 'ada@example.org');
  expect(path).toMatch(new RegExp(`^/reserve/${tokenId}#`));

  // To open the page takes no place. A button does.
  const page = await openPage(site, path, PHONE);
  await page.getByRole('button', { name: 'Keep it with my e-mail' }).waitFor();
  await page.getByText('Demo community').waitFor();
  await page.getByText('The organizers then see your e-mail address').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'reserve-ask');
  expect((await site.badge.listClaimLinks({ tokenId })).data.map((link) => link.claimCount)).toEqual([0]);
  await page.getByRole('button', { name: 'Keep it with my e-mail' }).click();
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  await page.getByText('It is kept with your e-mail.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'reserve-claimed');
  await page.reload();
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  const { data: owners } = await site.badge.listOwners({ tokenId });
  expect(owners).toMatchObject([{ isKept: true }]);
  expect(mailsTo('ada@example.org')).toHaveLength(1);
  expect(await page.getByRole('link', { name: 'My badges' }).last().getAttribute('href')).toBe('/my-badges');
  await page.getByRole('link', { name: 'Add it to LinkedIn' }).click();
  await page.waitForURL(`**/token/${tokenId}?owner=${owners[0]?.address}`);
});

browserTest('what needs a wallet is kept, and a second mail claims it', async () => {
  const room = await createRoom('Kept for later', 2, { isSignatureRequired: true });
  const page = await openPage(site, await reserve(room, 'ben@example.org'), PHONE);
  await page.getByRole('button', { name: 'Keep it with my e-mail' }).click();
  await page.getByRole('heading', { name: 'Your place is kept' }).waitFor();
  await page.getByRole('link', { name: 'MetaMask' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'reserve-kept');
  await page.reload();
  await page.getByRole('heading', { name: 'Your place is kept' }).waitFor();
  const { data: links } = await site.badge.listClaimLinks({ tokenId: room.tokenId });
  expect(links.map(({ claimCount, maxClaims }) => [claimCount, maxClaims]).sort()).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect(await waitForMail('ben@example.org', 2)).toContain('/claim/');
});

browserTest('a reservation in a room that is full says so', async () => {
  const room = await createRoom('Full room', 2);
  const path = await reserve(room, 'slow@example.org');
  const { tokenId, claimCode } = room;
  for (const claimingAddress of [newAddress(), newAddress()]) {
    await (await site.badge.claim({ tokenId, claimingAddress, claimCode })).wait();
  }
  const page = await openPage(site, path, PHONE);
  await page.getByRole('button', { name: 'Keep it with my e-mail' }).click();
  await page.getByRole('heading', { name: 'No place is left' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'reserve-full');
});

browserTest('a link that has ended, and one that is incomplete, say so', async () => {
  const room = await createRoom('Late', 5);
  const { tokenId } = room;
  const latePath = await reserve(room, 'tomorrow@example.org');
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
  await late.getByRole('button', { name: 'Keep it with my e-mail' }).click();
  await late.getByRole('heading', { name: 'This link has ended' }).waitFor();
  await expectAccessible(late);

  const broken = await openPage(site, `/reserve/${tokenId}#x`);
  await broken.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await expectAccessible(broken);
  const missing = await openPage(site, '/reserve/999999#ABCDEFGH');
  await missing.getByRole('heading', { name: /badge/i, level: 1 }).waitFor();
});

browserTest('the badge is claimed once in spite of a 503 and a lost response', async () => {
  const room = await createRoom('Interrupted', 3);
  const page = await openPage(site, await reserve(room, 'again@example.org'));
  let count = 0;
  await page.route('**/reservations/confirm', async (route) => {
    count += 1;
    if (count > 2) return await route.continue();
    // The first one is executed, but the page does not learn it.
    if (count === 1) await route.fetch();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Keep it with my e-mail' }).click();
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor({ timeout: 30_000 });
  expect(count).toBeGreaterThan(2);
  const { data } = await site.badge.listClaimLinks({ tokenId: room.tokenId });
  expect(data.map(({ claimCount }) => claimCount)).toEqual([1]);
});

browserTest.for([
  ['es-MX', 'Guardarla con mi correo', '¡La insignia es tuya!'],
  ['ar', 'احفظها مع بريدي', 'الشارة لك!'],
] as const)('a reservation is confirmed in %s', async ([locale, keep, kept]) => {
  const room = await createRoom(`Room in ${locale}`, 5);
  const path = await reserve(room, `${locale}@example.org`);
  const page = await openPage(site, path, { ...PHONE, locale });
  await page.getByText('Demo community').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: keep }).click();
  await page.getByRole('heading', { name: kept }).waitFor();
  await expectAccessible(page);
});
