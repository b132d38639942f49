import { expect, test } from 'vitest';
import type { Sample } from './probers.ts';
import { findLongestGap, findNewPrimaryMs, type RoundSamples, summarizeRound } from './round-figures.ts';

/** One sample every 100 ms from 0 to 60 s, successful except within the outage. */
function samplesWith(outage?: { fromMs: number; toMs: number }): Sample[] {
  return Array.from({ length: 600 }, (_, index) => {
    const endedMs = index * 100;
    const isSuccess = outage === undefined || endedMs < outage.fromMs || endedMs >= outage.toMs;
    return { beganMs: endedMs - 10, endedMs, isSuccess };
  });
}

function acceptedBy(process: string, outage: { fromMs: number; toMs: number }) {
  return samplesWith(outage)
    .filter(({ isSuccess }) => isSuccess)
    .map(({ endedMs }) => ({ process, sentMs: endedMs - 10, acceptedMs: endedMs }));
}

const FAILOVER: RoundSamples = {
  beganMs: 5_000,
  mayKeepPrimary: false,
  oldPrimary: samplesWith({ fromMs: 5_000, toMs: 60_000 }),
  otherServers: [samplesWith({ fromMs: 0, toMs: 25_000 }), samplesWith({ fromMs: 0, toMs: 60_000 })],
  databaseAddress: samplesWith({ fromMs: 5_000, toMs: 26_000 }),
  readiness: [samplesWith({ fromMs: 7_000, toMs: 27_000 })],
  accepted: [
    ...acceptedBy('api', { fromMs: 5_000, toMs: 26_000 }),
    ...acceptedBy('all', { fromMs: 5_000, toMs: 28_000 }),
  ],
  apis: ['all', 'api'],
};

// The last success before the failure is at 4,900 ms, so the outages begin there.
test('the outage and the delays of a round are those of the process that recovered last', () => {
  expect(summarizeRound(FAILOVER)).toEqual({
    primaryAfterMs: 20_000,
    addressAfterMs: 21_000,
    outageMs: 23_100,
    addedByServiceMs: 3_000,
    readinessDelayMs: 2_100,
  });
});

test('readinessDelayMs is the length of the outage of the address if a process stays ready during it', () => {
  expect(summarizeRound({ ...FAILOVER, readiness: [samplesWith()] })).toMatchObject({
    readinessDelayMs: 21_100,
  });
});

test('readinessDelayMs is the time since the end of the outage if a process stays unready', () => {
  const readiness = [samplesWith({ fromMs: 5_000, toMs: 60_000 })];
  expect(summarizeRound({ ...FAILOVER, readiness })).toMatchObject({ readinessDelayMs: 33_900 });
});

test('the old primary counts as the new one only if mayKeepPrimary is true and it failed first', () => {
  const restarted = {
    ...FAILOVER,
    oldPrimary: samplesWith({ fromMs: 5_100, toMs: 8_000 }),
    otherServers: [],
  };
  expect(findNewPrimaryMs(restarted)).toBeUndefined();
  expect(findNewPrimaryMs({ ...restarted, mayKeepPrimary: true })).toBe(8_000);
  expect(findNewPrimaryMs({ ...restarted, mayKeepPrimary: true, oldPrimary: samplesWith() })).toBeUndefined();
});

test('the longest gap does not end before the failure, and is empty if there are no times', () => {
  expect(findLongestGap([0, 4_000, 5_000, 7_000, 7_500], 4_500)).toEqual({ beganMs: 5_000, endedMs: 7_000 });
  expect(findLongestGap([], 4_500)).toEqual({ beganMs: 4_500, endedMs: 4_500 });
});
