import { Refusal } from '../domain/refusal.ts';

/** Limits the bytes that the responses to one address hold in memory. Requests above the limit wait, in order. */
export interface AddressBudget {
  /**
   * Waits until the address has `bytes` left. Throws a Refusal after `maxWaitMs`, and the reason of the signal when
   * it aborts. The caller must release the reservation.
   */
  reserve(address: string, bytes: number, signal: AbortSignal): Promise<Reservation>;
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

export function createAddressBudget({
  maxBytes,
  maxWaitMs,
}: {
  maxBytes: number;
  maxWaitMs: number;
}): AddressBudget {
  const accounts = new Map<string, Account>();

  function admitNext(address: string, account: Account): void {
    for (const waiter of account.waiting) {
      // A reservation larger than the whole budget is admitted alone.
      if (account.usedBytes > 0 && account.usedBytes + waiter.bytes > maxBytes) break;
      account.waiting.delete(waiter);
      account.usedBytes += waiter.bytes;
      waiter.admit();
    }
    if (account.usedBytes === 0 && account.waiting.size === 0) accounts.delete(address);
  }

  function createReservation(address: string, account: Account, reservedBytes: number): Reservation {
    let ownBytes = reservedBytes;
    function shrinkTo(bytes: number): void {
      const freedBytes = Math.max(0, ownBytes - bytes);
      ownBytes -= freedBytes;
      account.usedBytes -= freedBytes;
      if (freedBytes > 0) admitNext(address, account);
    }
    return { shrinkTo, release: () => shrinkTo(0) };
  }

  return {
    reserve: (address, bytes, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const account = accounts.get(address) ?? { usedBytes: 0, waiting: new Set() };
        accounts.set(address, account);
        const timer = setTimeout(
          () => leave(new Refusal('RateLimited', 'Too many responses are being sent to this address.')),
          maxWaitMs,
        );
        const onAbort = () => leave(signal.reason as Error);
        const waiter = {
          bytes,
          admit() {
            stopWaiting();
            resolve(createReservation(address, account, bytes));
          },
        };
        function stopWaiting(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        }
        function leave(reason: Error): void {
          stopWaiting();
          account.waiting.delete(waiter);
          admitNext(address, account);
          reject(reason);
        }
        signal.addEventListener('abort', onAbort);
        account.waiting.add(waiter);
        admitNext(address, account);
      }),
  };
}
