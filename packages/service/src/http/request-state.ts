import type { ErrorName } from '@badge/protocol';
import type { FastifyRequest } from 'fastify';
import type { OperationKey, RecordResponse, Repetition } from '../context.ts';
import type { Caller } from '../domain/caller.ts';

export interface Idempotency {
  /** The key that is recorded with the operation that the request starts. */
  operationKey?: OperationKey;
  /** Records the response of a request that has locked its key. */
  recordResponse?: RecordResponse;
  /** Set for a request with a key whose repetition creates new secrets. */
  repetition?: Repetition;
}

/** What the gate finds out about a request, for what follows. */
export interface RequestState {
  /** The name of the error of the response, once there is one (`errors.ts`). */
  errorName: ErrorName | null;
  /** The name of the error in which the operation that was read has ended (`routes/operations.ts`). */
  operationErrorName: ErrorName | null;
  /** The owner of the API key; null if no key was checked (`gate.ts`). */
  caller: Caller | null;
  /** The size of a JSON body, after it was read (`json-body.ts`). */
  bodyBytes: number;
  /** The SHA-256 of a JSON body, if the request has an `Idempotency-Key` (`json-body.ts`). */
  bodyHash: Buffer | null;
  /** What the request does for its `Idempotency-Key`, if it has one (`idempotency/idempotency.ts`). */
  idempotency: Idempotency;
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
    bodyBytes: 0,
    bodyHash: null,
    idempotency: {},
    releases: [],
  };
  return request.state;
}
