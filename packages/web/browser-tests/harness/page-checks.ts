import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The width of the narrowest screen that the pages support, and the widths of the screenshots. */
const WIDTHS = [320, 360, 768, 1440];

/**
 * Fails with a list of what axe finds wrong with the page as it is now. `exceptions` are rules that the page
 * cannot follow, because its markup is not ours.
 */
export async function expectNoAxeViolations(page: Page, exceptions: readonly string[] = []): Promise<void> {
  // The policy of the pages forbids inline scripts, so axe is not added as a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await axeSource);
  // Waits for the end of transitions, because axe would measure the contrast of their intermediate colours.
  // Spinners never end, and neither do transitions in a part that is folded, so they are left out.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => {
      const { target } = effect as KeyframeEffect;
      return (
        effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY &&
        target?.checkVisibility() !== false
      );
    });
    return Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const { violations } = await page.evaluate(
    async (rules) =>
      await (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run({
        // Without the lists of what is right, which take long to make.
        resultTypes: ['violations'],
        rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])),
      }),
    exceptions,
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
  if (found.length > 0) expect.fail(`axe found:\n${found.join('\n')}`);
}

/**
 * Checks the page as it is now with axe, dark on a phone and light on a laptop: colours do not depend on the
 * width. It is light and as before afterwards.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const [colorScheme, width] of [
    ['dark', 360],
    ['light', 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await expectNoAxeViolations(page);
  }
  if (size !== null) await page.setViewportSize(size);
  await expectNoHorizontalScroll(page);
}

/** Fails if the page is wider than the screen at one of the `WIDTHS`. Restores the size of the screen. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const size = page.viewportSize();
  const overflows: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    if (overflow > 0) overflows.push(`${overflow} px too wide for ${width} px`);
  }
  if (size !== null) await page.setViewportSize(size);
  expect(overflows).toEqual([]);
}

/** Whether a button or a link has the gradient of the main action of a page. */
export async function isMainAction(button: Locator): Promise<boolean> {
  return await button.evaluate((node) => getComputedStyle(node).backgroundImage.includes('gradient'));
}

/** Whether a person sees all of an element without scrolling. */
export async function isInView(element: Locator): Promise<boolean> {
  return await element.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
}

/** The address in the short form in which the pages show it, such as `0x530E…0044`. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * Clicks a button that copies, waits until `sign` shows that it did, and returns the copied text. Allows the
 * page to use the clipboard.
 */
export async function clickAndReadCopy(button: Locator, sign: Locator): Promise<string> {
  const page = button.page();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // All pages of a browser share one clipboard, and other tests copy at the same time, so the page keeps its
  // own copy.
  const copied = await page.evaluateHandle(() => {
    const texts: string[] = [];
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = async (text) => {
      await write(text);
      texts.push(text);
    };
    return texts;
  });
  await button.click();
  await sign.waitFor({ state: 'attached' });
  return (await copied.jsonValue()).join();
}

/**
 * Presses "Share" and returns the link that the page copies, as it does in a browser without a share sheet.
 */
export async function shareAndReadLink(page: Page): Promise<string> {
  return await clickAndReadCopy(
    page.getByRole('button', { name: 'Share' }),
    page.getByRole('button', { name: 'Link copied' }),
  );
}
