import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Site } from './site.ts';
import type { TestWallet } from './wallet.ts';

const endpoint = inject('browserEndpoint');

/**
 * The path of a page that these tests do not test. Open it first if a test must prepare the page before it
 * opens the tested path with `page.goto`, for example to change responses with `page.route`.
 */
export const START_PATH = '/docs/errors';

/** A test in Chromium. It is skipped if Chromium is not installed. */
export const browserTest = test.skipIf(endpoint === null);

let connection: Promise<Browser> | undefined;

export interface PageOptions extends BrowserContextOptions {
  /** The wallets that are installed in the browser; none by default. */
  wallets?: TestWallet[];
  /** Further origins to which a page may send requests. */
  otherOrigins?: string[];
  /** An error that the browser logs, because the test provokes it. */
  expectedError?: RegExp;
}

/**
 * Opens a path of the site in a new browser profile, which is closed after the test. The test fails if one of
 * its pages throws, logs an error, violates the Content-Security-Policy or sends a request to another origin.
 * For a second tab with the same profile, use `page.context().newPage()`.
 */
export async function openPage(site: Site, path: string, options: PageOptions = {}): Promise<Page> {
  const { wallets = [], otherOrigins = [], expectedError, ...contextOptions } = options;
  connection ??= chromium.connect(endpoint ?? '');
  const browser = await connection;
  const context = await browser.newContext({
    baseURL: site.url,
    locale: 'en-US',
    viewport: { width: 1024, height: 768 },
    ...contextOptions,
  });
  const problems = recordProblems(context, [site.url, ...otherOrigins], expectedError);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await context.addInitScript(removeSecureFunctions);
  for (const wallet of wallets) await wallet.addTo(context);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

// The pages also work on http, where browsers lack these functions. The tests run on localhost, which counts
// as secure.
function removeSecureFunctions(): void {
  Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
}

function recordProblems(context: BrowserContext, origins: string[], expectedError?: RegExp): string[] {
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(`threw: ${error.error().stack}`));
  // Chromium logs a violation of the Content-Security-Policy as an error.
  context.on('console', (message) => {
    // It also logs every response with an error status, which a test can expect.
    const isResponse = message.text().startsWith('Failed to load resource');
    const isExpected = isResponse || expectedError?.test(message.text());
    if (message.type() === 'error' && !isExpected) problems.push(`logged: ${message.text()}`);
  });
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const isLocal =
      ['data:', 'blob:', 'about:', 'chrome-error:'].includes(protocol) || origins.includes(origin);
    if (!isLocal) problems.push(`sent a request to ${request.url()}`);
  });
  return problems;
}
