import { setTimeout as wait } from 'node:timers/promises';
import type { LoadResult } from '../driver/load.ts';
import { atMost, type Bench, type Figure, type Row } from '../figure.ts';
import { waitUntilSettled } from '../service.ts';
import { signCreations } from '../signed-requests.ts';
import { measureCapacity } from './writes.ts';

const CONNECTIONS = 256;
// Enough for 2 seconds of requests at 2,000 per second. Further requests wait in the driver, and this wait
// counts as response time.
const OVERLOAD_CONNECTIONS = 4_000;

/**
 * The response times while creations arrive at twice the possible rate, and the response times at half the
 * possible rate before and after the overload.
 */
export const overload: Figure = {
  name: 'overload',
  async measure(bench) {
    const { extent, service } = bench;
    const capacity = await measureCapacity(bench);
    const before = await create(bench, capacity / 2, CONNECTIONS, extent.windowMs);
    const during = await create(bench, capacity * 2, OVERLOAD_CONNECTIONS, extent.overloadMs);
    const { accepted, refused, refusedWithoutRetryAfter, statuses } = during;
    const unexpected = Object.keys(statuses).filter((status) => !['202', '429', '503'].includes(status));
    if (unexpected.length > 0)
      throw new Error(`an overload must not cause the status ${unexpected.join(', ')}`);
    if (refusedWithoutRetryAfter > 0)
      throw new Error(`${refusedWithoutRetryAfter} refusals had no Retry-After`);
    await wait(extent.recoveryMs);
    const after = await create(bench, capacity / 2, CONNECTIONS, extent.windowMs);
    await waitUntilSettled(service.databaseUrl);
    const details = { capacity, before, during, after };
    const row = (name: string, figure: number, goalMs: number): Row => ({
      name,
      unit: 'ms',
      figure,
      reference: null,
      ratio: null,
      goal: atMost(goalMs),
      details,
    });
    return [
      row('overload: accepted, p99', accepted.p99Ms, 2_000),
      // Without refusals there is nothing to measure, and the goal is met.
      row('overload: slowest refusal', refused.count === 0 ? 0 : refused.maxMs, 1_000),
      {
        name: `creation p50 ${extent.recoveryMs / 1_000} s after the overload, compared with before`,
        unit: 'ms',
        figure: after.accepted.p50Ms,
        reference: before.accepted.p50Ms,
        ratio: after.accepted.p50Ms / before.accepted.p50Ms,
        goal: atMost(1.5),
        details: {},
      },
    ];
  },
};

async function create(
  { service, driver }: Bench,
  ratePerSecond: number,
  connections: number,
  durationMs: number,
): Promise<LoadResult> {
  const signed = signCreations(Math.ceil((ratePerSecond * durationMs) / 1_000), service.community);
  const requests = signed.map(({ request }) => request);
  const [result] = await driver.runAll([{ port: service.port, connections, requests, ratePerSecond }]);
  if (result === undefined) throw new Error('the driver returned no result');
  return result;
}
