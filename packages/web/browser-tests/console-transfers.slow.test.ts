import { buffer } from 'node:stream/consumers';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createBadgeClient } from '../../sdk/src/index.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole, parseCsv, readDownload } from './harness/console.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();
const PATH = '/settings/transfers';
const AGE_KEY = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj';
const SECRET_AGE_KEY = 'AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU';

/** Creates a community with a managed creator. Returns the key of an owner. */
async function createOwned() {
  const communityId = `transfers-${Math.random().toString(36).slice(2)}`;
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Movers' });
  await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
  const { apiKey } = await site.operator.createApiKey({ communityId, name: 'owner', role: 'owner' });
  return { communityId, key: apiKey, badge: createBadgeClient({ url: site.url, apiKey }) };
}

async function chooseFile(page: Page, name: string, content: string): Promise<void> {
  const file = { name, mimeType: '', buffer: Buffer.from(content) };
  await page.getByLabel('Choose a file').setInputFiles(file);
}

const importPart = (page: Page) => page.getByRole('heading', { name: 'Import', exact: true }).locator('..');
const exportPart = (page: Page) => page.getByRole('heading', { name: 'Export', exact: true }).locator('..');
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

browserTest('an owner looks at what an import would do, imports, and nothing is doubled', async () => {
  const { communityId, key, badge } = await createOwned();
  const [ada, bob] = [newAddress(), newAddress()];
  const table = [
    'Event,Wallet,Claimed on,Colour',
    `Meetup,${ada},2025-04-03,red`,
    `Meetup,${bob},2025-04-04,blue`,
    'Meetup,0x12,2025-04-05,blue',
    `Workshop,${ada},2025-05-03,green`,
  ].join('\n');
  const page = await openConsole(site, '', { key });
  await page.getByRole('link', { name: 'Bring badges from another service' }).press('Enter');
  await heading(page, 'Import').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'transfers');

  // By keyboard. What is missing is said before anything is sent.
  const check = page.getByRole('button', { name: 'See what would happen' });
  await page.getByRole('radio', { name: 'POAP' }).focus();
  for (const name of ['Open Badges', 'A table']) {
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name }).isChecked()).toBe(true);
  }
  await check.press('Enter');
  await page.getByText('Choose a file.').waitFor();
  await chooseFile(page, 'empty.csv', '');
  await page.getByText('This file is empty.').waitFor();
  await chooseFile(page, 'meetups.csv', table);
  await page.getByText('meetups.csv').waitFor();
  const fieldOf = (column: string) =>
    page.getByLabel(column, { exact: true }).evaluate((select: HTMLSelectElement) => select.value);
  expect(await fieldOf('Event')).toBe('headline');
  expect(await fieldOf('Wallet')).toBe('address');
  expect(await fieldOf('Claimed on')).toBe('claimedAt');
  expect(await fieldOf('Colour')).toBe('none');
  await check.press('Enter');
  await page.getByText('Enter where these badges come from.').waitFor();
  await page.getByLabel('Where do these badges come from?').fill('meetups.example');
  await expectAccessible(page);
  await takeScreenshots(page, 'transfers-columns');

  await check.press('Enter');
  await heading(page, 'What would happen').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('What would happen');
  await page.getByText('Would be imported: 5').waitFor();
  await page.getByText('Not possible: 1').waitFor();
  const problems = page.getByRole('region', { name: 'Not possible' });
  await problems.getByRole('row', { name: '4', exact: false }).getByText('address').waitFor();
  const lines = page.getByRole('region', { name: 'Line by line' });
  expect(await lines.getByText('New', { exact: true }).count()).toBe(5);
  await page.getByText('Nobody gets a mail about it').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'transfers-plan');
  const downloaded = page.waitForEvent('download');
  await problems.getByRole('button', { name: 'Save as CSV' }).press('Enter');
  const rows = parseCsv(await readDownload(await downloaded));
  expect(rows).toEqual([['4', expect.stringContaining('address')]]);
  // Nothing was imported.
  expect((await badge.listCommunityTokens({ communityId })).data).toEqual([]);

  await page.getByRole('button', { name: 'Import now' }).press('Enter');
  await heading(page, 'The import is done').waitFor();
  await page.getByText('Imported: 5', { exact: true }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'transfers-imported');
  const { data: tokens } = await badge.listCommunityTokens({ communityId });
  expect(tokens.map(({ headline }) => headline).sort()).toEqual(['Meetup', 'Workshop']);

  // A badge says where it comes from, and its people since when they have it.
  await page.getByRole('link', { name: 'To the badges' }).press('Enter');
  await page.getByRole('link', { name: 'Meetup' }).first().click();
  await page.getByText('Imported from meetups.example').waitFor();
  await page.getByText('2 people', { exact: true }).waitFor();
  await page.getByLabel('How it was given').selectOption('From another service');
  await page.getByText('2 people', { exact: true }).waitFor();
  await expectAccessible(page);

  // The same file again.
  await page.goto(`/console${PATH}`);
  await heading(page, 'The import is done').waitFor();
  await importPart(page).getByRole('button', { name: 'Use another file' }).click();
  await page.getByRole('radio', { name: 'A table' }).check();
  await chooseFile(page, 'meetups.csv', table.replace(/Meetup,0x12.*\n/, ''));
  await page.getByLabel('Where do these badges come from?').fill('meetups.example');
  await check.click();
  await page.getByText('There is nothing left to import in this file.').waitFor();
  expect(await page.getByRole('button', { name: 'Import now' }).count()).toBe(0);
});

browserTest('a table without badges and dates is asked what it does not say', async () => {
  const { communityId, key, badge } = await createOwned();
  const page = await openConsole(site, PATH, { key });
  await page.getByRole('radio', { name: 'A table' }).check();
  await chooseFile(page, 'wallets.csv', `who;since\n${newAddress()};01/02/2026\n`);
  await page.getByText('No column says who has the badge').waitFor();
  await page.getByLabel('who', { exact: true }).selectOption('Address, e-mail or name');
  await page.getByText('Do these people have the badge already?').waitFor();
  await page.getByLabel('since', { exact: true }).selectOption('Got it on');
  await page.getByText('What is 01/02/2026?').waitFor();
  expect(await page.getByText('Do these people have the badge already?').count()).toBe(0);
  await page.getByRole('button', { name: 'See what would happen' }).click();
  for (const text of ['Enter the headline', 'Choose how these dates are read.']) {
    await page.getByText(text).waitFor();
  }
  await expectAccessible(page);
  await page.getByLabel('Headline of the badge').fill('Meetup in February');
  await page.getByLabel('The day comes first').check();
  await page.getByLabel('Where do these badges come from?').fill('a list');
  await page.getByRole('button', { name: 'See what would happen' }).click();
  await page.getByText('Would be imported: 2').waitFor();

  // A reloaded page shows the plan, but does not have the file any more.
  await page.reload();
  await page.getByText('Would be imported: 2').waitFor();
  expect(await page.getByRole('button', { name: 'Import now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Choose the file again' }).click();
  expect(await page.getByRole('radio', { name: 'A table' }).isChecked()).toBe(true);
  await chooseFile(page, 'wallets.csv', `person,headline\n${newAddress()},Meetup\n`);
  await page.getByLabel('No, each of them can claim it').check();
  await page.getByLabel('Where do these badges come from?').fill('a list');
  await page.getByRole('button', { name: 'See what would happen' }).click();
  await page.getByRole('button', { name: 'Import now' }).click();
  await heading(page, 'The import is done').waitFor();
  await page.getByText('Imported: 2', { exact: true }).waitFor();
  const [token] = (await badge.listCommunityTokens({ communityId })).data;
  const { data } = await badge.listRecipients({ tokenId: token?.tokenId ?? 0 });
  expect(data).toMatchObject([{ status: 'listed', way: 'import' }]);
});

browserTest('POAPs are imported from a ZIP file, and listings from a JSON file', async () => {
  const { communityId, key, badge } = await createOwned();
  const page = await openConsole(site, PATH, { key });
  const event = { id: 4321, name: 'Conference', description: '', start_date: '02-Mar-2026' };
  const collectors = `"ID","Collection","ENS","Minting Date"\n"1","${newAddress()}","","3/1/2026"\n`;
  const zip = Buffer.from(
    zipSync({ 'event.json': strToU8(JSON.stringify(event)), '4321.csv': strToU8(collectors) }),
  );
  const file = page.getByLabel('Choose a file');
  await file.setInputFiles({ name: 'poaps.zip', mimeType: '', buffer: zip });
  const check = page.getByRole('button', { name: 'See what would happen' });
  await check.click();
  // Nobody can say which part of the date is the month.
  await page.getByRole('region', { name: 'Not possible' }).getByText('can be read in two ways').waitFor();
  await page.getByRole('button', { name: 'Use another file' }).click();
  await file.setInputFiles({ name: 'poaps.zip', mimeType: '', buffer: zip });
  await page.getByLabel('Dates such as 3/1/2026 in CSV files').selectOption('The month comes first');
  await check.click();
  await page.getByText('Would be imported: 2').waitFor();
  await page.getByText('a new token: Conference').waitFor();
  await page.getByRole('button', { name: 'Import now' }).click();
  await heading(page, 'The import is done').waitFor();
  const [token] = (await badge.listCommunityTokens({ communityId })).data;
  const { data } = await badge.listRecipients({ tokenId: token?.tokenId ?? 0 });
  expect(data).toMatchObject([{ status: 'claimed', claimedAtTimestamp: Date.UTC(2026, 2, 1) }]);

  await page.getByRole('button', { name: 'Use another file' }).click();
  await page.getByRole('radio', { name: 'A service with the same interface' }).check();
  const listing = JSON.stringify(await badge.getToken({ tokenId: token?.tokenId ?? 0 }));
  await chooseFile(page, 'token.json', listing);
  await page.getByLabel('Id of the community there').fill(communityId);
  await check.click();
  await page.getByText('Enter where these badges come from.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Where do these badges come from?').fill('badges.example');
  await check.click();
  await page.getByText('Would be imported: 1').waitFor();
});

browserTest('a running import is found again, and a failed one says why', async () => {
  const { communityId, key } = await createOwned();
  const page = await openConsole(site, PATH, { key });
  // The import takes as long as the test wants.
  const changes: { current: object } = { current: { status: 'processing', lines: 0 } };
  await page.route(`**/v1/communities/${communityId}/imports/*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...changes.current } });
  });
  await page.getByRole('radio', { name: 'A table' }).check();
  await chooseFile(page, 'list.csv', `headline,address\nMeetup,${newAddress()}\n`);
  await page.getByLabel('Where do these badges come from?').fill('a list');
  await page.getByRole('button', { name: 'See what would happen' }).click();
  await heading(page, 'The file is being read').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Badges', exact: true }).click();
  await page.getByText('No badges yet').waitFor();
  await page.goto(`/console${PATH}`);
  changes.current = { status: 'processing', lines: 1_234 };
  await page.getByText('Read so far: 1,234').waitFor();
  changes.current = {};
  await page.getByText('Would be imported: 2').waitFor();

  // What a spreadsheet would take for a formula is a text in the file.
  const problems = [{ line: '2', detail: '=HYPERLINK("x")' }];
  changes.current = { isDryRun: false, status: 'error', error: 'The disk is full.', problems };
  await page.reload();
  await heading(page, 'The import has stopped').waitFor();
  await page.getByText('The disk is full.').waitFor();
  await expectAccessible(page);
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  expect(parseCsv(await readDownload(await downloaded))).toEqual([['2', '\'=HYPERLINK("x")']]);

  // Whatever is not kept any more is forgotten.
  await page.unroute(`**/v1/communities/${communityId}/imports/*`);
  await page.evaluate(
    (name) => localStorage.setItem(name, '999999999'),
    `badge.console.import.${communityId}`,
  );
  await page.reload();
  await page.getByRole('button', { name: 'See what would happen' }).waitFor();
});

browserTest('an owner exports the community, and downloads the file once', async () => {
  const { communityId, key } = await createOwned();
  const page = await openConsole(site, PATH, { key });
  const part = exportPart(page);
  // The private part of a key stays in the page.
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.getByRole('radio', { name: 'Encrypt them' }).check();
  const keyField = page.getByRole('textbox', { name: 'Your age key' });
  const submit = page.getByRole('button', { name: 'Make the file' });
  await submit.click();
  await page.getByText('Enter the public part of an age key').waitFor();
  await keyField.fill(SECRET_AGE_KEY);
  await submit.click();
  await page.getByText('This is the private part, so nothing was sent.').waitFor();
  expect(sent.join()).not.toContain('SECRET');
  await expectAccessible(page);
  await keyField.fill(` ${AGE_KEY} `);
  await keyField.press('Enter');
  await heading(page, 'The file is ready').waitFor();
  await part.getByText('Encrypted').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'transfers-exported');

  // A reloaded page finds it again.
  await page.reload();
  for (let count = 0; count < 2; count += 1) {
    const downloaded = page.waitForEvent('download');
    await part.getByRole('link', { name: 'Download' }).press('Enter');
    const file = await downloaded;
    expect(file.suggestedFilename()).toMatch(/\.tar$/);
    const content = await readDownload(file);
    expect(content).toContain('manifest.json');
    expect(content).toContain(communityId);
    expect(await part.getByRole('link', { name: 'Download' }).count()).toBe(0);
    await expectAccessible(page);
    await part.getByRole('button', { name: 'Get another link' }).press('Enter');
    await part.getByRole('link', { name: 'Download' }).waitFor();
  }
  await part.getByRole('button', { name: 'Make another file' }).click();
  await submit.click();
  await part.getByText('Left out').waitFor();
});

browserTest('what a community exports, another one imports', async () => {
  const source = await createOwned();
  const { communityId, key, badge } = await createOwned();
  const person = newAddress();
  const creation = await source.badge.createToken({
    signer: newWallet(),
    communityId: source.communityId,
    headline: 'Travels',
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: 10,
  });
  const { tokenId } = await creation.wait();
  await (await source.badge.airdrop({ tokenId, address: person })).wait();
  const from = await openConsole(site, PATH, { key: source.key });
  await from.getByRole('radio', { name: 'As plain text' }).check();
  await from.getByRole('button', { name: 'Make the file' }).click();
  const downloaded = from.waitForEvent('download');
  await from.getByRole('link', { name: 'Download' }).click();
  const archive = await buffer(await (await downloaded).createReadStream());

  const page = await openConsole(site, PATH, { key });
  await page.getByRole('radio', { name: 'An archive of this service' }).check();
  await page.getByLabel('Choose a file').setInputFiles({ name: 'a.tar', mimeType: '', buffer: archive });
  await page.getByRole('button', { name: 'See what would happen' }).click();
  await page.getByText('a new token: Travels').waitFor();
  await page.getByRole('button', { name: 'Import now' }).click();
  await heading(page, 'The import is done').waitFor();
  const [token] = (await badge.listCommunityTokens({ communityId })).data;
  const { status } = await badge.getOwner({ tokenId: token?.tokenId ?? 0, address: person });
  expect(status).toBe('held');
});

browserTest.for([
  ['es-MX', 'Importar y exportar', 'Una tabla', 'Elegir un archivo', 'Ver qué pasaría', /^Cifrarlos/],
  ['ar', 'الاستيراد والتصدير', 'جدول', 'اختر ملفًا', 'عرض ما سيحدث', /^معمّاة/],
] as const)('import and export in %s', async ([locale, title, table, file, check, encrypted]) => {
  const { key } = await createOwned();
  const page = await openConsole(site, '/settings', { key, locale });
  await page.getByRole('link', { name: title }).click();
  await page.getByRole('radio', { name: table }).check();
  await page.getByRole('radio', { name: encrypted }).check();
  const list = Buffer.from(`headline,address\nMeetup,${newAddress()}\n`);
  await page.getByLabel(file).setInputFiles({ name: 'list.csv', mimeType: '', buffer: list });
  await page.getByText('0x').first().waitFor();
  await page.getByRole('button', { name: check }).click();
  await expectAccessible(page);
});

browserTest('only owners see import and export', async () => {
  const { communityId } = await createOwned();
  const { apiKey } = await site.operator.createApiKey({ communityId, name: 'editor', role: 'editor' });
  const page = await openConsole(site, '/settings', { key: apiKey });
  await page.getByRole('link', { name: 'Members' }).waitFor();
  expect(await page.getByRole('link', { name: 'Import and export' }).count()).toBe(0);
  await page.goto(`/console${PATH}`);
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
});
