import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserTest, openPage } from './harness/browser.ts';
import { sharedSite } from './harness/site.ts';

const BUILD = fileURLToPath(new URL('../dist/', import.meta.url));
const MAX_SCRIPT_BYTES = 156_000;
const MAX_CONSOLE_SCRIPT_BYTES = 250_000;

const site = sharedSite();

test('the service serves every file of the build, and sends those in assets/ compressed', async () => {
  const entries = await readdir(BUILD, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(BUILD.length))
    .filter((name) => !/\.(br|gz)$/.test(name) && !name.endsWith('.html'));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const content = await readFile(join(BUILD, name), 'utf8');
    for (const coding of ['br', 'gzip', 'identity']) {
      const response = await fetch(`${site.url}/${name}`, { headers: { 'Accept-Encoding': coding } });
      expect([name, response.status]).toEqual([name, 200]);
      expect(response.headers.get('content-type'), name).not.toBe('application/octet-stream');
      expect(await response.text(), `${name} as ${coding}`).toBe(content);
      // Only the files in assets/ have compressed forms.
      const sentCoding = name.startsWith('assets/') && coding !== 'identity' ? coding : null;
      expect(response.headers.get('content-encoding'), `${name} as ${coding}`).toBe(sentCoding);
    }
  }
});

test('the compressed forms of a file have its content', async () => {
  const names = await readdir(join(BUILD, 'assets'));
  const decode = { '.br': brotliDecompressSync, '.gz': gunzipSync };
  for (const [extension, decompress] of Object.entries(decode)) {
    const compressed = names.filter((name) => name.endsWith(extension));
    expect(compressed.length).toBeGreaterThan(3);
    for (const name of compressed) {
      const original = await readFile(join(BUILD, 'assets', name.slice(0, -extension.length)));
      expect(decompress(await readFile(join(BUILD, 'assets', name))).equals(original), name).toBe(true);
    }
  }
});

// The Arabic messages are in a JavaScript file of their own, which counts too.
browserTest('the claim page loads at most 156 kB of gzipped scripts', async () => {
  const page = await openPage(site, `/claim/${await site.createToken()}`, { locale: 'ar' });
  const scripts = await readScripts(page);
  expect(scripts.length).toBeGreaterThan(1);
  expect(sumSizes(scripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  // Not even a file that the console also needs.
  expect(scripts.filter(({ url }) => url.includes('console'))).toEqual([]);
});

// The language with the longest messages.
browserTest('the console loads at most 250 kB of gzipped scripts with its first page', async () => {
  const page = await openPage(site, `/console#key=${site.apiKey}`, { locale: 'ar' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(sumSizes(await readScripts(page))).toBeLessThanOrEqual(MAX_CONSOLE_SCRIPT_BYTES);
});

/** The scripts that a page has loaded, with their sizes when they are compressed. */
async function readScripts(page: Page): Promise<{ url: string; bytes: number }[]> {
  await page.waitForLoadState('networkidle');
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const scripts = [...new Set(urls)].filter((url) => url.endsWith('.js'));
  return await Promise.all(
    scripts.map(async (url) => ({ url, bytes: gzipSync(await (await fetch(url)).text()).length })),
  );
}

function sumSizes(scripts: readonly { bytes: number }[]): number {
  return scripts.reduce((sum, { bytes }) => sum + bytes, 0);
}
