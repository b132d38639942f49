import { text } from 'node:stream/consumers';
import Papa from 'papaparse';
import type { Download, Locator, Page } from 'playwright-core';
import { openPage, type PageOptions } from './browser.ts';
import type { Site } from './site.ts';

/** Opens a path of the console, signed in with a key, by default that of the sandbox. */
export async function openConsole(
  site: Site,
  path: string,
  { key = site.apiKey, ...options }: PageOptions & { key?: string } = {},
): Promise<Page> {
  const page = await openPage(site, `/console#key=${key}`, { acceptDownloads: true, ...options });
  await page.getByRole('navigation').first().waitFor();
  if (path !== '') await page.goto(`/console${path}`);
  return page;
}

/** Opens the panel of a person in the list of people of a badge. */
export async function openPerson(page: Page, name: string): Promise<Locator> {
  await page.getByRole('table').getByRole('button', { name }).click();
  const history = page.getByRole('region', { name: 'What happened' });
  const panel = page.getByRole('dialog').filter({ has: history });
  await panel.getByRole('listitem').first().waitFor();
  return panel;
}

/** Reads a file that the page has saved. The browser is in another process, so the file has no path here. */
export async function readDownload(download: Download): Promise<string> {
  return await text(await download.createReadStream());
}

/** The rows of a CSV file that the console has saved, without its titles. */
export function parseCsv(file: string): string[][] {
  return Papa.parse<string[]>(file.replace('\ufeff', ''), { skipEmptyLines: true }).data.slice(1);
}
