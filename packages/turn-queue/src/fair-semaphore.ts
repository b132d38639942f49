import { createTurnQueue } from './turn-queue.ts';

export interface SemaphoreLimits {
  /** The share of a caller: the most that its requests may hold together. */
  perCaller: number;
  /** The most that the requests of all callers may hold together. */
  total: number;
  /** The longest wait. */
  maxWaitMs: number;
}

export interface SemaphoreOptions extends SemaphoreLimits {
  /** Called when a request begins to wait (1) and when its wait ends (-1). */
  onWait(difference: 1 | -1): void;
  /**
   * Returns the error of a request that is refused. `caller`: it would exceed the caller's share. `total`:
   * any other reason.
   */
  refuse(refusal: { limit: 'caller' | 'total'; hasWaited: boolean }): Error;
}

/** What a request holds of a resource. */
export interface Permit {
  /** Changes the amount at once. A larger amount may exceed the limits. */
  resize(amount: number): void;
  release(): void;
}

export interface FairSemaphore {
  /**
   * Waits until an amount is free for the caller. An amount above the caller's share counts as the share.
   * Throws the error of `refuse` if the wait is too long, or if too many requests of the caller are waiting.
   * Throws the signal's reason if the signal aborts.
   */
  acquire(caller: string, amount: number, signal?: AbortSignal): Promise<Permit>;
  /** Returns the error of `refuse` if the amount is not free now. */
  tryAcquire(caller: string, amount: number): Permit | Error;
  /** Runs a function that holds one unit until it ends. Throws like `acquire`. */
  run<Result>(caller: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

interface WaitingRequest {
  amount: number;
  grant: (permit: Permit) => void;
}

const MAX_WAITING_PER_CALLER = 1_000;

/**
 * Limits how much of a resource each caller, and all callers together, may hold. If there is not enough for
 * all, the callers take turns.
 */
export function createFairSemaphore(options: SemaphoreOptions): FairSemaphore {
  const { perCaller, total, maxWaitMs, onWait } = options;
  let held = 0;
  const heldBy = new Map<string, number>();
  const queue = createTurnQueue<WaitingRequest>();

  function changeHeld(caller: string, difference: number): void {
    held += difference;
    const amount = (heldBy.get(caller) ?? 0) + difference;
    if (amount === 0) heldBy.delete(caller);
    else heldBy.set(caller, amount);
  }

  const fitsShare = (caller: string, amount: number) => (heldBy.get(caller) ?? 0) + amount <= perCaller;
  const isFree = (caller: string, amount: number) =>
    queue.size === 0 && fitsShare(caller, amount) && held + amount <= total;

  function createPermit(caller: string, granted: number): Permit {
    let amount = granted;
    changeHeld(caller, amount);
    const resize = (newAmount: number) => {
      changeHeld(caller, newAmount - amount);
      const isSmaller = newAmount < amount;
      amount = newAmount;
      if (isSmaller) grantWaiting();
    };
    return { resize, release: () => resize(0) };
  }

  function grantWaiting(): void {
    const choose = (caller: string, { amount }: WaitingRequest) => {
      if (!fitsShare(caller, amount)) return 'skip';
      // Small amounts do not overtake a large one, which might otherwise wait for ever.
      return held + amount > total ? 'stop' : 'take';
    };
    for (let next = queue.take(choose); next !== undefined; next = queue.take(choose)) {
      next.item.grant(createPermit(next.key, next.item.amount));
    }
  }

  function refuse(caller: string, amount: number, { hasWaited = false } = {}): Error {
    return options.refuse({ limit: fitsShare(caller, amount) ? 'total' : 'caller', hasWaited });
  }

  function wait(caller: string, amount: number, signal: AbortSignal | undefined): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingRequest = { amount, grant };
      const timer = setTimeout(() => fail(refuse(caller, amount, { hasWaited: true })), maxWaitMs);
      const onAbort = () => fail(signal?.reason);
      signal?.addEventListener('abort', onAbort);
      onWait(1);
      function stopWaiting(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        onWait(-1);
      }
      function grant(permit: Permit): void {
        stopWaiting();
        resolve(permit);
      }
      function fail(error: unknown): void {
        stopWaiting();
        queue.remove(caller, waiting);
        reject(error);
        // The request after this one may need less.
        grantWaiting();
      }
      queue.add(caller, waiting);
      grantWaiting();
    });
  }

  async function acquire(caller: string, wanted: number, signal?: AbortSignal): Promise<Permit> {
    signal?.throwIfAborted();
    const amount = Math.min(wanted, perCaller);
    if (isFree(caller, amount)) return createPermit(caller, amount);
    if (queue.sizeOf(caller) >= MAX_WAITING_PER_CALLER) throw refuse(caller, amount);
    return await wait(caller, amount, signal);
  }

  return {
    acquire,
    tryAcquire: (caller, amount) =>
      isFree(caller, amount) ? createPermit(caller, amount) : refuse(caller, amount),
    run: async (caller, signal, work) => {
      const permit = await acquire(caller, 1, signal);
      try {
        return await work();
      } finally {
        permit.release();
      }
    },
  };
}
