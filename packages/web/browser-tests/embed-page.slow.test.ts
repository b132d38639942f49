import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { newWallet } from '@badge/test-support/signing';
import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, openPage, type PageOptions, START_PATH } from './harness/browser.ts';
import { startOtherSite } from './harness/other-site.ts';
import { expectNoAxeViolations, shortenAddress } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();
const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url));

const ARABIC_HEADLINE = 'متحدث في مؤتمر المطورين العرب السنوي الثالث في مدينة لشبونة';
const LONG_HEADLINE = `${'A headline that does not end soon, '.repeat(8)}but here`;

interface FrameOptions {
  width?: number;
  attributes?: string;
}

const toFrame = (url: string, { width = 400, attributes = '' }: FrameOptions = {}) =>
  `<iframe src="${url}" width="${width}" height="200" style="border:0;border-radius:12px;max-width:100%" ${attributes}></iframe>`;

/** Opens a page of another origin that shows these frames. */
async function openWithFrames(frames: string[], options: PageOptions = {}): Promise<Page> {
  const content = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Another site</title><body><main><h1>Another site</h1>${frames.join('\n<hr>\n')}</main></body></html>`;
  const other = await startOtherSite({ '/': { content, type: 'text/html; charset=utf-8' } });
  const page = await openPage(site, START_PATH, { otherOrigins: [other.origin], ...options });
  await page.goto(`${other.origin}/`);
  return page;
}

function frameOf(page: Page, path: string): Frame {
  const frame = page.frames().find((one) => one.url().includes(path));
  if (frame === undefined) throw new Error(`the page has no frame of ${path}`);
  return frame;
}

async function claim(tokenId: number, claimingAddress = newWallet().address): Promise<string> {
  await (await site.operator.claim({ tokenId, claimingAddress })).wait();
  return claimingAddress;
}

browserTest('a page of another origin shows a badge with its owner, without scripts', async () => {
  const tokenId = await site.createToken({ headline: 'Speaker 2026' });
  const owner = await claim(tokenId);
  const url = `${site.url}/embed/token/${tokenId}?owner=${owner}`;
  // No scripts, and no origin of its own.
  const attributes = 'sandbox="allow-popups allow-popups-to-escape-sandbox"';
  const page = await openWithFrames([toFrame(url, { attributes })], {
    // Those of Playwright.
    expectedError: /Blocked script execution/,
  });
  const frame = frameOf(page, '/embed/');
  await frame.getByRole('heading', { name: 'Speaker 2026' }).waitFor();
  await frame.getByText(`${shortenAddress(owner)} has this badge`).waitFor();
  const picture = frame.locator('img');
  await expect.poll(() => picture.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(256);
  expect(new URL(page.url()).hostname).not.toBe(new URL(url).hostname);

  const opened = page.context().waitForEvent('page');
  await frame.getByRole('link').click();
  const badgePage = await opened;
  await badgePage.getByText(`${shortenAddress(owner)} has this badge`).waitFor();
  expect(badgePage.url()).toBe(`${site.url}/token/${tokenId}?owner=${owner}`);
  // Otherwise the page could send the other site elsewhere.
  expect(await badgePage.evaluate(() => window.opener)).toBeNull();
});

browserTest('all of the card leads to the badge, and it can be used with the keyboard', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, `/embed/token/${tokenId}`);
  await page.setViewportSize({ width: 400, height: 200 });
  const link = await page.getByRole('link').elementHandle();
  for (const [x, y] of [
    [10, 10],
    [390, 190],
    [60, 100],
  ] as const) {
    const isLink = await page.evaluate(
      ({ point: [left, top], node }) => document.elementFromPoint(left, top) === node,
      { point: [x, y] as const, node: link },
    );
    expect(isLink, `${x}, ${y}`).toBe(true);
  }
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('A');
});

browserTest.for([300, 400, 640])(
  'an embed of %i pixels shows all its texts, in every language',
  async (width) => {
    const tokenId = await site.createToken({ headline: LONG_HEADLINE });
    const owner = await claim(tokenId);
    const revokedOwner = await claim(tokenId);
    await (await site.operator.revoke({ tokenId, address: revokedOwner, reason: 'a test' })).wait();
    const page = await openPage(site, `/embed/token/${tokenId}`);
    await page.setViewportSize({ width, height: 200 });
    for (const language of ['en', 'es', 'ar']) {
      for (const address of [owner, revokedOwner, newWallet().address]) {
        await page.goto(`/embed/token/${tokenId}?owner=${address}&language=${language}`);
        const overflow = await page.evaluate(() => {
          const { scrollHeight, scrollWidth, clientHeight, clientWidth } = document.documentElement;
          return [scrollWidth - clientWidth, scrollHeight - clientHeight];
        });
        expect(overflow, `${language} ${address}`).toEqual([0, 0]);
        const isInside = await page.getByText('localhost').evaluate((node) => {
          const { bottom, left, right } = node.getBoundingClientRect();
          return bottom <= innerHeight && left >= 0 && right <= innerWidth;
        });
        expect(isInside).toBe(true);
      }
    }
  },
);

browserTest.for(['light', 'dark'] as const)('an embed is accessible in the %s theme', async (colorScheme) => {
  const tokenId = await site.createToken();
  const owner = await claim(tokenId);
  const page = await openPage(site, `/embed/token/${tokenId}?owner=${owner}`, { colorScheme });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [white, dark] = ['rgb(255, 255, 255)', 'rgb(30, 25, 22)'];
  expect(await background()).toBe(colorScheme === 'dark' ? dark : white);
  await expectNoAxeViolations(page);
  await page.goto(`/embed/token/${tokenId}?owner=${newWallet().address}&language=ar`);
  await expectNoAxeViolations(page);
  await page.goto('/embed/token/999999');
  await page.getByRole('heading', { name: 'There is no such badge' }).waitFor();
  await expectNoAxeViolations(page);
  // The site that shows it can choose the other theme.
  await page.goto(`/embed/token/${tokenId}?theme=${colorScheme === 'dark' ? 'light' : 'dark'}`);
  expect(await background()).toBe(colorScheme === 'dark' ? white : dark);
});

browserTest('no other page can be shown in a frame of another origin', async () => {
  const tokenId = await site.createToken();
  const paths = ['/', `/token/${tokenId}`, `/claim/${tokenId}`, '/console', '/verify', '/docs/errors'];
  const page = await openWithFrames(
    [...paths, `/embed/token/${tokenId}`].map((path) => toFrame(`${site.url}${path}`)),
    { expectedError: /frame-ancestors/ },
  );
  await frameOf(page, '/embed/').getByRole('heading', { name: 'Speaker 2026' }).waitFor();
  const shown = page
    .frames()
    .filter((frame) => frame !== page.mainFrame() && frame.url().startsWith(site.url));
  expect(shown.map((frame) => new URL(frame.url()).pathname)).toEqual([`/embed/token/${tokenId}`]);
});

// Takes pictures of the embeds in frames of another page, as people see them.
if (process.env.BADGE_SCREENSHOTS)
  browserTest('pictures of embeds', async () => {
    await mkdir(SCREENSHOTS, { recursive: true });
    const tokenId = await site.createToken({ headline: 'Speaker 2026' });
    const [owner, revoked] = [await claim(tokenId), await claim(tokenId)];
    await (await site.operator.revoke({ tokenId, address: revoked, reason: 'a test' })).wait();
    const longId = await site.createToken({ headline: LONG_HEADLINE, nftTypeId: 'defaultSilverNavy' });
    const longOwner = await claim(longId);
    const arabicId = await site.createToken({ headline: ARABIC_HEADLINE, nftTypeId: 'defaultGreenPurple' });
    const arabicOwner = await claim(arabicId);
    const paths = [
      `${tokenId}?owner=${owner}`,
      `${tokenId}?owner=${revoked}`,
      `${tokenId}`,
      `${longId}?owner=${longOwner}`,
      `${arabicId}?owner=${arabicOwner}&language=ar`,
      `${tokenId}?owner=${revoked}&language=es`,
      '999999',
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [300, 400, 640]) {
        const frames = paths.map((path) => toFrame(`${site.url}/embed/token/${path}`, { width }));
        const page = await openWithFrames(frames, {
          colorScheme,
          viewport: { width: width + 40, height: 1_700 },
        });
        await page.waitForLoadState('networkidle');
        await page.screenshot({ path: `${SCREENSHOTS}embed-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
  });

browserTest('a shield is a picture in every script', async () => {
  const samples: Record<string, string> = {
    latin: 'Devcon 7 <speaker> & "host"',
    arabic: 'مرحبا بكم في مجتمعنا العربي',
    hebrew: 'ברוכים הבאים',
    japanese: '素晴らしい貢献に感謝します',
    devanagari: 'समुदाय में आपके योगदान',
    thai: 'ขอบคุณสำหรับการมีส่วนร่วม',
    emoji: '🎉🏆 Well done! 👩‍👩‍👧‍👦',
    long: LONG_HEADLINE,
  };
  const ids = await Promise.all(Object.values(samples).map((headline) => site.createToken({ headline })));
  const content = `<!doctype html><html lang="en"><title>A README</title><body style="background:#fff">${ids
    .map((id) => `<p><img src="${site.url}/images/token/${id}.svg" alt=""></p>`)
    .join('\n')}</body></html>`;
  const other = await startOtherSite({ '/': { content, type: 'text/html; charset=utf-8' } });
  const page = await openPage(site, START_PATH, { otherOrigins: [other.origin] });
  await page.goto(`${other.origin}/`);
  await page.waitForLoadState('networkidle');
  const sizes = await page.evaluate(() =>
    Array.from(document.images, ({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight]),
  );
  for (const [width = 0, height] of sizes) {
    expect(height).toBe(20);
    expect(width).toBeGreaterThan(100);
    expect(width).toBeLessThan(500);
  }
  if (process.env.BADGE_SCREENSHOTS) {
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.setViewportSize({ width: 520, height: 400 });
    await page.screenshot({ path: `${SCREENSHOTS}shields.png`, fullPage: true });
  }
});
