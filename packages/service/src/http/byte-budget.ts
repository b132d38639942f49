import { Refusal } from '../domain/refusal.ts';

/** Limits the bytes that the requests of one caller hold, in memory or on disk. Requests above the limit wait, in order. */
export interface ByteBudget {
  /**
   * Waits until the caller, such as an address or a community, has `bytes` left. Throws a Refusal after `maxWaitMs`, and the reason of the signal when
   * it aborts. The caller must release the reservation.
   */
  reserve(caller: string, bytes: number, signal: AbortSignal): Promise<Reservation>;
}

export interface Reservation {
  /** Reserves fewer bytes than before. */
  shrinkTo(bytes: number): void;
  release(): void;
}

interface Waiter {
  readonly bytes: number;
  admit(): void;
}

interface Account {
  usedBytes: number;
  readonly waiting: Set<Waiter>;
}

export interface ByteBudgetOptions {
  /** The budget of each caller. */
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  /** The detail of the refusal after `maxWaitMs`. */
  readonly refusal: string;
}

export function createByteBudget({ maxBytes, maxWaitMs, refusal }: ByteBudgetOptions): ByteBudget {
  const accounts = new Map<string, Account>();

  function admitNext(caller: string, account: Account): void {
    for (const waiter of account.waiting) {
      // A reservation larger than the whole budget is admitted alone.
      if (account.usedBytes > 0 && account.usedBytes + waiter.bytes > maxBytes) break;
      account.waiting.delete(waiter);
      account.usedBytes += waiter.bytes;
      waiter.admit();
    }
    if (account.usedBytes === 0 && account.waiting.size === 0) accounts.delete(caller);
  }

  function createReservation(caller: string, account: Account, reservedBytes: number): Reservation {
    let ownBytes = reservedBytes;
    function shrinkTo(bytes: number): void {
      const freedBytes = Math.max(0, ownBytes - bytes);
      ownBytes -= freedBytes;
      account.usedBytes -= freedBytes;
      if (freedBytes > 0) admitNext(caller, account);
    }
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  return {
    reserve: (caller, bytes, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const account = accounts.get(caller) ?? { usedBytes: 0, waiting: new Set() };
        accounts.set(caller, account);
        const timer = setTimeout(() => leave(new Refusal('RateLimited', refusal)), maxWaitMs);
        const onAbort = () => leave(signal.reason as Error);
        const waiter = {
          bytes,
          admit() {
            stopWaiting();
            resolve(createReservation(caller, account, bytes));
          },
        };
        function stopWaiting(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        }
        function leave(reason: Error): void {
          stopWaiting();
          account.waiting.delete(waiter);
          admitNext(caller, account);
          reject(reason);
        }
        signal.addEventListener('abort', onAbort);
        account.waiting.add(waiter);
        admitNext(caller, account);
      }),
  };
}
