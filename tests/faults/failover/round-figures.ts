import type { Sample } from './probers.ts';

/** An accepted write of the load. */
export interface AcceptedWrite {
  process: string;
  sentMs: number;
  acceptedMs: number;
}

/** What was seen in one round. All times are those of `performance.now()`. */
export interface RoundSamples {
  /** When the failure began. */
  beganMs: number;
  /** Whether the failure can end without a failover: the old primary itself accepts writes again. */
  mayKeepPrimary: boolean;
  oldPrimary: Sample[];
  otherServers: Sample[][];
  /** Probes of the address of the database, to which the service connects. */
  databaseAddress: Sample[];
  readiness: Sample[][];
  accepted: AcceptedWrite[];
  /** The processes that serve the API. */
  apis: string[];
}

/** Times in milliseconds. */
export interface RoundFigures {
  /** From the failure until a server accepted writes again. */
  primaryAfterMs: number;
  /** From the failure until new connections through the address could write again. */
  addressAfterMs: number;
  /** The longest time in which an API process accepted no write. */
  outageMs: number;
  /**
   * From the first write that a PostgreSQL server accepted after the failure until every API process had
   * accepted one.
   */
  addedByServiceMs: number;
  /**
   * The longest time for which /readyz of a process was wrong: the process was ready although the address
   * accepted no writes, or not ready although the address accepted them.
   */
  readinessDelayMs: number;
}

/**
 * Returns when a server first accepts writes after the failure: another server or, with `mayKeepPrimary`, the
 * old primary. Undefined if none does.
 */
export function findNewPrimaryMs(samples: RoundSamples): number | undefined {
  const { beganMs, mayKeepPrimary, oldPrimary, otherServers } = samples;
  const successes = otherServers.flat().filter(({ isSuccess, endedMs }) => isSuccess && endedMs > beganMs);
  const restart = mayKeepPrimary ? findFirstSuccessAfterFailure(oldPrimary, beganMs) : undefined;
  if (restart !== undefined) successes.push(restart);
  return successes.length === 0 ? undefined : Math.min(...successes.map(({ endedMs }) => endedMs));
}

function findFirstSuccessAfterFailure(samples: Sample[], beganMs: number): Sample | undefined {
  const failed = samples.find(({ isSuccess, endedMs }) => !isSuccess && endedMs > beganMs);
  if (failed === undefined) return undefined;
  return samples.find((sample) => sample.isSuccess && sample.beganMs > failed.beganMs);
}

/**
 * The longest gap between two successive times. Ignores gaps that end before `fromMs`. If there is no gap,
 * returns an empty one.
 */
export function findLongestGap(timesMs: number[], fromMs: number): { beganMs: number; endedMs: number } {
  let longest = { beganMs: fromMs, endedMs: fromMs };
  for (const [index, endedMs] of timesMs.entries()) {
    const beganMs = timesMs[index - 1] ?? endedMs;
    if (endedMs > fromMs && endedMs - beganMs > longest.endedMs - longest.beganMs)
      longest = { beganMs, endedMs };
  }
  return longest;
}

export function summarizeRound(samples: RoundSamples): RoundFigures {
  const { beganMs, databaseAddress, accepted, apis, readiness } = samples;
  const primaryMs = findNewPrimaryMs(samples) ?? beganMs;
  const addressOutage = findLongestGap(successTimes(databaseAddress), beganMs);
  const outages = apis.map((api) =>
    findLongestGap(
      accepted.filter(({ process }) => process === api).map(({ acceptedMs }) => acceptedMs),
      beganMs,
    ),
  );
  return {
    primaryAfterMs: primaryMs - beganMs,
    addressAfterMs: addressOutage.endedMs - beganMs,
    outageMs: Math.max(...outages.map((outage) => outage.endedMs - outage.beganMs)),
    addedByServiceMs: Math.max(0, ...outages.map(({ endedMs }) => endedMs - primaryMs)),
    readinessDelayMs: Math.max(...readiness.map((process) => readinessDelay(process, addressOutage))),
  };
}

function successTimes(samples: Sample[]): number[] {
  return samples.filter(({ isSuccess }) => isSuccess).map(({ endedMs }) => endedMs);
}

// A process should be unready during the outage, and ready otherwise. If it never was unready, the delay is
// the length of the outage.
function readinessDelay(readiness: Sample[], outage: { beganMs: number; endedMs: number }): number {
  const unready = readiness.filter(({ isSuccess, endedMs }) => !isSuccess && endedMs > outage.beganMs);
  const firstUnreadyMs = Math.min(outage.endedMs, unready[0]?.endedMs ?? Infinity);
  const lastUnreadyMs = Math.max(outage.endedMs, unready.at(-1)?.endedMs ?? 0);
  return Math.max(firstUnreadyMs - outage.beganMs, lastUnreadyMs - outage.endedMs);
}
