import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium } from '@badge/test-support/chromium';
import { createDatabaseOn } from '@badge/test-support/databases';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { type SiteAccess, startProcess } from './site.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests connect to the browser of the run. Null if Chromium is not installed. */
    browserEndpoint: string | null;
    /** How to reach the site that test files share. */
    site: SiteAccess;
  }
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * A global setup of Vitest: builds the pages, and starts the shared site and one headless Chromium. Runs
 * after the setup `postgres-server`.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // The service serves the built pages, so the tests need a build of the sources that they test.
  if (!isBuildCurrent()) execFileSync('npm', ['run', '--silent', 'prepare'], { cwd: ROOT, stdio: 'inherit' });
  const { serverUrl, templateDatabase } = project.getProvidedContext();
  // Both end with this process.
  const [browser, site] = await Promise.all([
    startBrowser(),
    createDatabaseOn(serverUrl, templateDatabase).then((databaseUrl) => startProcess(databaseUrl)),
  ]);
  project.provide('browserEndpoint', browser?.wsEndpoint() ?? null);
  project.provide('site', site.access);
  return async () => {
    await browser?.close();
    await site.remove();
  };
}

async function startBrowser(): Promise<BrowserServer | null> {
  const executablePath = findChromium();
  if (executablePath === null) {
    process.stderr.write(
      'The browser tests are skipped: install Chromium (apt-get install chromium-headless-shell).\n',
    );
    return null;
  }
  return await chromium.launchServer({
    executablePath,
    // Chromium's sandbox does not work as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** Whether the build is newer than everything that it is made from. */
function isBuildCurrent(): boolean {
  const builtAtMs = Math.max(
    0,
    ...globSync(join(ROOT, 'packages/web/dist/sdk-*.tgz')).map((name) => statSync(name).mtimeMs),
  );
  const sources = globSync('packages/{web,sdk,protocol}/**', {
    cwd: ROOT,
    exclude: (name) => /^(node_modules|dist|browser-tests)$/.test(name),
  });
  return [...sources, 'package-lock.json']
    .map((name) => statSync(join(ROOT, name)))
    .every((stats) => stats.isDirectory() || stats.mtimeMs < builtAtMs);
}
