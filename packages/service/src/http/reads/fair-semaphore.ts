import { Refusal } from '../../domain/refusal.ts';

export interface SemaphoreLimits {
  total: number;
  /** The most that one address may hold. */
  perAddress: number;
  /** The most requests of one address that wait at a time. */
  maxWaiting: number;
  waitMs: number;
}

/** What a request holds of a semaphore. */
export interface Permit {
  /** Changes the amount. It may grow without waiting. */
  resize(amount: number): void;
  release(): void;
}

export interface FairSemaphore {
  /**
   * Waits until an amount is free. An amount above the limit of an address counts as this limit. Throws a Refusal if
   * the wait is too long, or the signal's reason if it aborts.
   */
  acquire(address: string, amount: number, signal: AbortSignal): Promise<Permit>;
}

interface Waiting {
  amount: number;
  grant: (permit: Permit) => void;
}

/** Limits what requests hold together. If there is not enough for all, the addresses take turns. */
export function createFairSemaphore({
  total,
  perAddress,
  maxWaiting,
  waitMs,
}: SemaphoreLimits): FairSemaphore {
  let held = 0;
  const heldBy = new Map<string, number>();
  // The address whose turn is next is first.
  const queues = new Map<string, Waiting[]>();

  function change(address: string, difference: number): void {
    held += difference;
    const amount = (heldBy.get(address) ?? 0) + difference;
    if (amount === 0) heldBy.delete(address);
    else heldBy.set(address, amount);
  }

  const fitsAddress = (address: string, amount: number) => (heldBy.get(address) ?? 0) + amount <= perAddress;

  function createPermit(address: string, granted: number): Permit {
    let amount = granted;
    change(address, amount);
    const resize = (newAmount: number) => {
      change(address, newAmount - amount);
      const isSmaller = newAmount < amount;
      amount = newAmount;
      if (isSmaller) grantWaiting();
    };
    return { resize, release: () => resize(0) };
  }

  function grantWaiting(): void {
    // An address that has had its turn moves to the end of the map, and is visited again.
    for (const [address, [next]] of queues) {
      if (next === undefined || !fitsAddress(address, next.amount)) continue;
      // A large amount is not overtaken by small ones, or it might wait for ever.
      if (held + next.amount > total) return;
      removeWaiting(address, next);
      const queue = queues.get(address);
      if (queue !== undefined) {
        queues.delete(address);
        queues.set(address, queue);
      }
      next.grant(createPermit(address, next.amount));
    }
  }

  function removeWaiting(address: string, waiting: Waiting): void {
    const queue = queues.get(address)?.filter((other) => other !== waiting) ?? [];
    if (queue.length === 0) queues.delete(address);
    else queues.set(address, queue);
  }

  return {
    acquire: async (address, wanted, signal) => {
      signal.throwIfAborted();
      const amount = Math.min(wanted, perAddress);
      if (queues.size === 0 && fitsAddress(address, amount) && held + amount <= total) {
        return createPermit(address, amount);
      }
      const queue = queues.get(address) ?? [];
      if (queue.length >= maxWaiting) throw tooManyReads();
      return await new Promise<Permit>((resolve, reject) => {
        const waiting: Waiting = { amount, grant };
        const timer = setTimeout(() => fail(tooManyReads()), waitMs);
        const onAbort = () => fail(signal.reason);
        signal.addEventListener('abort', onAbort);
        function stopWaiting(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        }
        function grant(permit: Permit): void {
          stopWaiting();
          resolve(permit);
        }
        function fail(error: unknown): void {
          stopWaiting();
          removeWaiting(address, waiting);
          reject(error);
          // The next one may need less.
          grantWaiting();
        }
        queues.set(address, [...queue, waiting]);
        grantWaiting();
      });
    },
  };
}

function tooManyReads(): Refusal {
  return new Refusal('Unavailable', 'Too many reads are in progress. Retry later.');
}
