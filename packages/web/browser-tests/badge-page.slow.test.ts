import { buffer } from 'node:stream/consumers';
import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { claimForNewAddresses, site } from './harness/badge-owners.ts';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import {
  clickAndReadCopy,
  expectNoAxeViolations,
  expectNoHorizontalScroll,
  isInView,
  isMainAction,
  shareAndReadLink,
  shortenAddress,
} from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { createTestWallet } from './harness/wallet.ts';

const PHONE = { width: 360, height: 740 };

browserTest('owners are shown in pages, and each owner links to the page of the wallet', async () => {
  const tokenId = await site.createToken({ totalClaimCount: 20 });
  // One more than a page of the list shows.
  const owners = await claimForNewAddresses(tokenId, 13);
  const [first = '', last = ''] = [owners[0], owners[12]];
  const page = await openPage(site, `/token/${tokenId}`);
  await page.getByRole('link', { name: shortenAddress(first) }).waitFor();
  expect(await page.getByRole('link', { name: shortenAddress(last) }).count()).toBe(0);

  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: shortenAddress(last) }).waitFor();
  expect(new URL(page.url()).search).toBe('?owners=2');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Who has it');
  await page.getByRole('button', { name: 'Next', disabled: true }).waitFor();
  await expectNoAxeViolations(page);

  await page.reload();
  await page.getByRole('link', { name: shortenAddress(last) }).click();
  await page.getByRole('img', { name: last }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: shortenAddress(last) }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: shortenAddress(first) }).waitFor();
});

browserTest('visitors see nothing that only organizers can use', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, `/token/${tokenId}`);
  await page.getByText('Nobody has it yet').waitFor();
  const number = page.getByRole('term').filter({ hasText: 'Badge number (tokenId)' });
  expect(await number.locator('+ dd').innerText()).toBe(String(tokenId));
  const paths = [
    `/token/${tokenId}`,
    `/claim/${tokenId}`,
    `/reserve/${tokenId}#0123456789ABCDEFGHJKMNPQRS`,
    `/wallet/${newWallet().address}`,
    '/community/demo',
    '/badges',
    '/verify',
  ];
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.locator('a[href*="/console"], a[href$="/print"]').count(), path).toBe(0);
  }
});

browserTest('the picture is beside the text on a tablet, and above it on a phone', async () => {
  const page = await openPage(site, `/token/${await site.createToken()}`, {
    viewport: { width: 768, height: 1024 },
  });
  const picture = page.getByRole('img', { name: 'Speaker 2026' });
  const heading = page.getByRole('heading', { level: 1 });
  await heading.waitFor();
  const measure = async () => {
    const [pictureBox, headingBox] = [await picture.boundingBox(), await heading.boundingBox()];
    if (pictureBox === null || headingBox === null) throw new Error('the page has no picture or no heading');
    return {
      pictureRight: pictureBox.x + pictureBox.width,
      pictureBottom: pictureBox.y + pictureBox.height,
      headingLeft: headingBox.x,
      headingTop: headingBox.y,
    };
  };
  const tablet = await measure();
  expect(tablet.pictureRight).toBeLessThan(tablet.headingLeft);
  await page.setViewportSize(PHONE);
  const phone = await measure();
  expect(phone.pictureBottom).toBeLessThan(phone.headingTop);
});

browserTest('the page of a badge that nobody has says so', async () => {
  const page = await openPage(site, `/token/${await site.createToken()}`);
  await page.getByText('Nobody has it yet').waitFor();
  await expectNoAxeViolations(page);
});

browserTest('a badge that cannot be claimed has no button to claim it', async () => {
  const exhausted = await site.createToken({ totalClaimCount: 1 });
  await claimForNewAddresses(exhausted, 1);
  const exhaustedPage = await openPage(site, `/token/${exhausted}`);
  await exhaustedPage.getByText('None left').waitFor();
  expect(await exhaustedPage.getByRole('link', { name: 'Claim this badge' }).count()).toBe(0);
  const otherBadges = exhaustedPage.getByRole('link', { name: /^More badges of / });
  expect(await otherBadges.getAttribute('href')).toBe('/community/demo');
  await expectNoAxeViolations(exhaustedPage);
  await takeScreenshots(exhaustedPage, 'badge-none-left');

  const expired = await site.createToken({ expirationTimestamp: Date.UTC(2020, 0, 1) });
  const expiredPage = await openPage(site, `/token/${expired}`);
  await expiredPage.getByText('Claims for this badge have ended.').waitFor();
  expect(await expiredPage.getByRole('link', { name: 'Claim this badge' }).count()).toBe(0);
  await expectNoAxeViolations(expiredPage);
});

browserTest('the page of a badge for people on a list says how many of them have claimed it', async () => {
  const contributors = [newWallet().address, newWallet().address, 'ada@example.org'];
  const tokenId = await site.createToken({ contributors });
  const [claimingAddress = '', other = ''] = contributors;
  await (await site.operator.claim({ tokenId, claimingAddress })).wait();
  const page = await openPage(site, `/token/${tokenId}`);
  await page.getByText('1 of 3 claimed').waitFor();
  await page.getByText('Only people on its list, or with a code, can claim this badge.').waitFor();
  const claim = page.getByRole('link', { name: 'I am on the list or have a code' });
  await claim.waitFor();
  expect(await page.getByRole('link', { name: 'Claim this badge' }).count()).toBe(0);
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'badge-listed');

  // The button looks like that of an open badge.
  const openPageOfBadge = await openPage(site, `/token/${await site.createToken()}`);
  const openClaim = openPageOfBadge.getByRole('link', { name: 'Claim this badge' });
  await openClaim.waitFor();
  for (const button of [claim, openClaim]) expect(await isMainAction(button)).toBe(true);
  expect((await claim.boundingBox())?.height).toBe((await openClaim.boundingBox())?.height);

  await (await site.operator.claim({ tokenId, claimingAddress: other })).wait();
  await page.reload();
  await page.getByText('2 of 3 claimed').waitFor();
});

browserTest(
  'the page says that the visitor has claimed the badge, and shares a link with their address',
  async () => {
    const tokenId = await site.createToken();
    const wallet = createTestWallet({ chainId: 80001 });
    const address = wallet.accounts[0]?.address ?? '';
    const page = await openPage(site, `/token/${tokenId}`, { wallets: [wallet], viewport: PHONE });
    const claimLink = page.getByRole('link', { name: 'Claim this badge' });
    await claimLink.waitFor();
    expect(await isInView(claimLink)).toBe(true);
    expect(await isMainAction(claimLink)).toBe(true);
    await claimLink.click();
    await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
    await page.getByRole('button', { name: 'Sign in the wallet' }).click();
    await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();

    await page.goto(`/token/${tokenId}`);
    await page.getByText('You have this badge').waitFor();
    expect(await page.getByRole('link', { name: 'Claim this badge' }).count()).toBe(0);
    const myBadges = page.getByRole('link', { name: 'My badges' });
    expect(await myBadges.getAttribute('href')).toBe(`/wallet/${address}`);
    expect(await isInView(myBadges)).toBe(true);
    expect(await isInView(page.getByRole('button', { name: 'Share' }))).toBe(true);
    const anotherClaim = page.getByRole('link', { name: 'Claim for another address' });
    expect(await anotherClaim.getAttribute('href')).toBe(`/claim/${tokenId}`);
    await expectNoAxeViolations(page);
    await expectNoHorizontalScroll(page);
    await takeScreenshots(page, 'badge-own');

    const link = await shareAndReadLink(page);
    expect(link).toBe(`${site.url}/token/${tokenId}?owner=${address}`);

    // Without the wallet, the browser still knows for which address it has claimed.
    await wallet.disconnect();
    await page.reload();
    await page.getByText('You have this badge').waitFor();

    const visitorPage = await openPage(site, link.slice(site.url.length));
    await visitorPage.getByText(`${shortenAddress(address)} has this badge`).waitFor();
    await visitorPage.getByText(/^Claimed on /).waitFor();
    // The page is about the badge of the owner, so the link to claim is not the main action.
    const claimToo = visitorPage.getByRole('link', { name: 'Get one too' });
    expect(await claimToo.getAttribute('href')).toBe(`/claim/${tokenId}`);
    expect(await isMainAction(claimToo)).toBe(false);
    expect(await visitorPage.getByRole('link', { name: 'Claim this badge' }).count()).toBe(0);
    const ownerBadges = visitorPage.getByRole('link', { name: 'All their badges' });
    expect(await ownerBadges.getAttribute('href')).toBe(`/wallet/${address}`);
    await expectNoAxeViolations(visitorPage);
    await takeScreenshots(visitorPage, 'badge-owner');
  },
);

browserTest('an owner shows a badge on LinkedIn, on a website and in a README, and keeps it', async () => {
  const tokenId = await site.createToken({ headline: 'Speaker & "host" 2026' });
  const [owner = ''] = await claimForNewAddresses(tokenId, 1);
  const page = await openPage(site, `/token/${tokenId}?owner=${owner}`, { acceptDownloads: true });
  const part = page.getByRole('region', { name: 'Show it' });
  await part.waitFor();
  const pageUrl = `${site.url}/token/${tokenId}?owner=${owner}`;

  // Whoever opens the link may be somebody else.
  await part.getByText(`This badge belongs to ${shortenAddress(owner)}.`).waitFor();
  const linkedIn = part.getByRole('link', { name: 'Add to LinkedIn profile' });
  expect(await linkedIn.or(part.getByRole('link', { name: /Download/ })).count()).toBe(0);
  await part.getByRole('button', { name: 'It is mine' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('show');
  await part.getByText('What to enter').click();
  await part.getByText('Credential ID').waitFor();
  const { id } = await site.badge.getCredential({ tokenId, address: owner });
  expect(await linkedIn.getAttribute('rel')).toContain('noopener');
  const { origin, pathname, searchParams } = new URL((await linkedIn.getAttribute('href')) ?? '');
  expect(origin + pathname).toBe('https://www.linkedin.com/profile/add');
  const community = await site.badge.getCommunity({ communityId: 'demo' });
  const now = new Date();
  expect(Object.fromEntries(searchParams)).toEqual({
    startTask: 'CERTIFICATION_NAME',
    name: 'Speaker & "host" 2026',
    organizationName: community.name,
    issueYear: String(now.getUTCFullYear()),
    issueMonth: String(now.getUTCMonth() + 1),
    certUrl: pageUrl,
    certId: id,
  });
  // The form of LinkedIn can stay empty, so the values can be copied.
  await part.getByText('Credential URL').waitFor();
  const copyUrl = part
    .locator('div')
    .filter({ has: page.locator('dt', { hasText: 'Credential URL' }) })
    .last()
    .getByRole('button', { name: 'Copy' });
  expect(await clickAndReadCopy(copyUrl, part.getByText('Copied').first())).toBe(pageUrl);

  const copyOf = (title: string) =>
    part.getByRole('figure').filter({ hasText: title }).getByRole('button', { name: 'Copy' });
  const copied = part.getByRole('button', { name: 'Copied' });
  const html = await clickAndReadCopy(copyOf('HTML'), copied);
  const oembed = await fetch(`${site.url}/oembed?url=${encodeURIComponent(pageUrl)}`);
  expect(html).toBe(((await oembed.json()) as { html: string }).html);
  await page.reload();
  await part.getByRole('button', { name: 'It is mine' }).click();
  expect(await clickAndReadCopy(copyOf('Markdown'), copied)).toBe(
    `[![Speaker \\& "host" 2026](${site.url}/images/token/${tokenId}.svg)](${pageUrl})`,
  );

  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await part.getByText('What to enter').click();
  await takeScreenshots(page, 'badge-show');

  for (const [name, start] of [
    ['Download credential', '{"@context":'],
    ['Download picture', '\u2030PNG'],
  ] as const) {
    const downloading = page.waitForEvent('download');
    await part.getByRole('link', { name, exact: true }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(new RegExp(`^badge-${tokenId}\\.(json|png)$`));
    const bytes = await buffer(await download.createReadStream());
    expect(bytes.toString('latin1').replace('\x89', '\u2030').startsWith(start)).toBe(true);
  }
});

browserTest("a badge that nobody in particular has cannot be shown as somebody's", async () => {
  const tokenId = await site.createToken();
  const [revoked = ''] = await claimForNewAddresses(tokenId, 1);
  await (await site.operator.revoke({ tokenId, address: revoked, reason: 'a test' })).wait();
  for (const query of ['', `?owner=${newWallet().address}`, `?owner=${revoked}`]) {
    const page = await openPage(site, `/token/${tokenId}${query}`);
    await page.getByRole('heading', { name: 'Who has it' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('region', { name: 'Show it' }).count()).toBe(0);
  }
});

browserTest('the page says whether the owner in its link has the badge', async () => {
  const tokenId = await site.createToken();
  const [owner = ''] = await claimForNewAddresses(tokenId, 1);
  // The owner also has a newer badge.
  const newerId = await site.createToken();
  await (await site.operator.claim({ tokenId: newerId, claimingAddress: owner })).wait();
  const { address: stranger } = newWallet();
  const page = await openPage(site, `/token/${tokenId}?owner=${stranger}`);
  await page.getByText(`${shortenAddress(stranger)} does not have this badge`).waitFor();
  await page.getByRole('link', { name: 'Claim this badge' }).waitFor();
  await expectNoAxeViolations(page);
  expect(await shareAndReadLink(page)).toBe(`${site.url}/token/${tokenId}`);

  await page.goto(`/token/${tokenId}?owner=${owner.toLowerCase()}`);
  await page.getByText(`${shortenAddress(owner)} has this badge`).waitFor();
});

browserTest('the page says that the badge of the owner in its link was revoked or moved', async () => {
  const tokenId = await site.createToken();
  const [revoked = '', moved = ''] = await claimForNewAddresses(tokenId, 2);
  const reason = 'a private reason';
  const revocation = { tokenId, address: revoked, reason };
  await (await site.operator.revoke(revocation)).wait();
  const page = await openPage(site, `/token/${tokenId}?owner=${revoked}`);
  await page.getByText(`${shortenAddress(revoked)} does not have this badge`).waitFor();
  await page.getByText('The community revoked it on').waitFor();
  expect(await page.getByText(reason).count()).toBe(0);
  await expectNoAxeViolations(page);

  await (
    await site.operator.move({ tokenId, address: moved, toAddress: newWallet().address, reason })
  ).wait();
  await page.goto(`/token/${tokenId}?owner=${moved}`);
  await page.getByText('The community moved it to another address on').waitFor();

  await (await site.operator.reinstate(revocation)).wait();
  await page.goto(`/token/${tokenId}?owner=${revoked}`);
  await page.getByText(`${shortenAddress(revoked)} has this badge`).waitFor();
});

browserTest('sharing copies the link of the page if the browser has no share sheet', async () => {
  const page = await openPage(site, `/token/${await site.createToken()}`);
  expect(await shareAndReadLink(page)).toBe(page.url());
});

browserTest('sharing passes the link of the page to the share sheet of the device', async () => {
  const page = await openPage(site, `/token/${await site.createToken()}`);
  await page.evaluate(() => {
    const sharing = window as unknown as { shared: unknown };
    navigator.share = async (data) => {
      sharing.shared = data;
    };
  });
  await page.getByRole('button', { name: 'Share' }).click();
  expect(await page.evaluate(() => (window as unknown as { shared: unknown }).shared)).toEqual({
    title: 'Speaker 2026',
    url: page.url(),
  });
});

browserTest('the page of a badge that does not exist returns 404, and says so', async () => {
  for (const id of ['999999', 'abc']) {
    const page = await openPage(site, START_PATH);
    const response = await page.goto(`/token/${id}`);
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { level: 1, name: 'There is no such badge' }).waitFor();
    await page.getByRole('link', { name: 'To the home page' }).waitFor();
    if (id === '999999') await expectNoAxeViolations(page);
  }
});

browserTest(
  'without a connection, the page says so, and shows that it loads when it tries again',
  async () => {
    const tokenId = await site.createToken();
    const page = await openPage(site, START_PATH);
    await page.route('**/v1/**', (route) => route.abort('internetdisconnected'));
    await page.goto(`/token/${tokenId}`);
    await page.getByText('No connection').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Loading …').waitFor();
    await page.getByText('No connection').waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Speaker 2026' }).waitFor();
  },
);

browserTest('a picture that cannot be loaded is replaced by words', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, START_PATH);
  await page.route('**/images/**', (route) => route.abort());
  await page.goto(`/token/${tokenId}`);
  await page.getByText('The picture could not be loaded').waitFor();
  await expectNoAxeViolations(page);
});

/** Records a short WebM in the browser. */
async function recordVideo(page: Page): Promise<Blob> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 64;
    canvas.height = 64;
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
    const chunks: Blob[] = [];
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    const stopped = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.start();
    for (let frame = 0; frame < 10; frame += 1) {
      if (context !== null) context.fillStyle = `hsl(${frame * 36} 80% 50%)`;
      context?.fillRect(0, 0, 64, 64);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  return new Blob([Buffer.from(base64, 'base64')]);
}

async function createVideoToken(): Promise<number> {
  const page = await openPage(site, START_PATH);
  const { nftTypeId } = await site.badge.createNftType({
    communityId: 'demo',
    name: 'Moving',
    assetFile: await recordVideo(page),
  });
  return await site.createToken({ nftTypeId, headline: 'Moving badge' });
}

browserTest('a badge with a video plays it without sound, with controls', async () => {
  const page = await openPage(site, `/token/${await createVideoToken()}`);
  const video = page.locator('video');
  await page.waitForFunction(() => {
    const element = document.querySelector('video');
    return element !== null && !element.paused && element.readyState >= 2;
  });
  expect(
    await video.evaluate((element: HTMLVideoElement) => ({
      controls: element.controls,
      muted: element.muted,
    })),
  ).toEqual({ controls: true, muted: true });
  await expectNoAxeViolations(page);
});

browserTest('a video does not start by itself if the visitor prefers reduced motion', async () => {
  const tokenId = await createVideoToken();
  const page = await openPage(site, `/token/${tokenId}`, { reducedMotion: 'reduce' });
  const video = page.locator('video');
  await video.waitFor();
  expect(await video.evaluate((element: HTMLVideoElement) => element.autoplay)).toBe(false);
  expect(await video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(true);
  expect(await video.getAttribute('poster')).toBe(`/images/token/${tokenId}.png`);
});
