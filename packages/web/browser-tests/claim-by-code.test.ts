import { expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { checkAndTakeScreenshots, createLink, PHONE, site, waitUntilClaimed } from './harness/claim-codes.ts';
import { openAddressField } from './harness/claim-ways.ts';
import { isInView } from './harness/page-checks.ts';

browserTest('a person on a phone claims with a link and a typed address', async () => {
  const tokenId = await site.createToken({ headline: 'Guest at the summer meeting' });
  const { path, code } = await createLink(tokenId);
  const urls: string[] = [];
  // The listener is added before the claim page is opened, so that it sees all requests. The untested page
  // sends no request to the API, so the count below is right.
  const page = await openPage(site, START_PATH, PHONE);
  // Browsers do not send the fragment of a URL, which contains the code.
  page.on('request', (request) => urls.push(request.url().replace(/#.*/, '')));
  await page.goto(path);
  await page.getByText('Your link is for one badge.').waitFor();
  // Without a wallet, the e-mail comes first. Both ways are in view.
  const submit = page.getByRole('button', { name: 'Send me a code' });
  expect(await isInView(page.getByRole('radio', { name: 'Use my wallet' }))).toBe(true);
  expect(await isInView(submit)).toBe(true);
  await checkAndTakeScreenshots(page, 'claim-code-choose');

  const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
  const field = await openAddressField(page);
  // Typed in groups, as the page writes addresses.
  await field.fill(
    address
      .slice(2)
      .toLowerCase()
      .replaceAll(/(.{4})/g, '$1 '),
  );
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Is this your address?' }).waitFor();
  await page.getByRole('img', { name: address }).waitFor();
  await page.getByText('Only the community can move it to another address later').waitFor();
  await page.getByText('Use somebody else’s only if it is for them.').waitFor();
  await page.getByText('Compare every group').waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-review');
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await waitUntilClaimed(page);
  // The page shows the picture of the badge in one place only, and scrolls smoothly to it.
  const picture = page.getByRole('article').locator('img[src*="/images/"]');
  await expect.poll(() => isInView(picture), { timeout: 20_000 }).toBe(true);
  expect(await isInView(page.getByRole('heading', { name: 'The badge is yours!' }))).toBe(true);
  expect(await isInView(page.getByRole('link', { name: 'My badges' }))).toBe(true);
  // Before the claim it is small, beside the headline.
  expect((await picture.boundingBox())?.width).toBeGreaterThan(280);
  await checkAndTakeScreenshots(page, 'claim-code-done');

  const { data } = await site.badge.listOwners({ tokenId });
  expect(data.map((owner) => owner.address)).toEqual([address]);
  expect(urls.filter((url) => url.includes(code))).toEqual([]);
  // 500 people behind one address share its rate limit, so a claim may send only a few requests.
  expect(urls.filter((url) => url.includes('/v1/')).length).toBeLessThanOrEqual(5);

  await page.reload();
  await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
});
