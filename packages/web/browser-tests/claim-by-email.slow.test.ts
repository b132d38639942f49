import { newAddress, newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest, openPage, type PageOptions, START_PATH } from './harness/browser.ts';
import { askForCode, openAddressField, readCodes, signInByEmail, typeCode } from './harness/claim-ways.ts';
import { type MailSite, startMailSite } from './harness/mail-site.ts';
import { expectAccessible, isInView, isMainAction } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { createTestWallet } from './harness/wallet.ts';

const PHONE: PageOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

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
  const { pathname, hash } = new URL(items[0]?.url ?? '');
  return { tokenId, path: `${pathname}${hash}` };
}

const mailsTo = (email: string) => site.mails.received.filter(({ recipient }) => recipient === email);
const keptOwners = async (tokenId: number) =>
  (await site.badge.listOwners({ tokenId })).data.filter(({ isKept }) => isKept);

browserTest('with a phone and an e-mail, a person has a badge to show in less than a minute', async () => {
  const { tokenId, path } = await createRoom('Kept with an e-mail', 5);
  const startMs = performance.now();
  const page = await openPage(site, path, PHONE);
  const submit = page.getByRole('button', { name: 'Send me a code' });
  await submit.waitFor();
  expect(await isMainAction(submit)).toBe(true);
  expect(await isInView(page.getByRole('radio', { name: 'Use my wallet' }))).toBe(true);
  await page.getByText('The organizers see this address in their list of people.').waitFor();
  await askForCode(page, 'ada@example.org');
  const [code = ''] = await readCodes(site, 'ada@example.org');
  await typeCode(page, code.toLowerCase().replace('-', ' '));
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  await page.getByRole('link', { name: 'Add it to LinkedIn or your website, or download it' }).click();
  await page.getByText('You have this badge').waitFor();
  const linkedIn = page.getByRole('link', { name: 'Add to LinkedIn profile' });
  await linkedIn.waitFor();
  const seconds = (performance.now() - startMs) / 1_000;
  expect(seconds).toBeLessThan(60);
  expect(mailsTo('ada@example.org')).toHaveLength(1);

  const [owner] = await keptOwners(tokenId);
  const address = owner?.address ?? '';
  expect(await linkedIn.getAttribute('href')).toContain(encodeURIComponent(`owner=${address}`));
  const file = page.getByRole('link', { name: 'Download credential' });
  const credential = await fetch(new URL((await file.getAttribute('href')) ?? '', site.url));
  expect(await credential.json()).toMatchObject({ type: expect.arrayContaining(['OpenBadgeCredential']) });
  await page.getByText(`/embed/token/${tokenId}?owner=${address}`).waitFor();
  await page.getByText('It is kept with your e-mail.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-badge-page');
  const own = page.getByRole('link', { name: 'My badges' });
  expect(await own.getAttribute('href')).toBe('/my-badges');
});

browserTest('each step with an e-mail can be used by everybody', async () => {
  const { path } = await createRoom('Step by step', 5);
  const page = await openPage(site, path, PHONE);
  await page.getByRole('button', { name: 'Send me a code' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-choose');
  await openAddressField(page);
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-choose-wallet');
  await page.getByRole('radio', { name: 'Keep it with my e-mail' }).check();
  for (const text of ['', 'ada', 'ada@example', 'ada@10.0.0.1']) {
    await page.getByLabel('Your e-mail address').fill(text);
    await page.getByLabel('Your e-mail address').press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This is not a valid e-mail address.' }).waitFor();
  }
  await expectAccessible(page);
  await askForCode(page, 'steps@example.org');
  const field = page.getByLabel('Code from the mail');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-code');
  await typeCode(page, 'ABC');
  await page.getByText('A code has 8 digits and letters, but no U.').waitFor();
  await typeCode(page, '0000-0000');
  await page.getByText('This code is wrong, or cannot be used any more.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-code-wrong');
  await typeCode(page, (await readCodes(site, 'steps@example.org')).join());
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-done');

  // The same link again: the badge is theirs already.
  await page.reload();
  await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
  await page.getByText('It is kept with your e-mail.').waitFor();
  expect(await page.getByRole('link', { name: 'My badges' }).getAttribute('href')).toBe('/my-badges');
});

browserTest('a phone that forgets the page in the meantime still asks for the code', async () => {
  const { tokenId, path } = await createRoom('Reloaded', 5);
  const page = await openPage(site, path, PHONE);
  await askForCode(page, 'reload@example.org');
  await page.reload();
  await page.getByText('Look into your mailbox').waitFor();
  await page.getByText('reload@example.org').waitFor();
  await typeCode(page, (await readCodes(site, 'reload@example.org')).join());
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  expect(await keptOwners(tokenId)).toHaveLength(1);
});

browserTest('after a pause, another mail can be sent, and the codes of both work', async () => {
  const { path } = await createRoom('Two mails', 5);
  const page = await openPage(site, START_PATH, PHONE);
  await page.clock.install();
  await page.goto(path);
  await askForCode(page, 'twice@example.org');
  const [first = ''] = await readCodes(site, 'twice@example.org');
  const resend = page.getByRole('button', { name: /^Send another mail/ });
  expect(await resend.getAttribute('aria-disabled')).toBe('true');
  await page.clock.fastForward(61_000);
  await page.getByRole('button', { name: 'Send another mail', exact: true }).click();
  await page.getByText('We have sent another mail to:').waitFor();
  expect(await readCodes(site, 'twice@example.org', 2)).not.toEqual([first, first]);
  await typeCode(page, first);
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
});

browserTest(
  'the link in the mail shows the code in another tab, and fills it in where one asked',
  async () => {
    const { tokenId, path } = await createRoom('By the link', 5);
    const page = await openPage(site, path, PHONE);
    await askForCode(page, 'link@example.org');
    const [code = ''] = await readCodes(site, 'link@example.org');
    const link = /https?:\/\/\S+\/sign-in\S*#\S+/.exec(mailsTo('link@example.org')[0]?.text ?? '')?.[0] ?? '';
    expect(new URL(link).searchParams.get('to')).toBe(`/claim/${tokenId}`);

    // Opening it uses up nothing, however often programs do it.
    const other = await page.context().newPage();
    const requests: string[] = [];
    other.on('request', (request) => requests.push(request.url()));
    await other.goto(link);
    await other.getByText(code, { exact: true }).waitFor();
    await other.getByText('Type it in the page where you asked for it').waitFor();
    expect(requests.filter((url) => url.includes('/v1/'))).toEqual([]);
    await expectAccessible(other);
    await takeScreenshots(other, 'sign-in-code');
    expect(await other.getByRole('link', { name: 'Open that page here' }).getAttribute('href')).toBe(
      `/claim/${tokenId}`,
    );

    await page.goto(link);
    await expect.poll(() => page.getByLabel('Code from the mail').inputValue()).toBe(code);
    await expectAccessible(page);
    await takeScreenshots(page, 'sign-in-filled');
    await page.getByRole('button', { name: 'Continue' }).click();
    // Back at the badge, with its code.
    await page.waitForURL(`**${path}`);
    await page.getByText('You are signed in as link@example.org.').waitFor();
    await page.getByText('The organizers see your e-mail address in their list of people.').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'keep-signed-in');

    // The other tab is signed in too.
    await other.goto(path);
    await other.getByText('You are signed in as link@example.org.').waitFor();
    await page.getByRole('button', { name: 'Keep it with this e-mail' }).click();
    await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
    expect(await keptOwners(tokenId)).toHaveLength(1);
  },
);

browserTest('without a code, an e-mail on the list claims, and another one is told why not', async () => {
  const tokenId = await site.createToken({ headline: 'By list', contributors: ['list@example.org'] });
  const page = await openPage(site, `/claim/${tokenId}`, PHONE);
  await page.getByText('Without a code, use the e-mail or the wallet that is on the list.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-listed');
  await signInByEmail(site, page, 'list@example.org');
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();

  const stranger = await openPage(site, `/claim/${tokenId}`, PHONE);
  await signInByEmail(site, stranger, 'stranger@example.org');
  await stranger.getByRole('heading', { name: 'This e-mail is not on the list' }).waitFor();
  await expectAccessible(stranger);
  await takeScreenshots(stranger, 'keep-not-listed');
  await stranger.getByRole('button', { name: 'Use another e-mail or a wallet' }).click();
  await stranger.getByRole('button', { name: 'Not you? Sign out' }).click();
  await stranger.getByLabel('Your e-mail address').waitFor();
});

browserTest('an open badge is kept with an e-mail as well as in a wallet', async () => {
  const tokenId = await site.createToken({ headline: 'Open to all' });
  const page = await openPage(site, `/claim/${tokenId}`, { wallets: [createTestWallet()] });
  // With a wallet in the browser, this way comes first.
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Keep it with my e-mail' }).check();
  await signInByEmail(site, page, 'open@example.org');
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  expect(await keptOwners(tokenId)).toHaveLength(1);
});

browserTest('a badge that needs a wallet says why, and asks for no e-mail', async () => {
  const tokenId = await site.createToken({ isSignatureRequired: true });
  const { items } = await site.badge.createClaimLinks({ tokenId, count: 1 });
  const page = await openPage(site, `/claim/${tokenId}#${items[0]?.code}`, PHONE);
  await page.getByText('the community wants each owner to sign for it').waitFor();
  expect(await page.getByText('Keep it with my e-mail').count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshots(page, 'keep-needs-wallet');
});

browserTest('a room that fills up meanwhile says so', async () => {
  const { tokenId, path } = await createRoom('Full room', 2);
  const page = await openPage(site, path, PHONE);
  await askForCode(page, 'late@example.org');
  const claimCode = path.split('#')[1] ?? '';
  for (const claimingAddress of [newAddress(), newAddress()]) {
    await (await site.badge.claim({ tokenId, claimingAddress, claimCode })).wait();
  }
  await typeCode(page, (await readCodes(site, 'late@example.org')).join());
  await page.getByRole('heading', { name: 'All badges of this code are taken' }).waitFor();
  await expectAccessible(page);
});

browserTest('the badge is kept once in spite of a 503 and a lost response', async () => {
  const { tokenId, path } = await createRoom('Interrupted', 5);
  const page = await openPage(site, path);
  let count = 0;
  await page.route('**/claim', async (route) => {
    if (route.request().method() !== 'POST') return await route.continue();
    count += 1;
    if (count > 2) return await route.continue();
    // The first one is executed, but the page does not learn it.
    if (count === 1) await route.fetch();
    await route.abort('connectionreset');
  });
  await signInByEmail(site, page, 'lost@example.org');
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor({ timeout: 30_000 });
  expect(count).toBeGreaterThan(2);
  expect(await keptOwners(tokenId)).toHaveLength(1);
});

browserTest('a session that is over asks for the e-mail again', async () => {
  const { tokenId, path } = await createRoom('Signed out', 5);
  const page = await openPage(site, path, PHONE);
  await signInByEmail(site, page, 'over@example.org');
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  const next = await createRoom('Next badge', 5);
  await page.goto(next.path);
  await page.getByText('You are signed in as over@example.org.').waitFor();
  const key = await page.evaluate(() => JSON.parse(sessionStorage.getItem('badge.session') ?? '{}').key);
  await fetch(`${site.url}/v1/sessions/current`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${key}` },
  });
  await page.getByRole('button', { name: 'Keep it with this e-mail' }).click();
  await page.getByText('You are signed out').waitFor();
  await expectAccessible(page);
  await signInByEmail(site, page, 'over@example.org', 2);
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
  expect(await keptOwners(next.tokenId)).toHaveLength(1);
  expect(await keptOwners(tokenId)).toHaveLength(1);
});

browserTest.for([
  [
    'es-MX',
    'Tu correo electrónico',
    'Enviarme un código',
    'Código del correo',
    'Continuar',
    '¡La insignia es tuya!',
  ],
  ['ar', 'بريدك الإلكتروني', 'أرسلوا إليّ رمزًا', 'الرمز الموجود في الرسالة', 'متابعة', 'الشارة لك!'],
] as const)(
  'a badge is kept with an e-mail in %s',
  async ([locale, label, send, codeLabel, submit, done]) => {
    const { path } = await createRoom(`Room in ${locale}`, 5);
    const page = await openPage(site, path, { ...PHONE, locale });
    await page.getByLabel(label).fill(`${locale}@example.org`);
    await expectAccessible(page);
    await page.getByRole('button', { name: send }).click();
    const field = page.getByLabel(codeLabel);
    await field.waitFor();
    await expectAccessible(page);
    await field.fill((await readCodes(site, `${locale}@example.org`)).join());
    await page.getByRole('button', { name: submit }).click();
    await page.getByRole('heading', { name: done }).waitFor();
    await expectAccessible(page);
  },
);
