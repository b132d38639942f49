import { expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();

browserTest.for([
  ['es-MX', 'es', 'ltr', 'Insignias por lo que hace la gente'],
  ['ar-EG', 'ar', 'rtl', 'شارات لما أنجزه الناس'],
  ['fr-FR', 'en', 'ltr', 'Badges for what people did'],
] as const)('a browser in %s gets the page in %s', async ([locale, language, direction, title]) => {
  const page = await openPage(site, '/', { locale });
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const html = page.locator('html');
  expect(await html.getAttribute('lang')).toBe(language);
  expect(await html.getAttribute('dir')).toBe(direction);
  await expectNoAxeViolations(page);
});

browserTest('a chosen language stays after a reload', async () => {
  const page = await openPage(site, '/');
  await page.getByLabel('Language').selectOption('العربية');
  await page.getByRole('heading', { level: 1, name: 'شارات' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'شارات' }).waitFor();
  await page.getByRole('combobox').selectOption('English');
  await page.getByRole('heading', { level: 1, name: 'Badges' }).waitFor();
  expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
});

browserTest(
  'a chosen theme stays after a reload, until the visitor chooses the theme of the system again',
  async () => {
    const page = await openPage(site, '/', { colorScheme: 'light' });
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe(dark);
  },
);

browserTest(
  'the first press of Tab leads to the skip link, which moves the focus to the content',
  async () => {
    const page = await openPage(site, '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    const skipLink = page.getByRole('button', { name: 'Skip to the content' });
    expect(await skipLink.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await skipLink.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  },
);

browserTest.for(['/community/does-not-exist', '/no/such/page'])(
  'the page of something that does not exist links to the home page, which gets the focus: %s',
  async (path) => {
    const page = await openPage(site, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectNoAxeViolations(page);
    await expectNoHorizontalScroll(page);
    await takeScreenshots(page, 'not-found');
    await page.getByRole('link', { name: 'To the home page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Badges for what people did' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  },
);

browserTest('if the script of a page cannot be loaded, the visitor can reload the page', async () => {
  const page = await openPage(site, START_PATH);
  await page.route('**/assets/landing-page-*.js', (route) => route.abort());
  // React logs the error that the page shows. The test must not fail because of it.
  page.context().removeAllListeners('console');
  await page.goto('/');
  await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
  await expectNoAxeViolations(page);
  await page.unroute('**/assets/landing-page-*.js');
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Badges for what people did' }).waitFor();
});

browserTest.for([
  ['/nope', 'There is nothing here'],
  ['/token/abc', 'There is no such badge'],
  ['/token/1/owners', 'There is nothing here'],
  ['/wallet/xyz', 'This is not the address of a wallet'],
  ['/docs/nope', 'There is nothing here'],
] as const)('an unknown address is a page with the status 404: %s', async ([path, title]) => {
  const page = await openPage(site, START_PATH);
  const response = await page.goto(path);
  expect([response?.status(), response?.headers()['content-type']]).toEqual([
    404,
    'text/html; charset=utf-8',
  ]);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const asked = await fetch(`${site.url}${path}`, { headers: { Accept: 'application/json' } });
  expect([asked.status, asked.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
});
