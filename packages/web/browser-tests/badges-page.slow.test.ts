import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
  await site.createToken({ headline: 'Badge 1' });
});
afterAll(() => site?.remove());

browserTest('the landing page leads an organizer to the console, where badges are printed', async () => {
  const page = await openPage(site, '/');
  const organizers = page.getByRole('region', { name: 'Give badges at an event' });
  await organizers.getByRole('link', { name: 'Choose a badge' }).click();
  await page.waitForURL('**/console');
  await page.getByRole('heading', { level: 1, name: 'Sign in to the console' }).waitFor();
});

describe('with one badge more than a page shows', () => {
  beforeAll(async () => {
    const numbers = Array.from({ length: 23 }, (_, index) => index + 2);
    await Promise.all(numbers.map((number) => site.createToken({ headline: `Badge ${number}` })));
    await site.createToken({ headline: 'Badge 25' });
  });

  browserTest('the oldest badge is on the second page', async () => {
    const page = await openPage(site, '/badges');
    await page.getByRole('link', { name: /^Badge 25/ }).waitFor();
    expect(await page.getByRole('link', { name: /^Badge 1\b/ }).count()).toBe(0);
    await expectNoAxeViolations(page);
    await expectNoHorizontalScroll(page);
    await takeScreenshots(page, 'badges');

    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL('**/badges?page=2');
    await page.getByRole('link', { name: /^Badge 1\b/ }).click();
    await page.waitForURL('**/token/1');
  });

  browserTest('the landing page links to all badges', async () => {
    const page = await openPage(site, '/');
    await page.getByRole('link', { name: 'All badges' }).click();
    await page.getByRole('link', { name: /^Badge 25/ }).click();
    await page.waitForURL('**/token/25');
  });
});
