import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { CommunityToken, Role } from '../../sdk/src/index.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { expectAccessible, isInView } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';
import { createTestWallet } from './harness/wallet.ts';

const site = sharedSite();
const CREATE_CALL = '**/v1/tokens';
let communities = 0;

interface Place {
  communityId: string;
  key: string;
}

/** Creates a community, and a key with this role. */
async function createPlace({
  role = 'editor',
  isManaged = false,
}: {
  role?: Role;
  isManaged?: boolean;
} = {}) {
  communities += 1;
  const communityId = `make-${communities}-${Date.now()}`;
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Meetup' });
  if (isManaged) await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
  return { communityId, key: await createKey(communityId, role) };
}

async function createKey(communityId: string, role: Role): Promise<string> {
  return (await site.operator.createApiKey({ communityId, name: role, role })).apiKey;
}

async function listTokens({ communityId }: Place): Promise<CommunityToken[]> {
  return (await site.badge.listCommunityTokens({ communityId })).data;
}

const submit = (page: Page) => page.getByRole('button', { name: 'Make the badge' });
const correct = (page: Page) => page.getByRole('button', { name: 'Correct it for everybody' });
/** The ways to sign that the form offers. */
const signers = (page: Page) =>
  page
    .getByRole('group', { name: 'Who signs' })
    .getByRole('radio')
    .evaluateAll((radios) => radios.map((radio) => radio.parentElement?.textContent ?? ''));
const preview = (page: Page, headline: string) =>
  page.getByRole('img', { name: `The picture of the badge: ${headline}` });

/** Waits for the page that gives the badge, and returns the badge. */
async function waitUntilMade(page: Page, place: Place) {
  await page.waitForURL('**/console/badges/*/give');
  const tokens = await listTokens(place);
  expect(tokens).toHaveLength(1);
  return await site.badge.getToken({ tokenId: tokens[0]?.tokenId ?? 0 });
}

/** Waits until the service has drawn the picture for this headline. */
async function waitForPreview(page: Page, headline: string): Promise<void> {
  await expect
    .poll(
      () =>
        preview(page, headline).evaluate(
          (image: HTMLImageElement) => image.src.startsWith('blob:') && image.naturalWidth,
        ),
      // The first picture of a process takes seconds on a busy machine.
      { timeout: 30_000 },
    )
    .toBe(1000);
}

browserTest('an organiser without a wallet makes a badge, and a double click makes only one', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key });
  await page.getByLabel('Headline').fill('First meetup');
  await waitForPreview(page, 'First meetup');
  await page.getByRole('radio', { name: 'Gold and black' }).check();
  await page.getByRole('radio', { name: /Your community’s key/ }).check();
  await expectAccessible(page);
  await submit(page).dblclick();
  const token = await waitUntilMade(page, place);
  await page.getByText('The badge “First meetup” is made.').waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Give it' }).waitFor();
  expect(await page.getByText('is made.').count()).toBe(0);
  expect(token).toMatchObject({ headline: 'First meetup', nftTypeId: 'defaultGoldBlack' });
  const { address } = await site.operator.getManagedCreator({ communityId: place.communityId });
  expect(token.createdByAddress).toBe(address);
  expect(token.claimabilityAttributes.totalClaimCount).toBe(100);
});

browserTest('with a wallet, errors stand at their fields, and all fields arrive', async () => {
  const place = await createPlace();
  const wallet = createTestWallet();
  const page = await openConsole(site, '/make', { key: place.key, wallets: [wallet] });
  await submit(page).click();
  await page.getByText('Fill in this field.').waitFor();
  expect(await page.getByLabel('Headline').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel('Headline').fill('x'.repeat(1_001));
  await page.getByText('This is too long: at most 1,000 characters.').waitFor();
  await page.getByLabel('Headline').fill('Speaker');
  await page.getByLabel('Description').fill('For those who spoke.');
  await page.getByLabel('How many people').fill('0');
  await page.getByText('Dates, links and more').click();
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.getByLabel('Link 1', { exact: true }).fill('example.org');
  await page.getByRole('button', { name: 'Add an attribute' }).click();
  const attribute = page.getByRole('group', { name: 'Attribute 1' });
  await attribute.getByLabel('Name').fill('Headline');
  await attribute.getByLabel('Kind').selectOption('number');
  await attribute.getByLabel('Value').fill('five');
  await page.getByRole('group', { name: 'It begins' }).getByLabel('Day').fill('2026-12-02');
  await page.getByRole('group', { name: 'It ends', exact: true }).getByLabel('Day').fill('2026-12-01');
  await page.getByRole('group', { name: 'It can be claimed until' }).getByLabel('Day').fill('2020-01-01');
  await page.getByText('Dates, links and more').click();
  await submit(page).click();
  // The part with the errors opens.
  for (const text of [
    'Enter a whole number of at least 1.',
    'Enter a whole link that begins with https:// or http://.',
    'This name is reserved.',
    'Enter a number.',
    'The end is before the beginning.',
    'This is in the past',
  ]) {
    await page.getByText(text).waitFor();
  }
  await expectAccessible(page);
  await takeScreenshots(page, 'console-make-errors');
  await page.getByLabel('How many people').fill('30');
  await page.getByLabel('Link 1', { exact: true }).fill('https://example.org/talk');
  await attribute.getByLabel('Name').fill('talks');
  await attribute.getByLabel('Value').fill('2.5');
  await page.getByRole('group', { name: 'It ends', exact: true }).getByLabel('Day').fill('2026-12-03');
  await page.getByRole('group', { name: 'It can be claimed until' }).getByLabel('Day').fill('2199-12-31');
  await page.getByText('Something is not right yet').waitFor({ state: 'detached' });

  wallet.rejectNext('eth_signTypedData_v4');
  await submit(page).click();
  await page.getByText('You said no in the wallet.').waitFor();
  await expectAccessible(page);
  expect(await listTokens(place)).toEqual([]);
  await submit(page).click();
  const token = await waitUntilMade(page, place);
  expect(token).toMatchObject({
    headline: 'Speaker',
    description: 'For those who spoke.',
    links: ['https://example.org/talk'],
    customAttributes: [{ fieldName: 'talks', type: 'number', value: 2.5 }],
    startDateTimestamp: Date.UTC(2026, 11, 2),
    endDateTimestamp: Date.UTC(2026, 11, 3),
    createdByAddress: wallet.accounts[0]?.address,
  });
  const { expirationTimestamp, totalClaimCount } = token.claimabilityAttributes;
  expect(expirationTimestamp).toBeGreaterThan(Date.UTC(2199, 11, 31));
  expect(totalClaimCount).toBe(30);
});

browserTest('a test key of the sandbox signs for people on a list, who are added next', async () => {
  const place = await createPlace();
  const page = await openConsole(site, '/make', { key: place.key });
  await page.getByLabel('Headline').fill('Workshop');
  await page.getByRole('radio', { name: 'People on a list' }).check();
  await page.getByText('Next: add them from a spreadsheet').waitFor();
  await page.reload();
  expect(await page.getByLabel('Headline').inputValue()).toBe('Workshop');
  expect(await page.getByRole('radio', { name: 'People on a list' }).isChecked()).toBe(true);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-make-list');
  await page.getByRole('radio', { name: /This browser, without a wallet/ }).check();
  await submit(page).click();
  const { tokenId, createdByAddress } = await waitUntilMade(page, place);
  // The cursor is in the field for the list.
  await page.locator(':focus').and(page.getByLabel('Who gets it')).waitFor();
  await expect.poll(() => isInView(page.getByLabel('Who gets it'))).toBe(true);
  await expectAccessible(page);
  const { data } = await site.operator.listContributors({ tokenId });
  expect(data.map(({ contributor }) => contributor)).toEqual([createdByAddress]);
  const stored = await page.evaluate(() => Object.keys(localStorage));
  expect(stored.filter((name) => name.startsWith('badge.console.draft'))).toEqual([]);

  // Who signed is on the list, and is nobody who gets the badge.
  await page.goto(`/console/badges/${tokenId}`);
  await page.getByText('0 have it').waitFor();
  await page.getByText('Nobody has this badge yet').waitFor();
  await expectAccessible(page);
});

browserTest('a draft of an earlier release, with people, still opens', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '', { key: place.key });
  await page.evaluate(
    ([name = '', draft = '']) => localStorage.setItem(name, draft),
    [
      `badge.console.draft.${place.communityId}`,
      JSON.stringify({
        fields: {
          headline: 'Typed before',
          description: '',
          nftTypeId: 'defaultGoldBlack',
          who: 'list',
          count: '100',
          people: 'Ada;ada@example.org',
          links: [],
          start: { day: '', time: '' },
          end: { day: '', time: '' },
          claimFrom: { day: '', time: '' },
          claimUntil: { day: '', time: '' },
          attributes: [],
        },
        submission: null,
      }),
    ],
  );
  await page.goto('/console/make');
  expect(await page.getByLabel('Headline').inputValue()).toBe('Typed before');
  expect(await page.getByRole('radio', { name: 'People on a list' }).isChecked()).toBe(true);
  await page.getByLabel('Description').fill('Typed now');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('ada@example.org');
  await submit(page).click();
  const { createdByAddress, tokenId, description } = await waitUntilMade(page, place);
  expect(description).toBe('Typed now');
  const { data } = await site.operator.listContributors({ tokenId });
  expect(data.map(({ contributor }) => contributor)).toEqual([createdByAddress]);
});

browserTest('a badge for whoever has a link has only its creator on its list', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key, locale: 'ar' });
  await page.getByLabel('العنوان', { exact: true }).fill('شكرا');
  await waitForArabicPreview(page);
  await page.getByRole('radio', { name: 'كل من لديه رابط' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'إنشاء الشارة' }).click();
  const { tokenId, createdByAddress } = await waitUntilMade(page, place);
  await page.getByRole('textbox').waitFor();
  // Their names come next.
  expect(await page.locator('textarea:focus').count()).toBe(1);
  await page.getByText('من ليس له إلا اسم يحصل على رابط خاص به').waitFor();
  const { data } = await site.operator.listContributors({ tokenId });
  expect(data.map(({ contributor }) => contributor)).toEqual([createdByAddress]);
});

async function waitForArabicPreview(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'صورة الشارة: شكرا' }).and(page.locator('[src^="blob:"]')).waitFor();
}

browserTest('a lost response and a reload make only one badge', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key });
  await page.getByLabel('Headline').fill('Only once');
  const keys: (string | undefined)[] = [];
  // Requests arrive, and their responses are lost.
  await page.route(CREATE_CALL, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    await route.fetch();
    await route.abort();
  });
  await submit(page).click();
  await page.getByText('The badge is not confirmed yet').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-make-unconfirmed');
  expect(await page.getByLabel('Headline').isDisabled()).toBe(true);
  const attempt = page.waitForRequest(CREATE_CALL);
  await page.reload();
  await attempt;
  await page.unroute(CREATE_CALL);
  await waitUntilMade(page, place);
  expect(new Set(keys).size).toBe(1);
});

browserTest('a request of another caller is not sent again', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key });
  await page.getByLabel('Headline').fill('Sent by another key');
  await page.route(CREATE_CALL, (route) => route.abort());
  await submit(page).click();
  await page.getByText('The badge is not confirmed yet').waitFor();
  await page.unroute(CREATE_CALL);
  const otherKey = await createKey(place.communityId, 'owner');
  await page.evaluate((key) => sessionStorage.setItem('badge.console.key', key), otherKey);
  await page.reload();
  await page.getByText('This badge may be made already').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-make-unknown');
  expect(await listTokens(place)).toEqual([]);
  await page.getByRole('button', { name: 'It is not in the list: go on editing' }).click();
  await submit(page).click();
  await waitUntilMade(page, place);
});

browserTest('what the service refuses stands at its field', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key });
  await page.getByLabel('Headline').fill('Refused');
  // As a newer service with stricter rules would respond.
  await page.route(CREATE_CALL, (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        name: 'InvalidRequest',
        status: 400,
        title: 'Invalid',
        detail: '/headline is not nice',
        errors: [{ pointer: '/headline', detail: 'is not nice' }],
      }),
    }),
  );
  await submit(page).click();
  await page.getByText('The service does not accept this: is not nice').waitFor();
  await expect.poll(() => isInView(page.getByLabel('Headline'))).toBe(true);
  await page.unroute(CREATE_CALL);
  await page.getByLabel('Headline').fill('Accepted');
  await submit(page).click();
  await waitUntilMade(page, place);
});

browserTest('a picture is dropped, and becomes the design', async () => {
  const place = await createPlace({ isManaged: true });
  const page = await openConsole(site, '/make', { key: place.key });
  const drop = page.getByRole('group', { name: 'Design' });
  await drop.waitFor();
  await dropFile(page, 'notes.txt', 'text/plain');
  await page.getByText('This file cannot be read as a picture').waitFor();
  await expectAccessible(page);
  const uploads = Promise.withResolvers<void>();
  await page.route('**/nftTypes', async (route) => {
    if (route.request().method() === 'POST') await uploads.promise;
    await route.continue();
  });
  await dropFile(page, 'our logo.png', 'image/png');
  await page.getByText('Uploading …').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-make-upload');
  uploads.resolve();
  await page.getByRole('radio', { name: 'our logo' }).waitFor();
  expect(await page.getByRole('radio', { name: 'our logo' }).isChecked()).toBe(true);
  await page.getByText('Your own picture is shown as it is').waitFor();
  await page.getByLabel('Headline').fill('Our own');
  await submit(page).click();
  expect((await waitUntilMade(page, place)).imageUrl).toMatch(/\.png$/);
});

/** Drops a file with this name and type. Its content is a picture, unless it is a text. */
async function dropFile(page: Page, name: string, type: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    async (file) => {
      const data = new DataTransfer();
      const isText = file.type.startsWith('text/');
      const content = isText ? 'Ada Lovelace' : await (await fetch('/images/logo.png')).blob();
      data.items.add(new File([content], file.name, { type: file.type }));
      return data;
    },
    { name, type },
  );
  await page.getByRole('group', { name: 'Design' }).dispatchEvent('drop', { dataTransfer: transfer });
}

browserTest(
  'a corrected badge takes over everybody, also after the replacement could not be sent',
  async () => {
    const place = await createPlace({ isManaged: true });
    const { communityId } = place;
    const page = await openConsole(site, '/make', { key: place.key });
    await page.getByLabel('Headline').fill('Wrogn');
    await page.getByRole('radio', { name: 'People on a list' }).check();
    const [claimed, waiting] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
    await submit(page).click();
    const { tokenId } = await waitUntilMade(page, place);
    await page.getByLabel('Who gets it').fill(`${claimed}\n${waiting}\nada@example.org`);
    await page.getByRole('button', { name: 'Check the list' }).click();
    await page.getByRole('button', { name: 'Put 2 on the list, make 1 link' }).click();
    await page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
    await (await site.operator.claim({ tokenId, claimingAddress: claimed })).wait();
    const { items } = await site.operator.createClaimLinks({ tokenId, identifiers: ['ada@example.org'] });

    await page.goto(`/console/badges/${tokenId}`);
    await page.getByRole('link', { name: 'Correct it' }).click();
    await page
      .getByText('3 people move to the corrected badge: 1 have it, and 2 can still get it.')
      .waitFor();
    await page.getByText('A link for a room').waitFor({ state: 'detached' });
    await page.getByText(`gates name badge ${tokenId}`).waitFor();
    await page.getByText('Nothing yet. Change a field above.').waitFor();
    expect(await signers(page)).toEqual([expect.stringContaining('Your community’s key')]);
    expect(await correct(page).isDisabled()).toBe(true);
    await page.getByLabel('Headline').fill('Wrong no more');
    await page.getByText('Headline: Wrogn Wrong no more').waitFor();
    await waitForPreview(page, 'Wrong no more');
    await expectAccessible(page);
    await takeScreenshots(page, 'console-make-correction');
    // The replacement cannot be sent at first: the corrected badge is made nevertheless, once.
    await page.route('**/replace', (route) => route.abort());
    await correct(page).click();
    await page.getByText('The corrected badge is made, but nobody has moved to it yet').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-make-unfinished');
    await page.unroute('**/replace');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('The badge is corrected: whoever had the old one has “Wrong no more”').waitFor();
    await page.getByText('1 has it: 1 of the 3 people you gave it to').waitFor();
    await takeScreenshots(page, 'console-badge-corrected');

    const [corrected, ...others] = await listTokens(place);
    expect(others).toEqual([]);
    expect(corrected?.headline).toBe('Wrong no more');
    const newTokenId = corrected?.tokenId ?? 0;
    const { data: people } = await site.operator.listRecipients({ tokenId: newTokenId });
    expect(people.map(({ address, identifier, status }) => [address ?? identifier, status]).sort()).toEqual([
      [claimed, 'claimed'],
      [waiting, 'listed'],
      ['ada@example.org', 'linked'],
    ]);
    const { reasons } = await site.badge.checkClaimCode({ tokenId, claimCode: items[0]?.code ?? '' });
    expect(reasons).toEqual([]);
    const hidden = await site.operator.listCommunityTokens({ communityId, isHidden: true });
    expect(hidden.data.map((token) => token.tokenId)).toEqual([tokenId]);

    await page.goto(`/console/badges/${tokenId}`);
    await page.getByText('This badge was corrected.').waitFor();
    await page.getByText(`Everybody moved to badge ${newTokenId}`).waitFor();
    expect(await page.getByRole('link', { name: 'Give it' }).count()).toBe(0);
    expect(await page.getByRole('table').count()).toBe(0);
    // What was given in this browser moved too. The page of the old badge leads on.
    await page.goto(`/console/badges/${newTokenId}/give`);
    await page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
    await page.goto('/console?hidden');
    await page.getByText(`Everybody moved to badge ${newTokenId}`).waitFor();
    await page.getByRole('link', { name: 'Go to the corrected badge' }).waitFor();
    expect(await page.getByRole('link', { name: 'Give it' }).count()).toBe(0);
    await page.goto(`/console/badges/${tokenId}`);
    await page.getByText('This badge was corrected.').waitFor();
    await expectAccessible(page);
    await page.goto(`/console/make?corrects=${tokenId}`);
    await page.getByRole('link', { name: 'Go to the corrected badge' }).click();
    await page.getByRole('heading', { name: 'Wrong no more' }).waitFor();
  },
);

browserTest('only the key that made a badge is offered for its correction', async () => {
  const { communityId, key } = await createPlace({ isManaged: true });
  const [creator, other] = [newWallet(), newWallet()];
  const fields = { headline: 'By hnad', nftTypeId: 'defaultOrangeRed', totalClaimCount: 10 };
  const creation = await site.operator.createToken({ signer: creator, communityId, ...fields });
  const { tokenId } = await creation.wait();
  const path = `/make?corrects=${tokenId}`;
  const withoutWallet = await openConsole(site, path, { key });
  await withoutWallet.getByLabel('Headline').fill('By hand');
  await withoutWallet.getByText('The key that made this badge must sign, and it is not in this').waitFor();
  expect(await signers(withoutWallet)).toEqual([]);
  expect(await correct(withoutWallet).isDisabled()).toBe(true);
  await expectAccessible(withoutWallet);

  const wallet = createTestWallet({ name: 'Wallet', accounts: [other, creator] });
  const page = await openConsole(site, path, { key, wallets: [wallet] });
  await page.getByLabel('Headline').fill('By hand');
  expect(await signers(page)).toEqual([expect.stringContaining('Wallet')]);
  await correct(page).click();
  await page.getByText('Another account made this badge. Sign with that account').waitFor();
  expect(wallet.methods).not.toContain('eth_signTypedData_v4');
  await wallet.selectAccount(creator);
  await correct(page).click();
  await page.getByText('The badge is corrected: whoever had the old one has “By hand”').waitFor();
});

browserTest('viewers and issuers see no button to make or to correct a badge', async () => {
  const place = await createPlace({ isManaged: true });
  const made = await openConsole(site, '/make', { key: place.key });
  await made.getByLabel('Headline').fill('To look at');
  await submit(made).click();
  const { tokenId } = await waitUntilMade(made, place);
  for (const role of ['viewer', 'issuer'] as const) {
    const key = await createKey(place.communityId, role);
    const page = await openConsole(site, `/badges/${tokenId}`, { key });
    await page.getByRole('heading', { name: 'To look at' }).waitFor();
    await page.getByRole('link', { name: 'Public page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Correct it' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Make a badge' }).count()).toBe(0);
    await page.goto('/console/make');
    await page.getByText('You cannot make badges').waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, 'console-make-not-allowed');
    expect(await submit(page).count()).toBe(0);
  }
});
