import type { Page } from 'playwright-core';

/**
 * Opens a path on a processor that is slowed down, and returns when the largest content was painted, in milliseconds
 * after the navigation (Largest Contentful Paint).
 */
export async function measureLargestPaint(
  page: Page,
  path: string,
  { cpuSlowdown = 4 } = {},
): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.goto(path, { waitUntil: 'networkidle' });
  const paintedMs = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const last = list.getEntries().at(-1);
          observer.disconnect();
          resolve(last?.startTime ?? Number.NaN);
        });
        observer.observe({ type: 'largest-contentful-paint', buffered: true });
      }),
  );
  await devtools.detach();
  return paintedMs;
}
