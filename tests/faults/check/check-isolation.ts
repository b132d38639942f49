import type { ProbeKind } from '../journal.ts';
import type { Evidence } from './evidence.ts';
import type { InvariantTally } from './tally.ts';

const LIMITS_MS: Record<ProbeKind, number> = { healthz: 1_000, write: 5_000, read: 5_000, picture: 5_000 };
const MAX_MEMORY_BYTES = 10 ** 9;

/**
 * I13: while one caller attacks, another caller is served in time, and the memory of the service stays
 * bounded.
 */
export function checkIsolation({ history }: Evidence, { expect }: InvariantTally): void {
  for (const seen of history.observations) {
    if (seen.type === 'probe') {
      const { attack, probe, tookMs, lagMs, serviceWaitMs, failure } = seen;
      // The time in which the prober itself could not run does not count. The service's waits for a processor
      // do count, because the attack may cause them.
      const isInTime = failure === null && tookMs - lagMs <= LIMITS_MS[probe];
      const lag = `the prober could not run for ${Math.round(lagMs)} ms of it`;
      const serviceWait = `the service waited for a processor for ${Math.round(serviceWaitMs)} ms of it`;
      const took = `${Math.round(tookMs)} ms (${lag}, ${serviceWait})`;
      expect(isInTime, () => `${attack}: ${probe} took ${took}${failure === null ? '' : `: ${failure}`}`);
    } else if (seen.type === 'memory') {
      const { attack, process, peakBytes } = seen;
      const isBounded = peakBytes < MAX_MEMORY_BYTES;
      expect(isBounded, () => `${attack}: ${process} used ${Math.round(peakBytes / 10 ** 6)} MB`);
    }
  }
}

interface ProbeTimes {
  probe: ProbeKind;
  tookMs: number;
  lagMs: number;
  failure: string | null;
}

/**
 * Whether a successful probe was late only because the prober did not get the processor. Such a probe is not
 * a violation.
 */
export function isDelayedByProber({ probe, tookMs, lagMs, failure }: ProbeTimes): boolean {
  return failure === null && tookMs > LIMITS_MS[probe] && tookMs - lagMs <= LIMITS_MS[probe];
}

/** Whether a probe violates I13 only because of the service's waits for a processor. */
export function isDelayedByWaits({
  probe,
  tookMs,
  lagMs,
  serviceWaitMs,
  failure,
}: ProbeTimes & { serviceWaitMs: number }): boolean {
  const ranMs = tookMs - lagMs;
  return failure === null && ranMs > LIMITS_MS[probe] && ranMs - serviceWaitMs <= LIMITS_MS[probe];
}
