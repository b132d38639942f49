import { BadgeApiError, BadgeTimeoutError } from './errors.ts';
import { findRetryPause, pause, type SendRequest } from './transport.ts';
import type { Operation, RequestOptions, SuccessfulOperation, WaitOptions } from './types.ts';

const DEFAULT_TIMEOUT_MS = 180_000;
const MAX_WAIT_SECONDS = 30;
/** How much longer than `?wait=` a response may take. */
const EXTRA_RESPONSE_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * An operation that the service has accepted.
 *
 * @example
 * const operation: PendingOperation = await badge.claim({ tokenId: 1, signer: account });
 * await operation.wait();
 */
export interface PendingOperation {
  /** With this id, any process can wait for the result: see waitForOperation(). */
  readonly operationId: string;
  /** The `Idempotency-Key` with which the operation was accepted. */
  readonly idempotencyKey: string;
  /** Whether an earlier request with this key started the operation. */
  readonly isReplayed: boolean;
  /**
   * Waits until the operation has succeeded. Throws a `BadgeApiError` if it fails, and a `BadgeTimeoutError`
   * if it is not final in time.
   *
   * @example
   * const { tokenId } = await operation.wait({ timeoutMs: 30_000 });
   */
  wait(options?: WaitOptions): Promise<SuccessfulOperation>;
}

/**
 * A move of badges that was accepted. `wait()` returns an operation without a token, whose `warnings` say
 * which badges stayed behind.
 *
 * @example
 * const operation: PendingMove = await badge.moveBadges({ signer: account });
 * const { warnings } = await operation.wait();
 */
export type PendingMove = Omit<PendingOperation, 'wait'> & {
  wait(
    options?: WaitOptions,
  ): Promise<Omit<SuccessfulOperation, 'resourceId' | 'tokenId'> & { resourceId: null; tokenId: null }>;
};

/**
 * An export or an import that was accepted. `wait()` returns an operation whose `resourceId` is the id of the
 * export or the import.
 *
 * @example
 * const operation: PendingTransfer = await badge.exportCommunity({ communityId: 'demo', people: 'none' });
 * const { resourceId: exportId } = await operation.wait();
 */
export type PendingTransfer = Omit<PendingOperation, 'wait'> & {
  wait(options?: WaitOptions): Promise<Omit<SuccessfulOperation, 'tokenId'>>;
};

/** Reads an operation. The service responds when the operation is final, or after `waitSeconds`. */
export async function readOperation(
  send: SendRequest,
  operationId: string,
  waitSeconds: number,
  options: RequestOptions & { timeoutMs: number; maxRetries: number },
): Promise<Operation> {
  const { body } = await send({
    ...options,
    method: 'GET',
    path: `/v1/operations/${encodeURIComponent(operationId)}`,
    query: waitSeconds === 0 ? {} : { wait: waitSeconds },
    idempotencyKey: null,
    isRetrySafe: true,
  });
  return body as Operation;
}

/**
 * Waits until an operation has succeeded. Transient errors do not end the wait, unless `Retry-After` is
 * longer than a minute.
 */
export async function waitForOperation(
  send: SendRequest,
  operationId: string,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: WaitOptions = {},
): Promise<SuccessfulOperation> {
  const deadlineMs = performance.now() + timeoutMs;
  let lastError: unknown;
  /** Attempts in a row that failed, or to which the service responded without waiting. */
  let shortAttempts = 0;
  for (;;) {
    const remainingMs = deadlineMs - performance.now();
    if (remainingMs < 1) throw new BadgeTimeoutError(operationId, timeoutMs, lastError);
    const waitSeconds = Math.min(Math.floor(remainingMs / 1_000), MAX_WAIT_SECONDS);
    const startMs = performance.now();
    shortAttempts += 1;
    let pauseMs: number | null;
    try {
      const attemptMs = Math.min(waitSeconds * 1_000 + EXTRA_RESPONSE_MS, remainingMs);
      const operation = await readOperation(send, operationId, waitSeconds, {
        signal,
        timeoutMs: attemptMs,
        maxRetries: 0,
      });
      const { status, error, resourceId } = operation;
      if (status === 'success') {
        // Null only of moveBadges(), whose type says so.
        const tokenId = resourceId as number;
        return { ...operation, status, resourceId: tokenId, error: null, tokenId };
      }
      if (error !== null) throw new BadgeApiError(error, { operationId });
      // A response after at least half of the time counts as one for which the service has waited.
      const hasWaited = waitSeconds > 0 && performance.now() - startMs >= waitSeconds * 500;
      if (hasWaited) {
        shortAttempts = 0;
        continue;
      }
      // The service responds at once if too many requests wait already. Then the client asks less and less
      // often.
      pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (shortAttempts - 1), MAX_PAUSE_MS);
    } catch (error) {
      const hasOperationFailed = error instanceof BadgeApiError && error.operationId !== null;
      pauseMs = hasOperationFailed || signal?.aborted ? null : findRetryPause(error, shortAttempts);
      if (pauseMs === null) throw error;
      lastError = error;
    }
    // A timer can end a millisecond too early. Then a last attempt would have no time, and its timeout would
    // be the cause.
    await pause(Math.min(pauseMs, Math.max(Math.ceil(deadlineMs - performance.now()) + 1, 0)), signal);
  }
}
