import { Refusal } from '../domain/refusal.ts';

const MAX_BYTES_PER_CALLER = 16 * 1024 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;

/** Counts the bytes of the bodies that are in memory: those that arrive, wait or are being processed. */
export interface BodyBudget {
  /** Reserves memory for a caller's body. Throws 429 or 503 if too much is reserved. */
  reserve(caller: string, bytes: number): void;
  release(caller: string, bytes: number): void;
}

export function createBodyBudget(maxBytesPerCaller = MAX_BYTES_PER_CALLER, maxBytes = MAX_BYTES): BodyBudget {
  const bytesByCaller = new Map<string, number>();
  let totalBytes = 0;

  function add(caller: string, bytes: number): void {
    const sum = (bytesByCaller.get(caller) ?? 0) + bytes;
    if (sum === 0) bytesByCaller.delete(caller);
    else bytesByCaller.set(caller, sum);
    totalBytes += bytes;
  }

  return {
    reserve: (caller, bytes) => {
      if ((bytesByCaller.get(caller) ?? 0) + bytes > maxBytesPerCaller) {
        throw new Refusal(
          'RateLimited',
          `The bodies of your requests in progress have more than ${maxBytesPerCaller} bytes together. Retry when some have finished.`,
        );
      }
      if (totalBytes + bytes > maxBytes) {
        throw new Refusal('Unavailable', 'Too many large requests are in progress. Retry later.');
      }
      add(caller, bytes);
    },
    release: (caller, bytes) => add(caller, -bytes),
  };
}
