import { serveParent } from '../child.ts';
import type { DriverResult } from './driver.ts';
import { type Load, runLoad } from './load.ts';

serveParent(async (loads: Load[]): Promise<DriverResult> => {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const results = await Promise.all(loads.map(runLoad));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { results, cpuUse: (user + system) / 1_000 / (performance.now() - startMs) };
});
