import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { startSite } from './harness/site.ts';

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

browserTest('the link of the sandbox signs in, and the key stays in this tab only', async () => {
  const page = await openPage(site, `/console#key=${site.apiKey}`);
  await page.getByRole('heading', { level: 1, name: 'Badges' }).waitFor();
  expect(page.url()).toBe(`${site.url}/console`);
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Badges' }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(site.apiKey);

  const otherTab = await page.context().newPage();
  await otherTab.goto('/console');
  await otherTab.getByRole('heading', { level: 1, name: 'Sign in to the console' }).waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await expectNoAxeViolations(page);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Sign in to the console' }).waitFor();
});
