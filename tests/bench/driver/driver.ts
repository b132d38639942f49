import { startChild } from '../child.ts';
import type { Load, LoadResult } from './load.ts';

export interface DriverResult {
  results: LoadResult[];
  /** How much of one core the driver used. Near 1, the driver itself limits what is measured. */
  cpuUse: number;
}

/**
 * A process that only sends requests, so that no other work delays them, and its processor time can be
 * measured.
 */
export interface Driver {
  /** Sends one load. Throws if a response has a status of 400 or above, or does not arrive. */
  run(load: Load): Promise<LoadResult>;
  /** Sends loads at the same time. */
  runAll(loads: Load[]): Promise<LoadResult[]>;
  /** The largest `cpuUse` since the last call. */
  takeCpuUse(): number;
  stop(): void;
}

export function startDriver(): Driver {
  const child = startChild<Load[], DriverResult>(new URL('driver-process.ts', import.meta.url));
  let maxCpuUse = 0;

  async function runAll(loads: Load[]): Promise<LoadResult[]> {
    const { results, cpuUse } = await child.call(loads);
    maxCpuUse = Math.max(maxCpuUse, cpuUse);
    return results;
  }

  return {
    runAll,
    async run(load) {
      const [result] = await runAll([load]);
      if (result === undefined) throw new Error('the driver returned no result');
      checkAccepted(result);
      return result;
    },
    takeCpuUse() {
      const use = maxCpuUse;
      maxCpuUse = 0;
      return use;
    },
    stop: child.stop,
  };
}

/** Throws if a response has a status of 400 or above, or did not arrive. */
export function checkAccepted({ statuses, refused }: LoadResult): void {
  if (refused.count > 0) throw new Error(`requests failed; responses by status: ${JSON.stringify(statuses)}`);
}

/** Returns a complete GET request. */
export function getRequest(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
}

/** The number of accepted requests per second. */
export function rateOf({ accepted, durationMs }: LoadResult): number {
  return (accepted.count * 1_000) / durationMs;
}
