// @module-tag slow
import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll } from './harness/page-checks.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();

/** The rules that the markup of Swagger UI violates. Neither its options nor a stylesheet can change this. */
const SWAGGER_UI_EXCEPTIONS = ['heading-order', 'label', 'nested-interactive', 'region', 'select-name'];

browserTest('the table of errors fits a phone', async () => {
  const page = await openPage(site, '/docs/errors#NoTokensLeft');
  await page.getByText('NoTokensLeft', { exact: true }).waitFor();
  await expectNoHorizontalScroll(page);
  await expectNoAxeViolations(page);
});

browserTest('the API reference fits a phone', async () => {
  const page = await openPage(site, '/docs/');
  await page.getByRole('heading', { name: 'Badge Token Service' }).waitFor();
  await expectNoHorizontalScroll(page);
  await expectNoAxeViolations(page, SWAGGER_UI_EXCEPTIONS);
  await page.getByText('Create a token', { exact: true }).click();
  await page.getByText('Execute', { exact: true }).waitFor();
  await expectNoHorizontalScroll(page);
  await expectNoAxeViolations(page, SWAGGER_UI_EXCEPTIONS);
});

browserTest.for(['/docs/?x=1', '/docs?x=1'])('the API reference renders at %s', async (path) => {
  const page = await openPage(site, path);
  await page.getByText('Create a token', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});
