import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { site } from './harness/claim-codes.ts';
import { expectAccessible } from './harness/page-checks.ts';

/** Creates a badge with an owner, as an import would have. */
async function importBadge(url: string | null): Promise<{ tokenId: number; owner: string }> {
  const owner = newAddress();
  const tokenId = await site.createToken({ headline: 'Imported' });
  await (await site.badge.airdrop({ tokenId, address: owner })).wait();
  await query(
    site.databaseUrl,
    `update tokens set operation_id = null, signature = null, imported_service = 'poap.example',
       imported_id = token_id::text, imported_url = $2, imported_at = now()
     where token_id = $1`,
    [tokenId, url],
  );
  return { tokenId, owner };
}

const LANGUAGES = [
  ['en', 'Who made it there has not signed it here.', 'Imported by'],
  ['es', 'Quien la hizo allí no la ha firmado aquí.', 'Importada por'],
  ['ar', 'لم يوقّعها هنا من صنعها هناك.', 'استوردها'],
] as const;

browserTest('the page of an imported badge says where it is from, in each language', async () => {
  const { tokenId } = await importBadge('https://poap.example/7');
  for (const [locale, text, importer] of LANGUAGES) {
    const page = await openPage(site, `/token/${tokenId}`, { locale });
    await page.getByText(text).waitFor();
    await page.getByText(importer, { exact: true }).waitFor();
    const link = page.getByRole('link', { name: 'poap.example' });
    expect(await link.getAttribute('href')).toBe('https://poap.example/7');
    expect(await link.getAttribute('rel')).toContain('nofollow');
    await expectAccessible(page);
  }
});

browserTest('without a page there, only the name of the service is shown', async () => {
  const { tokenId } = await importBadge(null);
  const page = await openPage(site, `/token/${tokenId}`);
  await page.getByText('From poap.example on').waitFor();
  expect(await page.getByRole('link', { name: 'poap.example' }).count()).toBe(0);
});

browserTest(
  'an old link leads to the badge, and the check of its credential says where it is from',
  async () => {
    const { tokenId, owner } = await importBadge(null);
    const page = await openPage(site, `/from/demo/poap.example/${tokenId}?owner=${owner}`);
    await page.waitForURL(`**/token/${tokenId}?owner=${owner}`);
    await page.getByRole('heading', { level: 1, name: 'Imported' }).waitFor();
    const claim = await openPage(site, `/from/demo/poap.example/${tokenId}/claim#7K2M-9QPD`);
    await claim.waitForURL(`**/claim/${tokenId}#7K2M-9QPD`);
    const verify = await openPage(
      site,
      `/verify?url=${encodeURIComponent(`${site.url}/token/${tokenId}?owner=${owner}`)}`,
    );
    await verify.getByText('Imported from poap.example on').waitFor();
  },
);

browserTest('an old link of no badge has the page that nothing is there', async () => {
  const page = await openPage(site, '/from/demo/poap.example/nothing');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectAccessible(page);
});
