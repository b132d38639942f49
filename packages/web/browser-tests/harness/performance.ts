import type { Page } from 'playwright-core';

const CPU_SLOWDOWN = 4;

/**
 * Opens a path on a slowed-down processor. Returns the time from the navigation to the paint of the largest
 * content, in milliseconds (Largest Contentful Paint).
 */
export async function measureLargestPaint(page: Page, path: string): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
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
