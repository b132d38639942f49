import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { createLink, site, waitUntilClaimed } from './harness/claim-codes.ts';
import { openAddressField } from './harness/claim-ways.ts';
import { openConsole } from './harness/console.ts';
import { finished, saveResult } from './harness/give-fixture.ts';
import { expectAccessible } from './harness/page-checks.ts';

/** Creates a badge with an owner, and a link, and replaces it by a corrected one. */
async function replaceBadge() {
  const signer = newWallet();
  const owner = newAddress();
  const tokenId = await site.createToken({ signer, headline: 'Speeker' });
  const { path } = await createLink(tokenId);
  await (await site.badge.airdrop({ tokenId, address: owner })).wait();
  const replacementTokenId = await site.createToken({ signer, headline: 'Speaker' });
  await (await site.badge.replaceToken({ tokenId, replacementTokenId })).wait();
  return { tokenId, replacementTokenId, owner, path };
}

const LANGUAGES = [
  ['en', 'This badge was replaced by Speaker', 'has the corrected badge', 'Show the new badge'],
  ['es', 'Esta insignia fue sustituida por Speaker', 'tiene la insignia corregida', 'Ver la insignia nueva'],
  ['ar', 'حلّت محل هذه الشارة Speaker', 'الشارة المصححة', 'عرض الشارة الجديدة'],
] as const;

browserTest('the page of a replaced badge leads to the corrected one, in each language', async () => {
  const { tokenId, replacementTokenId, owner } = await replaceBadge();
  for (const [language, text, ownerText, link] of LANGUAGES) {
    const page = await openPage(site, `/token/${tokenId}?owner=${owner}`, { locale: language });
    await page.getByText(text).waitFor();
    await page.getByText(ownerText).waitFor();
    // It can be claimed no more.
    expect(await page.locator(`a[href="/claim/${tokenId}"]`).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: link }).click();
    await page.waitForURL(`**/token/${replacementTokenId}?owner=${owner}`);
    await page.getByRole('heading', { level: 1, name: 'Speaker' }).waitFor();
  }
});

browserTest('a link that was made for a replaced badge gives the corrected one', async () => {
  const { replacementTokenId, path, owner } = await replaceBadge();
  const page = await openPage(site, path);
  await page.waitForURL(`**/claim/${replacementTokenId}#*`);
  await page.getByText('Your link is for one badge.').waitFor();
  const claimer = newAddress();
  const field = await openAddressField(page);
  await field.fill(claimer);
  await field.press('Enter');
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await waitUntilClaimed(page);
  const { data } = await site.badge.listOwners({ tokenId: replacementTokenId });
  expect(data.map(({ address }) => address).sort()).toEqual([owner, claimer].sort());
});

browserTest('a correction during an event keeps the projector, and the links that were made', async () => {
  const signer = newWallet();
  const creator = signer.address;
  const listed = [creator, 'ada@example.org'];
  const tokenId = await site.createToken({ signer, headline: 'Communty', contributors: listed });
  const expiresAtTimestamp = Date.now() + 3_600_000;
  const room = { tokenId, maxClaims: 5, expiresAtTimestamp, signer };
  const [link] = (await site.badge.createClaimLinks(room)).items;
  if (link === undefined) throw new Error('no link');
  const page = await openConsole(site, `/badges/${tokenId}/give`);
  await page.getByRole('button', { name: 'Make 1 link …' }).click();
  await page.getByRole('button', { name: 'Make 1 link', exact: true }).click();
  await finished(page);
  const projector = await page.context().newPage();
  await projector.goto(`/console/badges/${tokenId}/room/${link.claimLinkId}#${link.code}`);
  await projector.getByText('0 of 5 claimed').waitFor();

  const replacementTokenId = await site.createToken({
    signer,
    headline: 'Community',
    contributors: [creator],
  });
  await (await site.badge.replaceToken({ tokenId, replacementTokenId })).wait();
  const claim = { tokenId: replacementTokenId, claimingAddress: newAddress(), claimCode: link.code };
  await (await site.badge.claim(claim)).wait();
  // The open page goes on with the corrected badge. A reload of it, and its first address, show it too.
  const isShown = async () => {
    await projector.getByRole('heading', { name: 'Community' }).waitFor();
    await projector.getByText(link.code, { exact: true }).waitFor();
    await projector.getByText('1 of 5 claimed').waitFor();
  };
  await isShown();
  await projector.reload();
  await isShown();
  await projector.goto(`/console/badges/${tokenId}/room/${link.claimLinkId}#${link.code}`);
  await projector.waitForURL(`**/badges/${replacementTokenId}/room/*`);
  await isShown();

  await page.goto(`/console/badges/${tokenId}/give`);
  await page.getByRole('link', { name: 'Go to the corrected badge' }).click();
  await finished(page);
  const [row] = await saveResult(page);
  expect(row?.[3]).toContain('#');
});
