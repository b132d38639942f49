import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const DIRECTORY = fileURLToPath(new URL('../screenshots/', import.meta.url));
const WIDTHS = [360, 768, 1440];
// The last one is the language of the tests, so that the page is in it again afterwards.
const LANGUAGES = ['ar', 'en'];

/**
 * Takes pictures of the page as it is now, in three widths, in both themes, in English and in Arabic. Writes
 * them to `browser-tests/screenshots/NAME-WIDTH-THEME-LANGUAGE.png`. Does nothing unless the tests run with
 * `npm run screenshots`. The page is in English and in the light theme afterwards.
 */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (!process.env.BADGE_SCREENSHOTS) return;
  await mkdir(DIRECTORY, { recursive: true });
  const size = page.viewportSize();
  // Elements with a sticky position are in their place only at the top of the page.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  // Loads the pictures, and lays out the pages to print, that are far below the screen. They would be missing
  // otherwise.
  await page.evaluate(async () => {
    const style = new CSSStyleSheet();
    style.replaceSync('* { content-visibility: visible !important }');
    document.adoptedStyleSheets.push(style);
    for (const image of document.images) image.loading = 'eager';
    await Promise.allSettled(Array.from(document.images, (image) => image.decode()));
  });
  for (const language of LANGUAGES) {
    await switchLanguage(page, language);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const path = `${DIRECTORY}${name}-${width}-${colorScheme}-${language}.png`;
        await page.screenshot({ path, fullPage: true, animations: 'disabled' });
      }
    }
  }
  if (size !== null) await page.setViewportSize(size);
}

/** Loads the messages that `takeScreenshots` needs. Call it before the page goes offline. */
export async function loadLanguages(page: Page): Promise<void> {
  if (!process.env.BADGE_SCREENSHOTS) return;
  for (const language of LANGUAGES) await switchLanguage(page, language);
}

async function switchLanguage(page: Page, language: string): Promise<void> {
  await page.getByRole('banner').getByRole('combobox').selectOption(language);
  await page.locator(`html[lang=${language}]`).waitFor();
}
