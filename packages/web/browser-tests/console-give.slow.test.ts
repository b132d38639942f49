import { newAddress, newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createBadgeClient } from '../../sdk/src/index.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { A, FIRST, finished, giveFixture, pasteList, saveResult, site } from './harness/give-fixture.ts';
import { expectAccessible, isInView } from './harness/page-checks.ts';
import { readQrCodes } from './harness/read-qr-codes.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { makeSpreadsheet, makeWorkbook } from './harness/spreadsheet.ts';
import { createTestWallet } from './harness/wallet.ts';

const fixture = giveFixture();
const { createManaged } = fixture;

const SANDBOX_CHAIN_ID = 80001;

async function createOpen(headline: string, totalClaimCount: number): Promise<number> {
  const client = createBadgeClient({ url: site.url, apiKey: site.adminKey });
  const token = {
    communityId: fixture.communityId,
    headline,
    nftTypeId: 'defaultBlueGreen',
    totalClaimCount,
  };
  return (await (await client.createToken({ signer: newWallet(), ...token })).wait()).tokenId;
}

browserTest('people on the list who have no link get theirs, without their list', async () => {
  const tokenId = await createManaged('Corrected');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  await page.getByText('Next: make 1 link for the person on the list who has none').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Make 1 link …' }).click();
  await page.getByRole('button', { name: 'Make 1 link', exact: true }).click();
  await finished(page);
  const [row] = await saveResult(page);
  expect(row?.slice(1, 4)).toEqual([FIRST, '', expect.stringMatching(`${site.url}/claim/${tokenId}#`)]);
  await page.getByRole('button', { name: 'Give it to others' }).click();
  await pasteList(page, FIRST);
  await page.getByRole('cell', { name: 'Has a link already' }).waitFor();
});

browserTest('a list that is not given yet is not lost by a link of the console', async () => {
  const tokenId = await createManaged('Not given yet');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  await pasteList(page, FIRST);
  const badges = page.getByRole('navigation').getByRole('link', { name: 'Badges' });
  page.once('dialog', (dialog) => dialog.dismiss());
  await badges.click();
  expect(new URL(page.url()).pathname).toBe(`/console/badges/${tokenId}/give`);
  page.once('dialog', (dialog) => {
    expect(dialog.message()).toContain('not saved');
    return dialog.accept();
  });
  await badges.click();
  await page.getByRole('heading', { level: 1, name: 'Badges' }).waitFor();
});

browserTest('every step can be read by everybody, and used with the keyboard', async () => {
  const tokenId = await createManaged('For everybody');
  const page = await openConsole(site, `/badges/${tokenId}`, { key: fixture.key });
  await page.getByRole('link', { name: 'Give it' }).click();
  await page.getByRole('button', { name: 'Check the list' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This list is empty.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'give-input');

  const people = [
    'Name,E-mail,Wallet',
    'Ada Lovelace,ada@example.org,',
    `Grace,,${A}`,
    'Eve,eve@example,',
    'X,x@example.org,0x123',
    `,,${A}`,
  ];
  await page.getByLabel('Who gets it').fill(people.join('\n'));
  await page.getByRole('button', { name: 'Check the list' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('2 are wrong').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'give-wrong');
  // A good e-mail beside a wrong address is offered.
  await page.getByRole('button', { name: 'Use x@example.org in line 5' }).click();
  await page.getByRole('button', { name: 'Put 1 on the list, make 2 links' }).waitFor();
  await page.getByLabel('Address or e-mail in line 5').press('Control+A');
  await page.getByLabel('Address or e-mail in line 5').pressSequentially('0x123');
  await page.getByRole('button', { name: /^All/ }).focus();
  await page.keyboard.press('Space');
  await page.getByText('The same as line 3').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'give-all');
  await page.getByRole('button', { name: 'Remove line 6' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Put 1 on the list, make 1 link' }).focus();
  await page.keyboard.press('Enter');
  await finished(page);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
  await expectAccessible(page);
  await takeScreenshots(page, 'give-done');

  // The links would be lost.
  await page.getByRole('button', { name: 'Correct 2 lines' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Have you saved the links?').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await saveResult(page);
  await page.getByRole('button', { name: 'Correct 2 lines' }).click();
  await page.getByRole('table').waitFor();
  expect(await page.getByLabel(/^Address or e-mail in line/).count()).toBe(2);
});

browserTest.for([
  ['es-MX', 'Darla', 'Revisar la lista', 'Listo'],
  ['ar', 'منح الشارة', 'تحقق من القائمة', 'تم'],
] as const)('the page in %s', async ([locale, heading, check, done]) => {
  const tokenId = await createManaged(`In ${locale}`);
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key, locale });
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await expectAccessible(page);
  await page.getByRole('textbox').fill(`ada@example.org\n${A}\nx@y`);
  await page.getByRole('button', { name: check }).click();
  await page.getByRole('table').waitFor();
  await expectAccessible(page);
  await page
    .getByRole('button', { name: /^(Poner|إضافة)/ })
    .last()
    .click();
  await page.getByRole('heading', { name: done, exact: true }).waitFor();
  await expectAccessible(page);
});

browserTest('a file of Excel with an open badge: addresses get it at once, e-mails get links', async () => {
  const tokenId = await createOpen('From Excel', 4);
  const addresses = [newAddress(), newAddress()];
  await (await fixture.badge.airdrop({ tokenId, address: addresses[0] ?? '' })).wait();
  const rows = [
    ['Nombre', 'Contacto'],
    ['Zoë', 'zoe@example.org'],
    ['Šaša', addresses[0] ?? ''],
    ['王', addresses[1] ?? ''],
  ];
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'people.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: makeSpreadsheet(rows),
  });
  await page.getByRole('button', { name: 'Give it to 1 person, make 1 link' }).click();
  await finished(page);
  const result = await saveResult(page);
  expect(result.map(([name, , , , text]) => [name, text])).toEqual([
    ['Zoë', 'Send this link'],
    ['Šaša', 'Has it already, or has had it'],
    ['王', 'Got the badge'],
  ]);
  expect(await fixture.badge.holdsToken({ tokenId, address: addresses[1] ?? '' })).toBe(true);
  const claimCode = result[0]?.[3]?.split('#')[1] ?? '';
  expect((await fixture.badge.checkClaimCode({ tokenId, claimCode })).reasons).toEqual([]);
});

browserTest(
  '10,000 lines of a spreadsheet are checked, and files that are no lists are refused',
  async () => {
    const tokenId = await createManaged('Ten thousand');
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
    const file = page.getByLabel('Choose a file');
    await file.setInputFiles({
      name: 'old.xls',
      mimeType: '',
      buffer: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
    });
    await page.getByText('This file cannot be read.').waitFor();
    await file.setInputFiles({
      name: 'broken.xlsx',
      mimeType: '',
      buffer: Buffer.from('PK not a spreadsheet'),
    });
    await page.getByText('This workbook has no sheet that can be read').waitFor();
    const rows = Array.from({ length: 10_001 }, (_, index) => [`Person ${index}`, `p${index}@example.org`]);
    await file.setInputFiles({ name: 'long.xlsx', mimeType: '', buffer: makeSpreadsheet(rows) });
    await page.getByText('This list has more than 10,000 lines.').waitFor();
    const beganAt = performance.now();
    await file.setInputFiles({ name: 'ok.xlsx', mimeType: '', buffer: makeSpreadsheet(rows.slice(1)) });
    await page.getByRole('button', { name: 'Make 10,000 links' }).waitFor();
    expect(performance.now() - beganAt).toBeLessThan(20_000);
    await page.getByLabel('Address or e-mail in line 1', { exact: true }).fill('not an address');
    await page.getByRole('button', { name: 'Make 9,999 links' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Address or e-mail in line 51', { exact: true }).waitFor();
  },
);

browserTest('a file that is made to grow is refused, and the page stays usable', async () => {
  const tokenId = await createManaged('Bombs');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  const file = page.getByLabel('Choose a file');
  const cell = '<c t="inlineStr"><is><t>a@example.org</t></is></c>';
  const bombs = {
    'far.xlsx': [{ name: 'S', xml: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }],
    'rows.xlsx': [{ name: 'S', xml: `<row>${cell}</row>`.repeat(100_000) }],
  };
  for (const [name, sheets] of Object.entries(bombs)) {
    await file.setInputFiles({ name, mimeType: '', buffer: makeWorkbook(sheets) });
    const refusal = page.getByText('This file has more in it than a list of people');
    await refusal.waitFor();
    // Another text each time: React sees no change if a field gets the text that it has.
    await page.getByLabel('Who gets it').fill(`${name}@example.org`);
    await refusal.waitFor({ state: 'hidden' });
  }
  // A text takes long to read. Meanwhile the page responds, and the reading is ended.
  const text = Buffer.from('"a;b,c\t'.repeat(1_200_000));
  await file.setInputFiles({ name: 'text.csv', mimeType: '', buffer: text });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Check the list' }).waitFor();
  await pasteList(page, 'ada@example.org');
});

browserTest('a CSV file of Excel on Windows is dropped', async () => {
  const tokenId = await createManaged('Dropped');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  await page.getByLabel('Who gets it').waitFor();
  const bytes = [...Buffer.from('Name;E-Mail\r\n"Zo\xeb; S.";zoe@example.org\r\n', 'latin1')];
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(content)], 'people.csv', { type: 'text/csv' }));
    return data;
  }, bytes);
  const field = page.getByLabel('Who gets it');
  await field.dispatchEvent('dragover', { dataTransfer: transfer });
  await field.dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByRole('cell', { name: 'Zoë; S.' }).waitFor();
});

browserTest('the wallet that has made the badge signs, and no other one', async () => {
  const [creator, other] = [newWallet(), newWallet()];
  const wallet = createTestWallet({ accounts: [other, creator], chainId: SANDBOX_CHAIN_ID });
  const tokenId = await site.createToken({ signer: creator, headline: 'By wallet', contributors: [A] });
  const page = await openConsole(site, `/badges/${tokenId}/give`, { wallets: [wallet] });
  await pasteList(page, 'ada@example.org');
  const give = page.getByRole('button', { name: 'Make 1 link: sign with Test Wallet' });
  wallet.rejectNext('eth_signTypedData_v4');
  await give.click();
  await page.getByText('You said no in the wallet.').waitFor();
  await expectAccessible(page);
  await give.click();
  await finished(page);

  const strange = await site.createToken({ headline: 'By somebody else', contributors: [A] });
  await page.goto(`/console/badges/${strange}/give`);
  await pasteList(page, 'ada@example.org');
  await give.click();
  await page.getByText('The wallet has another account.').waitFor();
  expect((await site.badge.listContributors({ tokenId: strange })).data).toHaveLength(1);

  // Without a wallet, the page says so before a list is checked. Links for people on the list need no
  // signature.
  const alone = await openConsole(site, `/badges/${tokenId}/give`);
  await alone.getByText('Nobody can be added to the list in this browser').waitFor();
  await expectAccessible(alone);
  await takeScreenshots(alone, 'give-elsewhere');
  const links = await site.badge.listClaimLinks({ tokenId });
  for (const { claimLinkId } of links.data) await site.badge.revokeClaimLink({ tokenId, claimLinkId });
  await pasteList(alone, 'ada@example.org');
  await alone.getByRole('button', { name: 'Make 1 link', exact: true }).click();
  await finished(alone);
});

browserTest('in the sandbox, the test key of this browser signs', async () => {
  const creator = newWallet();
  const tokenId = await site.createToken({ signer: creator, headline: 'By test key', contributors: [A] });
  const page = await openConsole(site, '');
  await page.evaluate(
    (testKey) => localStorage.setItem('badge.console.testKey', testKey),
    creator.privateKey,
  );
  await page.goto(`/console/badges/${tokenId}/give`);
  await pasteList(page, 'ada@example.org');
  await page.getByRole('button', { name: 'Make 1 link' }).click();
  await finished(page);
});

browserTest('one link for everybody in a room leads to the projector', async () => {
  const tokenId = await createManaged('In the room');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
  const make = page.getByRole('button', { name: 'Make the link' });
  await page.getByLabel('How many people').fill('1');
  await make.click();
  await page.getByText('Enter a number from 2 to 1,000,000.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('How many people').fill('25');
  await page.getByLabel('Valid').selectOption('1 day');
  await make.click();
  await page.getByRole('heading', { name: 'The link for the room' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'give-room');
  const [url = ''] = await readQrCodes(page.getByRole('img', { name: 'QR code' }));
  expect(url).toMatch(`${site.url}/claim/${tokenId}#`);
  const code = url.split('#')[1] ?? '';
  async function openProjector(): Promise<Page> {
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Show on a projector' }).click();
    const projector = await opened;
    await projector.getByText('0 of 25 claimed').waitFor();
    await projector.getByText(code, { exact: true }).waitFor();
    return projector;
  }
  await (await openProjector()).close();

  // The tab keeps the code: for the list of links, and for the page that was left.
  await page.goto(`/console/badges/${tokenId}/links`);
  await (await openProjector()).close();
  await page.goto(`/console/badges/${tokenId}/give`);
  await page.getByRole('heading', { name: 'The link for the room' }).waitFor();
  const projector = await openProjector();

  // Elsewhere nobody knows the code, and another link can be made.
  await projector.evaluate((name) => sessionStorage.removeItem(name), `badge.console.room.${tokenId}`);
  await projector.reload();
  await projector.getByText('The code of this link is shown only').waitFor();
  await expectAccessible(projector);
  await projector.getByRole('button', { name: 'Make a new link' }).click();
  const qrCode = projector.getByRole('img', { name: 'QR code' });
  await qrCode.waitFor();
  const [newUrl = ''] = await readQrCodes(qrCode);
  expect(newUrl).toContain(`/claim/${tokenId}#`);
  expect(newUrl).not.toBe(url);

  // A link that ends while it is shown makes space for its state, and for another link.
  await projector.setViewportSize({ width: 1280, height: 800 });
  expect(await isInView(projector.getByRole('button', { name: 'Full screen' }))).toBe(true);
  const { data: open } = await fixture.badge.listClaimLinks({ tokenId });
  for (const { claimLinkId } of open) await fixture.badge.revokeClaimLink({ tokenId, claimLinkId });
  await projector.getByText('This link is revoked').waitFor();
  expect(await qrCode.count()).toBe(0);
  expect(await projector.getByText(newUrl.split('#')[1] ?? '', { exact: true }).count()).toBe(0);
  await projector.getByText('Make another link for 25 people').waitFor();
  await expectAccessible(projector);
  await projector.getByRole('button', { name: 'Make a new link' }).click();
  await qrCode.waitFor();
  const [lastUrl = ''] = await readQrCodes(qrCode);
  expect([url, newUrl]).not.toContain(lastUrl);
  await projector.getByRole('link', { name: 'Back to “Give it”' }).click();
  await projector.getByRole('heading', { name: 'The link for the room' }).waitFor();

  // A link that was revoked is not shown again.
  for (const { claimLinkId } of (await fixture.badge.listClaimLinks({ tokenId })).data) {
    await fixture.badge.revokeClaimLink({ tokenId, claimLinkId });
  }
  await page.reload();
  await page.getByRole('button', { name: 'Make the link' }).waitFor();
});

browserTest('a viewer cannot give, and a badge of somebody else is not found', async () => {
  const tokenId = await createManaged('Not yours');
  const name = 'viewer';
  const viewer = await site.operator.createApiKey({ communityId: fixture.communityId, name, role: 'viewer' });
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key: viewer.apiKey });
  await page.getByRole('heading', { name: 'You cannot give this badge' }).waitFor();
  await expectAccessible(page);
  const other = await openConsole(site, `/badges/${tokenId}/give`);
  await other.getByRole('heading', { level: 1 }).waitFor();
  expect(await other.getByRole('heading', { name: 'Give it' }).count()).toBe(0);
});

browserTest('a list that another tab gives is not given twice, and the service can be away', async () => {
  const tokenId = await createManaged('Two tabs');
  const page = await openConsole(site, '', { key: fixture.key });
  await page.goto(`/console/badges/${tokenId}/give`);
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.context().route('**/addContributors', async (route) => {
    reached.resolve();
    await release.promise;
    await route.continue();
  });
  await pasteList(page, 'ada@example.org');
  await page.getByRole('button', { name: 'Make 1 link' }).click();
  await reached.promise;
  const second = await page.context().newPage();
  await second.goto(`/console#key=${fixture.key}`);
  await second.getByRole('navigation').first().waitFor();
  await second.goto(`/console/badges/${tokenId}/give`);
  await second.getByRole('heading', { name: 'Not finished yet' }).waitFor();
  await expectAccessible(second);
  await takeScreenshots(second, 'give-stopped');
  await second.getByRole('button', { name: 'Continue' }).click();
  await second.getByRole('heading', { name: 'Running in another tab' }).waitFor();
  release.resolve();
  await finished(page);
  await second.getByRole('button', { name: 'Continue' }).click();
  await finished(second);
  expect(await saveResult(second)).toEqual(await saveResult(page));
  expect((await fixture.badge.listClaimLinks({ tokenId })).data).toHaveLength(1);
});
