import type { Times } from '../driver/load.ts';
import { atMost, type Figure, type Row } from '../figure.ts';
import { signCreations } from '../signed-requests.ts';
import { median } from '../statistics.ts';
import { measureCapacity } from './writes.ts';

const CONNECTIONS = 256;
const WAIT_FOR_EVERY = 10;

/**
 * The time from a 202 to the response that says `success`, while tokens are created at half of the possible
 * rate.
 */
export const settleTime: Figure = {
  name: 'settle-time',
  async measure(bench) {
    const { extent, service, driver } = bench;
    const capacity = await measureCapacity(bench);
    const rounds: Times[] = [];
    for (let round = 0; round < extent.rounds; round += 1) {
      const ratePerSecond = capacity / 2;
      const signed = signCreations(Math.ceil((ratePerSecond * extent.windowMs) / 1_000), service.community);
      const { settled, unsettled } = await driver.run({
        port: service.port,
        connections: CONNECTIONS,
        requests: signed.map(({ request }) => request),
        ratePerSecond,
        waitForEvery: WAIT_FOR_EVERY,
      });
      if (unsettled > 0) throw new Error(`${unsettled} operations did not succeed in time`);
      rounds.push(settled);
    }
    const row = (name: string, values: number[], goalMs: number): Row => ({
      name,
      unit: 'ms',
      figure: median(values),
      reference: null,
      ratio: null,
      goal: atMost(goalMs),
      details: { capacity, rounds },
    });
    return [
      row(
        '202 to success, p50',
        rounds.map(({ p50Ms }) => p50Ms),
        20,
      ),
      row(
        '202 to success, p99',
        rounds.map(({ p99Ms }) => p99Ms),
        100,
      ),
    ];
  },
};
