import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();

const PHONE = { viewport: { width: 360, height: 740 } };

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`the table of errors fits a phone, and is accessible in the ${colorScheme} theme`, async () => {
    const page = await openPage(site, '/docs/errors#NoTokensLeft', { ...PHONE, colorScheme });
    await page.getByText('NoTokensLeft', { exact: true }).waitFor();
    await expectNoHorizontalScroll(page);
    await expectNoAxeViolations(page);
    // The text is light in the dark theme.
    const color = await page
      .getByRole('heading', { level: 1 })
      .evaluate((node) => getComputedStyle(node).color);
    expect(color).toBe(colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)');
  });

  browserTest(`the API reference fits a phone, and is accessible in the ${colorScheme} theme`, async () => {
    const page = await openPage(site, '/docs/', { ...PHONE, colorScheme });
    await page.getByRole('heading', { name: 'Badge Token Service' }).waitFor();
    await page.getByText('Create a token', { exact: true }).waitFor();
    await expectNoHorizontalScroll(page);
    await expectNoAxeViolations(page);
    await page.getByText('Create a token', { exact: true }).click();
    await page.getByText('Execute', { exact: true }).waitFor();
    await expectNoHorizontalScroll(page);
    await expectNoAxeViolations(page);
    expect(new URL(page.url()).hash).toBe('#/Tokens/createToken');
  });
}

browserTest.for(['/docs/?x=1', '/docs?x=1'])('the API reference renders at %s', async (path) => {
  const page = await openPage(site, path);
  await page.getByText('Create a token', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});
