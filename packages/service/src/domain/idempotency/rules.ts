import { createHash } from 'node:crypto';
import type { RequestError } from '@badge/protocol';
import type { Caller } from '../caller.ts';

/** Where a key is used: the same key elsewhere, or of another caller, is another key. */
export interface KeyPlace {
  /** Null where no key is needed and none was sent: then the client's address stands for it. */
  caller: Caller | null;
  address: string;
  method: string;
  route: string;
  params: unknown;
}

/** What is wrong with an `Idempotency-Key`. */
export function findIdempotencyKeyErrors(key: string): RequestError[] {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return [];
  return [{ parameter: 'Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }];
}

/** The 32 bytes that tell a key and its place from all others. */
export function identifyKeyUse(key: string, { caller, address, method, route, params }: KeyPlace): Buffer {
  const who = caller === null ? ['address', address] : [caller.kind, 'apiKeyId' in caller && caller.apiKeyId];
  return createHash('sha256')
    .update(JSON.stringify([who, method, route, params, key]))
    .digest();
}

// Of a malformed body or a wrong key nothing was executed: the corrected request may use the same key.
const NOT_EXECUTED = [400, 401, 408, 413, 415, 429];

/** Whether an answer is kept: it came of executing the request, and would not be better the next time. */
export function isKept(status: number): boolean {
  return status < 500 && !NOT_EXECUTED.includes(status);
}
