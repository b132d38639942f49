import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import {
  clickAndReadCopy,
  expectNoAxeViolations,
  expectNoHorizontalScroll,
  isMainAction,
} from './harness/page-checks.ts';
import { readQrCodes } from './harness/read-qr-codes.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite, startSite } from './harness/site.ts';
import { makeSpreadsheet } from './harness/spreadsheet.ts';

const site = sharedSite();

/** In CSS, an inch has 96 px. */
const PX_PER_MM = 96 / 25.4;

/** Different codes of the right form. */
function makeCodes(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const digits = String(index).padStart(3, '0');
    return `0123456789ABCDEFGHJKMNP${digits}`;
  });
}

browserTest('the sheet for everyone can contain the code of a room', async () => {
  const tokenId = await site.createToken({ contributors: ['ada'] });
  const page = await openPage(site, `/claim/${tokenId}/print`);
  await page.getByLabel('One code for everyone').check();
  await page.getByText('Only people on a list can claim this badge').waitFor();
  await page.getByLabel('Code of a room').fill('7k2m9');
  await page.getByText('This is not the code of a room.').waitFor();
  await page.getByLabel('Code of a room').fill('7k2m 9qpd');
  await page.getByText('7K2M-9QPD', { exact: true }).waitFor();
  expect(await page.getByText('Only people on a list can claim this badge').count()).toBe(0);
  const code = page.getByRole('img', { name: 'QR code that leads to' });
  expect(await readQrCodes(code)).toEqual([`${site.url}/claim/${tokenId}#7K2M9QPD`]);
  await expectNoAxeViolations(page);
});

browserTest('the code on the sheet for everyone is as large as the paper allows', async () => {
  const headline = 'A long headline that needs two lines on the sheet, and then some more words';
  const page = await openPage(site, `/claim/${await site.createToken({ headline })}/print`);
  const code = page.getByRole('img', { name: 'QR code that leads to' });
  await code.waitFor();
  for (const room of ['', '7k2m9qpd']) {
    await page.getByLabel('Code of a room').fill(room);
    for (const paper of ['A4', 'Letter']) {
      await page.getByLabel(paper).check();
      await page.emulateMedia({ media: 'print' });
      const { squareMm, offCentreMm, isCutOff, smallestTextMm } = await code.evaluate((svg, pxPerMm) => {
        const sheet = svg.parentElement as HTMLElement;
        const square = (svg.querySelector('path') as SVGPathElement).getBoundingClientRect();
        const paperBox = (sheet.parentElement as HTMLElement).getBoundingClientRect();
        const texts = Array.from(sheet.querySelectorAll('p'));
        return {
          squareMm: Math.min(square.width, square.height) / pxPerMm,
          offCentreMm: Math.abs(square.left + square.right - paperBox.left - paperBox.right) / 2 / pxPerMm,
          isCutOff: sheet.scrollHeight > sheet.clientHeight,
          smallestTextMm: Math.min(
            ...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) / pxPerMm),
          ),
        };
      }, PX_PER_MM);
      expect(isCutOff, paper).toBe(false);
      // A phone reads a code from about ten times its width. At 125 mm it has twice the area of the 88 mm
      // that it once had.
      expect(squareMm, `${paper} ${room}`).toBeGreaterThan(room === '' ? 145 : 130);
      expect(offCentreMm, paper).toBeLessThan(1);
      expect(smallestTextMm).toBeGreaterThan(4);
      await page.emulateMedia({ media: 'screen' });
    }
  }
  expect(await readQrCodes(code)).toEqual([expect.stringMatching(/#7K2M9QPD$/)]);
});

/** Opens the sheets with one code per person. */
async function openCards(tokenId: number): Promise<Page> {
  const page = await openPage(site, `/claim/${tokenId}/print`);
  await page.getByLabel('One code per person').check();
  return page;
}

/** The sizes of the pages in points, as the browser prints them. */
async function printPageSizes(page: Page): Promise<string[]> {
  const pdf = await page.pdf({ preferCSSPageSize: true });
  return [...pdf.toString('latin1').matchAll(/\/MediaBox ?\[([\d. ]+)\]/g)].map(([, box = '']) =>
    box
      .split(' ')
      .slice(2)
      .map((points) => Math.round(Number(points)))
      .join(' x '),
  );
}

browserTest('an open badge has a sheet with one code, which leads to its claim page', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, `/claim/${tokenId}/print`);
  const code = page.getByRole('img', { name: `QR code that leads to ${site.url}/claim/${tokenId}` });
  await code.waitFor();
  expect(await readQrCodes(code)).toEqual([`${site.url}/claim/${tokenId}`]);
  // The tests run on localhost, which phones cannot open. So the page shows a warning before the button.
  const printButton = page.getByRole('button', { name: 'Print 1 sheet' });
  expect(await isMainAction(printButton)).toBe(false);
  expect(await page.getByRole('main').innerText()).toMatch(
    /Phones cannot open these codes.*What to print.*Print 1 sheet.*see the warning above/s,
  );
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'print-poster');

  await page.getByLabel('A4').check();
  expect(await printPageSizes(page)).toEqual(['595 x 842']);
  await page.getByLabel('Letter').check();
  expect(await printPageSizes(page)).toEqual(['612 x 792']);
});

browserTest(
  'the codes lead to the public address of the service, even if the page has another address',
  async () => {
    const proxied = await startSite({ PUBLIC_URL: 'https://badge.example' });
    onTestFinished(() => proxied.remove());
    const tokenId = await proxied.createToken();
    const page = await openPage(proxied, `/claim/${tokenId}/print`);
    const code = page.getByRole('img', { name: /^QR code/ });
    await code.waitFor();
    expect(await readQrCodes(code)).toEqual([`https://badge.example/claim/${tokenId}`]);
    expect(await page.getByText('Phones cannot open these codes').count()).toBe(0);
    expect(await isMainAction(page.getByRole('button', { name: 'Print 1 sheet' }))).toBe(true);
  },
);

browserTest(
  'the print page of a badge for people on a list starts with one code per person, and says why',
  async () => {
    const tokenId = await site.createToken({ contributors: ['ada@example.org'] });
    const page = await openPage(site, `/claim/${tokenId}/print`);
    await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
    expect(await page.getByLabel('One code per person').isChecked()).toBe(true);
    await page.getByText('Only people on a list can claim this badge').waitFor();
    const printButton = page.getByRole('button', { name: 'Print', exact: true, disabled: true });
    await printButton.waitFor();
    await page.getByText('Add at least one claim code above to print.').waitFor();
    await page.getByRole('heading', { name: 'How to get claim codes' }).waitFor();
    const command = page.getByText(`/v1/tokens/${tokenId}/claimLinks`);
    expect(await command.isVisible()).toBe(false);
    await page.getByText('Show the message').click();
    await command.waitFor();
    await expectNoAxeViolations(page);
    await expectNoHorizontalScroll(page);
    await takeScreenshots(page, 'print-no-codes');

    const [code = ''] = makeCodes(1);
    await page.getByRole('textbox', { name: 'Claim codes' }).fill(code);
    await page.getByRole('button', { name: 'Print 1 card', exact: true }).waitFor();
    await takeScreenshots(page, 'print-one-card');
  },
);

browserTest('an organizer copies a message that asks for claim codes', async () => {
  const tokenId = await site.createToken();
  const page = await openPage(site, `/claim/${tokenId}/print`);
  await page.getByLabel('One code per person').check();
  const message = await clickAndReadCopy(
    page.getByRole('button', { name: 'Copy the message' }),
    page.getByRole('button', { name: 'Copied' }),
  );
  expect(message).toContain(`create claim codes for the badge “Speaker 2026”, number ${tokenId}.`);
  expect(message).toContain(`curl '${site.url}/v1/tokens/${tokenId}/claimLinks'`);
  expect(message).toContain(`-d '{"count":20}'`);
});

browserTest('the page says if a badge needs a signature, and if it cannot be claimed any more', async () => {
  const signatureRequired = await site.createToken({ isSignatureRequired: true });
  const signatureRequiredPage = await openPage(site, `/claim/${signatureRequired}/print`);
  await signatureRequiredPage.getByText('People need a wallet that can sign').waitFor();
  await expectNoAxeViolations(signatureRequiredPage);

  const expired = await site.createToken({ expirationTimestamp: Date.UTC(2020, 0, 1) });
  const expiredPage = await openPage(site, `/claim/${expired}/print`);
  await expiredPage.getByText('Claims for this badge have ended.').waitFor();

  const exhausted = await site.createToken({ totalClaimCount: 1 });
  const { address } = newWallet();
  await (await site.operator.claim({ tokenId: exhausted, claimingAddress: address })).wait();
  const exhaustedPage = await openPage(site, `/claim/${exhausted}/print`);
  await exhaustedPage.getByText('All badges are claimed.').waitFor();
});

browserTest('pasted codes become cards, and lines that give no card are reported', async () => {
  const tokenId = await site.createToken();
  const page = await openCards(tokenId);
  const codes = makeCodes(13);
  const [first = '', second = ''] = codes;
  const lines = [
    `${first},Ada Lovelace`,
    `${site.url}/claim/${tokenId}#${second}`,
    ...codes.slice(2),
    'hello',
    `${site.url}/claim/${tokenId + 1}#${first}`,
    first,
  ];
  await page.getByRole('textbox', { name: 'Claim codes' }).fill(lines.join('\n'));
  await page.getByText('13 codes').waitFor();
  await page.getByText('3 lines were left out').waitFor();
  const problems = page.getByRole('status').getByRole('listitem');
  expect(await problems.allInnerTexts()).toEqual([
    'Line 14: no complete claim code\nhello',
    `Line 15: a link to another badge\n${site.url}/claim/${tokenId + 1}#${first}`,
    `Line 16: the code is there twice\n${first}`,
  ]);
  await page.getByText('Used and mistyped codes are not detected.').waitFor();
  await page.getByText('Sheet 2 of 2').waitFor();
  await page.getByRole('button', { name: 'Print 13 cards (3 lines left out)' }).waitFor();
  await page.getByText('The cards fit on 2 sheets.').waitFor();
  await page.getByRole('listitem').getByText('Ada Lovelace').waitFor();
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, 'print-cards');

  await page.setViewportSize({ width: 1440, height: 1200 });
  expect(await readQrCodes(page.getByRole('img', { name: /^QR code \d+$/ }))).toEqual(
    codes.map((code) => `${site.url}/claim/${tokenId}#${code}`),
  );
  await page.getByLabel('A4').check();
  expect(await printPageSizes(page)).toEqual(['595 x 842', '595 x 842']);

  await page.getByLabel('Large').check();
  await page.getByText('Sheet 3 of 3').waitFor();
  await page.getByLabel('Print the names next to the codes').uncheck();
  await page.getByRole('listitem').getByText('Ada Lovelace').waitFor({ state: 'detached' });
});

browserTest(
  'a sheet shows the address that a person without a camera types, and a card also shows the code',
  async () => {
    const tokenId = await site.createToken({
      headline: 'A headline that is longer than a line of a small card',
    });
    const page = await openPage(site, `/claim/${tokenId}/print`);
    const address = `${site.url.replace('http://', '')}/claim/${tokenId}`;
    await page.getByText(`or open ${address}`).waitFor();

    await page.getByLabel('One code per person').check();
    const [code = ''] = makeCodes(1);
    await page.getByRole('textbox', { name: 'Claim codes' }).fill(`${code},Ada Lovelace`);
    const typedCode = page.getByText(code.replace(/^(.{6})(.{5})(.{5})(.{5})/, '$1-$2-$3-$4-'));
    for (const paper of ['A4', 'Letter']) {
      for (const size of ['Large', 'Medium', 'Small']) {
        await page.emulateMedia({ media: 'screen' });
        await page.getByLabel(paper).check();
        await page.getByLabel(size).check();
        await page.emulateMedia({ media: 'print' });
        const card = page.getByRole('listitem').filter({ hasText: address });
        const { isCutOff, smallestTextPx, qrPx } = await card.evaluate((node) => ({
          isCutOff: node.scrollHeight > node.clientHeight || node.scrollWidth > node.clientWidth,
          smallestTextPx: Math.min(
            ...Array.from(node.querySelectorAll('p'), (text) =>
              Number.parseFloat(getComputedStyle(text).fontSize),
            ),
          ),
          qrPx: node.querySelector('svg')?.getBoundingClientRect().height ?? 0,
        }));
        expect(isCutOff, `${size} on ${paper}`).toBe(false);
        // Smaller text is hard to read, and a smaller code is hard to scan.
        expect(smallestTextPx).toBeGreaterThan(2.2 * PX_PER_MM);
        expect(qrPx).toBeGreaterThan(22 * PX_PER_MM);
        await typedCode.waitFor();
      }
    }

    // The claim page accepts the code as it is printed.
    const printed = (await typedCode.textContent()) ?? '';
    const claimPage = await openPage(site, `/claim/${tokenId}`);
    await claimPage.getByText('I have a code').click();
    await claimPage.getByLabel('Code or link').fill(printed.toLowerCase());
    await claimPage.getByLabel('Code or link').press('Enter');
    await claimPage.waitForURL(`**/claim/${tokenId}#${code}`);
  },
);

browserTest('long lines wrap next to their numbers', async () => {
  const tokenId = await site.createToken();
  const page = await openCards(tokenId);
  await page.setViewportSize({ width: 360, height: 740 });
  const links = makeCodes(3).map((code) => `${site.url}/claim/${tokenId}#${code}`);
  const field = page.getByRole('textbox', { name: 'Claim codes' });
  await field.fill([links[0], 'hello', ...links.slice(1)].join('\n'));
  await page.getByText('1 line was left out').waitFor();
  const { width, visibleWidth, height, visibleHeight } = await field.evaluate((node) => ({
    width: node.scrollWidth,
    visibleWidth: node.clientWidth,
    height: node.scrollHeight,
    visibleHeight: node.clientHeight,
  }));
  expect(width).toBe(visibleWidth);
  // An invisible copy of the lines carries the numbers and sets the height of the field. The text fits
  // exactly only if the copy wraps where the text wraps.
  expect(height).toBe(visibleHeight);
  const numbered = field.locator('xpath=preceding-sibling::*/*');
  expect(await numbered.allTextContents()).toEqual([links[0], 'hello', ...links.slice(1)]);
  const heights = await numbered.evaluateAll((lines) => lines.map((line) => line.clientHeight));
  expect(heights[0]).toBeGreaterThan(heights[1] ?? 0);
  expect(heights.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(height);
  await expectNoAxeViolations(page);
});

browserTest('codes are read from a file that is chosen or dropped', async () => {
  const page = await openCards(await site.createToken());
  const [first = '', second = '', third = ''] = makeCodes(3);
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'codes.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`identifier,code\n"Lovelace, Ada",${first}\ngrace@example.org,${second}\n`),
  });
  await page.getByText('2 codes').waitFor();
  await page.getByRole('listitem').getByText('Lovelace, Ada').waitFor();

  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'codes.txt', { type: 'text/plain' }));
    return transfer;
  }, third);
  await page.getByRole('textbox', { name: 'Claim codes' }).dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('1 code', { exact: true }).waitFor();

  await page.getByLabel('Choose a file').setInputFiles({
    name: 'video.csv',
    mimeType: 'text/csv',
    buffer: Buffer.alloc(1024 * 1024 + 1),
  });
  await page.getByText('This file is too large').waitFor();
  await page.getByRole('button', { name: 'Remove the codes' }).click();
  await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
});

browserTest('a file of Excel on Windows is read right, and a list of people is told from codes', async () => {
  const page = await openCards(await site.createToken());
  const [code = ''] = makeCodes(1);
  const choose = (text: string) =>
    page.getByLabel('Choose a file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text, 'latin1'),
    });
  await choose(`Zoë Ångström;${code}\r\n`);
  await page.getByRole('listitem').getByText('Zoë Ångström').waitFor();
  await choose('Name;E-Mail\r\nZoë;zoe@example.org\r\n');
  await page.getByText('This is a list of people').waitFor();
  expect(await page.getByRole('textbox', { name: 'Claim codes' }).inputValue()).toContain('Zoë;zoe@');
  await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
  await expectNoAxeViolations(page);
});

browserTest('a spreadsheet with codes is read, and one with people leads to the console', async () => {
  const tokenId = await site.createToken();
  const page = await openCards(tokenId);
  const [first = '', second = ''] = makeCodes(2);
  const choose = (buffer: Buffer) =>
    page.getByLabel('Choose a file').setInputFiles({ name: 'list.xlsx', mimeType: '', buffer });
  const rows = [
    ['name', 'code'],
    ['"Ada", Lovelace', first],
    ['Zoë\nÅngström', second],
  ];
  await choose(makeSpreadsheet(rows));
  await page.getByText('2 codes').waitFor();
  await page.getByRole('listitem').getByText('Ada, Lovelace').waitFor();
  await page.getByRole('listitem').getByText('Zoë Ångström').waitFor();

  // The file that the console saves has people with a wallet too.
  const { address } = newWallet();
  const result = (id: number) => [
    ['name', 'email', 'address', 'link', 'result'],
    ['Ada', '', address, `${site.url}/claim/${id}`, 'Can claim it'],
    ['Zoë', 'zoe@example.org', '', `${site.url}/claim/${id}#${first}`, 'Got a link'],
  ];
  await choose(makeSpreadsheet(result(tokenId)));
  await page.getByText('1 person has a wallet').waitFor();
  await page.getByRole('button', { name: 'Print 1 card', exact: true }).waitFor();
  await takeScreenshots(page, 'print-result-file');
  await choose(makeSpreadsheet(result(tokenId + 1)));
  await page.getByText('These codes are for another badge').waitFor();
  const other = page.getByRole('link', { name: `Print the codes of badge ${tokenId + 1}` });
  expect(await other.getAttribute('href')).toBe(`/claim/${tokenId + 1}/print`);
  expect(await page.getByText('left out').count()).toBe(0);
  await expectNoAxeViolations(page);

  await choose(makeSpreadsheet([['Ada', 'ada@example.org']]));
  await page.getByText('This is a list of people').waitFor();
  const give = page.getByRole('link', { name: 'Give it in the console' });
  expect(await give.getAttribute('href')).toBe(`/console/badges/${tokenId}/give`);
  await expectNoAxeViolations(page);
  await takeScreenshots(page, 'print-people');
  await choose(Buffer.from('PK not a spreadsheet'));
  await page.getByText('This workbook has no sheet that can be read.').waitFor();
});

browserTest('codes are neither sent nor stored', async () => {
  const page = await openCards(await site.createToken());
  const [code = ''] = makeCodes(1);
  const sent: string[] = [];
  page.context().on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.evaluate(() => {
    window.print = () => {
      document.body.dataset.printed = 'yes';
    };
  });
  await page.getByRole('textbox', { name: 'Claim codes' }).fill(code);
  await page.getByRole('button', { name: 'Print 1 card' }).click();
  await page.locator('body[data-printed]').waitFor();
  await page.getByRole('banner').getByRole('combobox').selectOption('es');
  await page.getByText('1 código', { exact: true }).waitFor();

  expect(page.url()).not.toContain('#');
  const stored = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const caches = await window.caches.keys();
    const texts = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
    return { texts, databases, caches };
  });
  expect(stored.texts).not.toContain(code);
  expect(stored).toMatchObject({ databases: [], caches: [] });
  // The request for the messages in Spanish shows that requests are recorded.
  expect(sent.join('\n')).toContain('/assets/es-');
  expect(sent.join('\n')).not.toContain(code);

  await page.reload();
  await page.getByLabel('Un código por persona').check();
  expect(await page.locator('textarea').inputValue()).toBe('');
});

browserTest('the print page of a badge that does not exist returns 404, and says so', async () => {
  const page = await openPage(site, START_PATH);
  const response = await page.goto('/claim/999999/print');
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { level: 1, name: 'There is no such badge' }).waitFor();
});
