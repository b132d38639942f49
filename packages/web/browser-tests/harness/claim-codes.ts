import type { Page } from 'playwright-core';
import type { PageOptions } from './browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './page-checks.ts';
import { takeScreenshots } from './screenshots.ts';
import { sharedSite } from './site.ts';

export const PHONE: PageOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

export const site = sharedSite();

export async function createLink(tokenId: number): Promise<{ path: string; code: string }> {
  const { items } = await site.badge.createClaimLinks({ tokenId, count: 1 });
  const code = items[0]?.code ?? '';
  return { path: `/claim/${tokenId}#${code}`, code };
}

export async function waitUntilClaimed(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
}

export async function checkAndTakeScreenshots(page: Page, name: string): Promise<void> {
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, name);
}
