import { newAddress, newWallet } from '@badge/test-support/signing';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { checkAndTakeScreenshots, createLink, PHONE, site, waitUntilClaimed } from './harness/claim-codes.ts';
import { openAddressField } from './harness/claim-ways.ts';
import { clickAndReadCopy, expectNoAxeViolations, isInView, shortenAddress } from './harness/page-checks.ts';
import { createTestWallet } from './harness/wallet.ts';

const UNKNOWN_CODE = '0'.repeat(26);

browserTest('a wrong address is explained, and can be corrected', async () => {
  const { path } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  // A fixed address. In one of 2,000 random addresses, `withWrongChecksum` leaves all letters in one case.
  // Such an address has no checksum, so the page would accept it.
  const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
  const field = await openAddressField(page);
  await page
    .getByText('It begins with 0x and has 42 characters. It is not an e-mail or postal address.')
    .waitFor();
  for (const [text, problem] of [
    ['', 'Enter an address.'],
    ['ada.eth', 'A name such as alice.eth does not work here.'],
    ['ada@example.org', 'This is an e-mail address.'],
    [shortenAddress(address), 'This address is shortened.'],
    [`0x${'0'.repeat(40)}`, 'This address has only zeros'],
    ['ada', 'This is not an address.'],
    [address.slice(0, -1), 'You entered 41:'],
    [`${address.slice(0, -1)}g`, 'An address contains only digits and letters from a to f.'],
    [withWrongChecksum(address), 'Copy it again from your wallet.'],
  ] as const) {
    await field.fill(text);
    // A click could miss the button: it moves when the previous message disappears, and when the page scrolls
    // to it.
    await field.press('Enter');
    await page.getByRole('alert').filter({ hasText: problem }).waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await page
    .getByRole('alert')
    .getByRole('img', { name: withWrongChecksum(address) })
    .waitFor();
  await checkAndTakeScreenshots(page, 'claim-wrong-address');
  await field.fill(address);
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Is this your address?' }).waitFor();
});

browserTest('a person who opens the link again is told that the badge is no longer theirs', async () => {
  const owner = newWallet();
  const address = owner.address;
  const tokenId = await site.createToken();
  const { path } = await createLink(tokenId);
  const page = await openPage(site, path, PHONE);
  await claimForAddress(page, address);
  await waitUntilClaimed(page);
  const hasBadge = page.getByText('You have already claimed this badge');

  await (await site.badge.revoke({ tokenId, address, reason: 'a reason' })).wait();
  await page.reload();
  await page.getByRole('heading', { name: 'This badge was revoked' }).waitFor();
  expect(await hasBadge.count()).toBe(0);
  // The link is used, so no other account can claim with it.
  expect(await page.getByRole('button', { name: 'Use another account' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'My badges' }).getAttribute('href')).toContain('/wallet/0x');
  await checkAndTakeScreenshots(page, 'claim-code-revoked');

  await (await site.badge.reinstate({ tokenId, address, reason: 'a reason' })).wait();
  await page.reload();
  await hasBadge.first().waitFor();

  await (await site.badge.burn({ tokenId, signer: owner })).wait();
  await page.reload();
  await page.getByRole('heading', { name: 'This badge was given up' }).waitFor();
  expect(await hasBadge.count()).toBe(0);
});

browserTest('a person who opens the link again is told that the badge was moved', async () => {
  const address = newAddress();
  const tokenId = await site.createToken();
  const { path } = await createLink(tokenId);
  const page = await openPage(site, path, PHONE);
  await claimForAddress(page, address);
  await waitUntilClaimed(page);
  await (await site.badge.move({ tokenId, address, toAddress: newAddress(), reason: 'a reason' })).wait();
  await page.reload();
  await page.getByRole('heading', { name: 'This badge was moved' }).waitFor();
  expect(await page.getByText('You have already claimed this badge').count()).toBe(0);
});

browserTest('with a code, a connected wallet signs nothing, whatever its chain is', async () => {
  const { path } = await createLink(await site.createToken());
  const wallet = createTestWallet({ chainId: 1 });
  const page = await openPage(site, path, { wallets: [wallet] });
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await waitUntilClaimed(page);
  expect(wallet.methods).not.toContain('eth_signTypedData_v4');
});

browserTest('a token that requires a signature requires it with a code too', async () => {
  const { path } = await createLink(await site.createToken({ isSignatureRequired: true }));
  const wallet = createTestWallet({ chainId: 80001 });
  const page = await openPage(site, path, { wallets: [wallet] });
  await page.getByText('You also need a wallet').waitFor();
  await page.getByText('the community wants each owner to sign for it').waitFor();
  expect(await page.getByLabel('Address of your wallet').count()).toBe(0);
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await waitUntilClaimed(page);
});

browserTest('a person whose e-mail is on the list claims with the code for this e-mail', async () => {
  const tokenId = await site.createToken({ contributors: ['ada@example.org'] });
  const { items } = await site.badge.createClaimLinks({ tokenId, identifiers: ['ada@example.org'] });
  const page = await openPage(site, `/claim/${tokenId}#${items[0]?.code}`, PHONE);
  await claimForAddress(page, newAddress());
  await waitUntilClaimed(page);
});

browserTest('a person types a code, and the page says if it is too short or too long', async () => {
  const tokenId = await site.createToken();
  const { code } = await createLink(tokenId);
  const page = await openPage(site, `/claim/${tokenId}`, PHONE);
  await page.getByText('I have a code').click();
  await page.getByLabel('Code or link').fill('no codes');
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByText('This is not a complete code.').waitFor();
  await page.getByText('This code has only 7 characters instead of 26 or 8.').waitFor();
  await page.getByLabel('Code or link').fill(`${code}0`);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByText('This code has 27 characters instead of 26 or 8.').waitFor();
  await page.getByLabel('Code or link').fill(` ${code.toLowerCase().replace(/(.{4})/g, '$1-')}`);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await claimForAddress(page, newAddress());
  await waitUntilClaimed(page);
});

browserTest('a person is told that the code was used', async () => {
  const tokenId = await site.createToken();
  const { path, code } = await createLink(tokenId);
  await (await site.badge.claim({ tokenId, claimingAddress: newAddress(), claimCode: code })).wait();
  const page = await openPage(site, path, PHONE);
  await page.getByRole('heading', { name: 'This link was already used' }).waitFor();
  expect(await page.getByText('already used').count()).toBe(1);
  await page.getByText(/If not, ask the organizers \(.*Demo.*\) for a new link\./).waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-used');
  const findBadges = page.getByRole('link', { name: 'Find my badges' });
  expect(await findBadges.getAttribute('href')).toBe('/#your-badges');
  expect(await page.getByLabel('Code or link').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Claim with a wallet' }).click();
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
  expect(new URL(page.url()).hash).toBe('');
});

browserTest(
  'a person is told that the code was used while they read the page',

  async () => {
    const tokenId = await site.createToken();
    const { path, code } = await createLink(tokenId);
    const page = await openPage(site, path, PHONE);
    await openAddressField(page);
    await (await site.badge.claim({ tokenId, claimingAddress: newAddress(), claimCode: code })).wait();
    await claimForAddress(page, newAddress());
    await page.getByText('This link was already used').waitFor();
  },
);

browserTest('a person is told that the link is no longer valid', async () => {
  const tokenId = await site.createToken();
  const { items } = await site.badge.createClaimLinks({ tokenId, count: 1 });
  const [link] = items;
  const code = link?.code ?? '';
  await site.badge.revokeClaimLink({ tokenId, claimLinkId: link?.claimLinkId ?? '' });
  const page = await openPage(site, `/claim/${tokenId}#${code}`, PHONE);
  await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  await page.getByText(/[Aa]sk the organizers \(.*Demo.*\) for a new link\./).waitFor();
  const withWallet = page.getByRole('button', { name: 'Claim with a wallet' });
  await withWallet.waitFor();
  expect(await page.getByLabel('Code or link').isVisible()).toBe(false);
  await checkAndTakeScreenshots(page, 'claim-link-invalid');
  await page.getByText('I have another code').click();
  // Neither button is the main action: what helps most is to ask.
  expect(await readBackground(withWallet)).toBe(
    await readBackground(page.getByRole('button', { name: 'Use the code' })),
  );
  await page.getByLabel('Code or link').fill(code);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByText('The service has just refused this code.').waitFor();
});

browserTest('a person who has typed a code that is not valid can correct it', async () => {
  const tokenId = await site.createToken();
  const { code } = await createLink(tokenId);
  const page = await openPage(site, `/claim/${tokenId}`, PHONE);
  await page.getByText('I have a code').click();
  await page.getByLabel('Code or link').fill(UNKNOWN_CODE);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByRole('heading', { name: 'This code is not valid' }).waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-invalid');
  await page.reload();
  await page.getByText('Check it for typing mistakes.').waitFor();
  await page.getByLabel('Code or link').fill(code);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await claimForAddress(page, newAddress());
  await waitUntilClaimed(page);
});

browserTest('a person is told how much of the code in the link is missing', async () => {
  const page = await openPage(site, `/claim/${await site.createToken()}#0123`, PHONE);
  await page.getByRole('heading', { name: 'This link has no complete code' }).waitFor();
  await page.getByText('This code has only 4 characters instead of 26 or 8.').waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-incomplete');
});

browserTest('people in a room claim with a short code, and are told why it does not work', async () => {
  const creator = newWallet();
  const tokenId = await site.createToken({ signer: creator, contributors: ['ada'] });
  const { items } = await site.badge.createClaimLinks({
    tokenId,
    maxClaims: 2,
    startsAtTimestamp: Date.now() + 1_800_000,
    expiresAtTimestamp: Date.now() + 3_600_000,
    signer: creator,
  });
  const { code, claimLinkId } = items[0] ?? { code: '', claimLinkId: '' };
  const change = (fields: object) => site.badge.updateClaimLink({ tokenId, claimLinkId, ...fields });
  const path = `/claim/${tokenId}#${code}`;
  const open = () => openPage(site, path, PHONE);

  const early = await open();
  await early.getByRole('heading', { name: 'This code does not work yet' }).waitFor();
  await change({ startsAtTimestamp: null, isPaused: true });
  await early.getByRole('button', { name: 'Try again' }).click();
  await early.getByRole('heading', { name: 'This code is paused' }).waitFor();
  await expectNoAxeViolations(early);
  await change({ isPaused: false });

  // Typed without the hyphen, in lower case.
  const typing = await openPage(site, `/claim/${tokenId}`, PHONE);
  const field = typing.getByLabel('Code or link');
  await field.waitFor();
  expect(await isInView(field)).toBe(true);
  await checkAndTakeScreenshots(typing, 'claim-code-first');
  await field.fill(code.replace('-', '').toLowerCase());
  await typing.getByRole('button', { name: 'Use the code' }).click();
  await claimForAddress(typing, newAddress());
  await waitUntilClaimed(typing);

  const opened = await open();
  await claimForAddress(opened, newAddress());
  await waitUntilClaimed(opened);

  const late = await open();
  await late.getByRole('heading', { name: 'All badges of this code are taken' }).waitFor();
  await late.getByText(/[Aa]sk the organizers \(.*Demo.*\) for a new link\./).waitFor();
});

browserTest('for a badge with a list, the keyboard reaches the code first, then the wallet', async () => {
  const tokenId = await site.createToken({ contributors: ['ada'] });
  const page = await openPage(site, `/claim/${tokenId}`, { ...PHONE, wallets: [createTestWallet()] });
  const wallet = page.getByRole('button', { name: 'Continue with Test Wallet' });
  await wallet.waitFor();
  await page.getByText('Without a code, use the e-mail or the wallet that is on the list.').waitFor();
  await page.getByText('You need the wallet whose address is on the list').waitFor();
  const field = page.getByLabel('Code or link');
  expect(await isInView(field)).toBe(true);
  await checkAndTakeScreenshots(page, 'claim-code-first-wallet');
  await field.focus();
  const way = page.getByRole('radio', { name: 'Use my wallet' });
  for (const next of [page.getByRole('button', { name: 'Use the code' }), way, wallet]) {
    await page.keyboard.press('Tab');
    expect(await next.evaluate((element) => element === document.activeElement)).toBe(true);
  }
});

browserTest('for an open badge, the wallet comes first', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, `/claim/${tokenId}`, { ...PHONE, wallets: [createTestWallet()] });
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).waitFor();
  await page.getByText('I have a code').waitFor();
  expect(await page.getByLabel('Code or link').isVisible()).toBe(false);
});

browserTest('a code does not help when no badge is left', async () => {
  const tokenId = await site.createToken({ totalClaimCount: 1 });
  const { path } = await createLink(tokenId);
  await (await site.badge.claim({ tokenId, claimingAddress: newAddress() })).wait();
  const page = await openPage(site, path, PHONE);
  await page.getByText('All badges are taken').waitFor();
});

browserTest('a claim for an address that has the badge leaves the code unused', async () => {
  const tokenId = await site.createToken();
  const { path, code } = await createLink(tokenId);
  const address = newAddress();
  await (await site.badge.claim({ tokenId, claimingAddress: address })).wait();
  const page = await openPage(site, path, PHONE);
  await claimForAddress(page, address);
  await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
  await page.getByText('Your link was not used. You can give it to someone else.').waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-unused');
  expect(await site.badge.checkClaimCode({ tokenId, claimCode: code })).toMatchObject({ canClaim: true });
  await page.getByRole('button', { name: 'Claim for another address' }).click();
  await claimForAddress(page, newAddress());
  await waitUntilClaimed(page);
});

browserTest(
  'if the address claims with the link in the meantime, the page does not call the link unused',
  async () => {
    const tokenId = await site.createToken();
    const { path, code } = await createLink(tokenId);
    const address = newAddress();
    const page = await openPage(site, path, PHONE);
    await enterAddress(page, address);
    await page.getByRole('heading', { name: 'Is this your address?' }).waitFor();
    await (await site.badge.claim({ tokenId, claimingAddress: address, claimCode: code })).wait();
    await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
    await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
    expect(await page.getByText('Your link was not used.').count()).toBe(0);
  },
);

browserTest('the address of the last claim is offered for the next link, and to find badges', async () => {
  const address = newAddress();
  const firstTokenId = await site.createToken();
  const page = await openPage(site, (await createLink(firstTokenId)).path, PHONE);
  await claimForAddress(page, address);
  await waitUntilClaimed(page);

  // Another link for the same badge.
  const useAddress = page.getByRole('button', { name: `Use my address ${shortenAddress(address)}` });
  await page.goto((await createLink(firstTokenId)).path);
  await useAddress.click();
  await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
  await page.getByText('Your link was not used.').waitFor();

  const tokenId = await site.createToken();
  await page.goto((await createLink(tokenId)).path);
  await useAddress.waitFor();
  await page.getByLabel('Or another address').waitFor();
  await checkAndTakeScreenshots(page, 'claim-code-last-address');
  await useAddress.click();
  await page.getByRole('img', { name: address }).waitFor();
  await page.getByText('You have used this address in this browser before.').waitFor();
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
  await waitUntilClaimed(page);
  expect((await site.badge.listOwners({ tokenId })).data).toMatchObject([{ address }]);

  await page.goto('/#your-badges');
  await useAddress.click();
  await page.waitForURL(`**/wallet/${address}`);
});

/** What the browser stores that has to do with an address. */
async function readStoredNames(page: Page): Promise<string[]> {
  const names = await page.evaluate(() => Object.keys(localStorage));
  return names.filter((name) => /^badge\.(address|claim|claimer|wallet)/.test(name));
}

browserTest('on a shared phone, a person makes the browser forget their address after a claim', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, (await createLink(tokenId)).path, PHONE);
  const forget = page.getByRole('button', { name: 'Forget my address' });
  await claimForAddress(page, newAddress());
  await waitUntilClaimed(page);
  await page.getByText('Do others use this device too?').waitFor();
  expect((await readStoredNames(page)).length).toBeGreaterThan(2);
  await forget.click();
  const forgotten = page.getByText('This browser has forgotten your address.');
  await forgotten.waitFor();
  expect(await forgotten.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await readStoredNames(page)).toEqual([]);
  await expectNoAxeViolations(page);
  // Neither the same link nor the page of the badge nor the next link shows the address to the next person.
  await page.reload();
  await page.getByRole('heading', { name: 'This link was already used' }).waitFor();
  await page.goto(`/token/${tokenId}`);
  await page.getByRole('link', { name: 'Claim this badge' }).waitFor();
  await page.goto((await createLink(tokenId)).path);
  await openAddressField(page);
  expect(await page.getByText('Use my address').count()).toBe(0);
  expect(await forget.count()).toBe(0);
});

browserTest(
  'the claim page, the landing page and the page of the wallet can forget the address',
  async () => {
    const address = newAddress();
    const page = await openPage(site, START_PATH, PHONE);
    const { path } = await createLink(await site.createToken());
    for (const place of [path, '/', `/wallet/${address}`]) {
      await page.evaluate((value) => localStorage.setItem('badge.address', value), address);
      await page.goto(place);
      const forget = page.getByRole('button', { name: 'Forget my address' });
      await forget.waitFor();
      await checkAndTakeScreenshots(page, `forget-${place.split('/')[1] || 'landing'}`);
      await forget.click();
      await page.getByText('This browser has forgotten your address.').waitFor();
      expect(await readStoredNames(page)).toEqual([]);
      if (place === '/') expect(await page.getByText('Your badges:').count()).toBe(0);
    }
    // The page of another wallet has nothing to forget.
    await page.evaluate((value) => localStorage.setItem('badge.address', value), address);
    await page.goto(`/wallet/${newAddress()}`);
    await page.getByText('No badges yet').waitFor();
    expect(await page.getByRole('button', { name: 'Forget my address' }).count()).toBe(0);
  },
);

browserTest('a private key that is pasted as address is removed from the page at once', async () => {
  const { path } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  const key = newWallet().privateKey;
  const field = await openAddressField(page);
  await field.fill(key);
  await page.getByRole('alert').filter({ hasText: 'This looks like a private key' }).waitFor();
  expect(await field.inputValue()).toBe('');
  expect(await page.content()).not.toContain(key.slice(2, 10));
  await checkAndTakeScreenshots(page, 'claim-private-key');

  // A private key with a typing mistake is not recognized. The message must not repeat it either.
  await field.fill(key.replace(/.{10}$/, '!'));
  await field.press('Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'An address contains only digits' });
  await alert.waitFor();
  expect(await alert.textContent()).not.toContain(key.slice(2, 6));
});

browserTest.each([
  ['split over two lines', (address: string) => `${address.slice(0, 21)}\n${address.slice(21)}\n`],
  ['in a message', (address: string) => `Hi Ana, here is your address:\n${address}\nBest,\nBob`],
])('an address can be pasted %s', async (_where, write) => {
  const { path } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  const address = newAddress();
  const field = await openAddressField(page);
  await field.fill(write(address));
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Is this your address?' }).waitFor();
  await page.getByRole('img', { name: address }).waitFor();
});

browserTest('the link of another badge, pasted into the field for a code, opens that badge', async () => {
  const [here, other] = [await site.createToken(), await site.createToken({ headline: 'Another badge' })];
  const { path } = await createLink(other);
  const page = await openPage(site, `/claim/${here}`, PHONE);
  await page.getByText('I have a code').click();
  await page.getByLabel('Code or link').fill(`Hi Ana, your badge:\n${site.url}${path}\nIt works once.`);
  await page.getByRole('button', { name: 'Use the code' }).click();
  await page.getByRole('heading', { name: 'Another badge' }).waitFor();
  await page.getByText('Your link is for one badge.').waitFor();
});

browserTest('from a pasted text with several addresses, none is chosen', async () => {
  const { path } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  const field = await openAddressField(page);
  await field.fill(`Ana: ${newAddress()}\nTom: ${newAddress()}`);
  await field.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'This text has more than one address.' }).waitFor();
});

browserTest('a phone without a wallet opens the page in a wallet app, with the code', async () => {
  const { path, code } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  await openAddressField(page);
  await page.getByText('Open in your wallet app').click();
  const links = page.getByRole('link', { name: /^Open in/ });
  const urls = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  expect(urls.map((url) => new URL(url).protocol)).toEqual(['https:', 'cbwallet:', 'trust:']);
  const heights = await links.evaluateAll((all) => all.map((link) => link.clientHeight));
  expect(new Set(heights).size, 'each name is on one line').toBe(1);
  for (const url of urls) expect(decodeURIComponent(url)).toContain(`${path.split('#')[0]}#${code}`);
  await page.getByText('I have no wallet yet').click();
  await page.getByText('A wallet is a free app').waitFor();
  await checkAndTakeScreenshots(page, 'claim-wallet-apps');
});

browserTest('a person without a wallet keeps the link, with its code, for later', async () => {
  const { path } = await createLink(await site.createToken());
  const page = await openPage(site, path, PHONE);
  const keep = page.getByRole('button', { name: 'Keep this link' });
  await openAddressField(page);
  await page.getByText('I have no wallet yet').click();
  await page.getByText('Send it only to yourself: whoever has it can claim this badge.').waitFor();
  const copied = page.getByRole('button', { name: 'Link copied' });
  expect(await clickAndReadCopy(keep, copied)).toBe(`${site.url}${path}`);
  await expectNoAxeViolations(page);
  // A phone opens its share sheet instead.
  await copied.waitFor({ state: 'detached' });
  await page.evaluate(() => {
    navigator.share = async ({ url }: ShareData = {}) => {
      document.body.dataset.shared = url;
    };
  });
  await keep.click();
  await page.locator(`body[data-shared="${site.url}${path}"]`).waitFor();
});

browserTest.each([
  ['without a code', false, 'If somebody gave you a code, you can claim with it instead.'],
  ['with a code for a badge that requires a signature', true, 'No wallet was found in this browser.'],
])(
  'on a phone without a wallet, %s, the page says how to get a wallet',
  async (_case, isSignatureRequired, text) => {
    const tokenId = await site.createToken({ isSignatureRequired });
    const { path } = isSignatureRequired ? await createLink(tokenId) : { path: `/claim/${tokenId}` };
    const page = await openPage(site, path, PHONE);
    if (!isSignatureRequired) await openAddressField(page);
    await page.getByText(text).waitFor();
    await page.getByText('A wallet is a free app').waitFor();
    await page.getByRole('link', { name: 'How to get a wallet' }).waitFor();
    await page.getByRole('button', { name: 'Keep this link' }).waitFor();
    expect(await page.getByRole('link', { name: /^Open in/ }).count()).toBe(3);
    expect(await page.getByLabel('Address of your wallet').count()).toBe(0);
    await checkAndTakeScreenshots(page, `claim-no-wallet-${isSignatureRequired ? 'signature' : 'open'}`);
  },
);

browserTest('on a computer without a wallet, the page says how to get one', async () => {
  const page = await openPage(site, `/claim/${await site.createToken()}`);
  await openAddressField(page);
  await page.getByText('Install a wallet as an extension of this browser').waitFor();
  await page.getByText('A wallet is a free app').waitFor();
  await checkAndTakeScreenshots(page, 'claim-no-wallet-computer');
});

browserTest(
  'if the badge requires a signature, a person without a wallet learns that a code would not be enough',
  async () => {
    const tokenId = await site.createToken({ isSignatureRequired: true });
    const page = await openPage(site, `/claim/${tokenId}`, PHONE);
    await page.getByText('the community wants each owner to sign for it').waitFor();
    await page.getByText('open this page where you have a wallet, or get a wallet first').waitFor();
    await page.getByRole('link', { name: 'How to get a wallet' }).waitFor();
    expect(await page.getByText('I have a code').count()).toBe(0);
    await checkAndTakeScreenshots(page, 'claim-no-wallet-no-code-signature');
  },
);

async function readBackground(button: Locator): Promise<string> {
  return await button.evaluate((element) => getComputedStyle(element).backgroundColor);
}

async function enterAddress(page: Page, address: string): Promise<void> {
  await (await openAddressField(page)).fill(address);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function claimForAddress(page: Page, address: string): Promise<void> {
  await enterAddress(page, address);
  await page.getByRole('button', { name: 'Yes, claim the badge' }).click();
}

/** The same address with another case of one letter, so that its checksum is wrong. */
function withWrongChecksum(address: string): string {
  return address.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
