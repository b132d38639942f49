import type { ErrorName } from '@badge/protocol';
import type { Permit } from '@badge/turn-queue/fair-semaphore';
import type { FastifyRequest } from 'fastify';
import type { OperationKey, RecordResponse, Renewal } from '../context.ts';
import type { Caller } from '../domain/caller.ts';

/** What the hooks of a request find out, for later hooks and for the handler. */
export interface RequestState {
  /** The name of the error of the response, once there is one (`errors.ts`). */
  errorName: ErrorName | null;
  /** The name of the error in which the operation that was read has ended (`routes/operations.ts`). */
  operationErrorName: ErrorName | null;
  /** The owner of the API key; null if no key was checked (`auth.ts`). */
  caller: Caller | null;
  /**
   * Whether the request has a key that has not been accepted yet. If this is still so before the response is sent, the key
   * was rejected (status 400 or 401) or could not be checked (500 or 503) (`rate-limiter.ts`).
   */
  isKeyUnchecked: boolean;
  /** The name under which a request with a right key is counted (`rate-limiter.ts`). */
  keyCountName: string | null;
  /** The size of a JSON body, after it was read (`json-body.ts`). */
  bodyBytes: number;
  /** The SHA-256 of a JSON body, if the request has an `Idempotency-Key` (`json-body.ts`). */
  bodyHash: Buffer | null;
  /** The idempotency key that is recorded with the operation that the request starts (`idempotency/idempotency.ts`). */
  operationKey: OperationKey | null;
  /** Records the response of a request that has locked its key (`idempotency/idempotency.ts`). */
  recordResponse: RecordResponse | undefined;
  /** Set for a request with a key whose repetition creates new secrets (`idempotency/idempotency.ts`). */
  renewal: Renewal | undefined;
  /** The database connection of a write that has a transaction of its own (`shares/write-connections.ts`). */
  writeConnection: Permit | null;
  /** Functions to call just before the response is sent (`shares/resources.ts`). */
  releases: (() => void)[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Use `stateOf`, which creates it. */
    state: RequestState | null;
  }
}

export function stateOf(request: FastifyRequest): RequestState {
  request.state ??= {
    errorName: null,
    operationErrorName: null,
    caller: null,
    isKeyUnchecked: false,
    keyCountName: null,
    bodyBytes: 0,
    bodyHash: null,
    operationKey: null,
    recordResponse: undefined,
    renewal: undefined,
    writeConnection: null,
    releases: [],
  };
  return request.state;
}
