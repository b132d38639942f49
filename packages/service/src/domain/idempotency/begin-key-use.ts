import type { Context } from '../../context.ts';
import { beginKeyUse as begin, type KeptAnswer, type KeyUse } from '../../storage/idempotency-keys.ts';
import { Refusal } from '../refusal.ts';

export type { KeyUse };

/** Begins a use of an idempotency key: null if the request is to be executed, else the answer that it had. */
export async function beginKeyUse(context: Context, use: KeyUse): Promise<KeptAnswer | null> {
  const found = await begin(context.database, use);
  if (found === 'begun') return null;
  if (found === 'otherBody') {
    throw new Refusal('IdempotencyKeyReused', 'The Idempotency-Key was used here with another body.');
  }
  if (found === 'running') {
    throw new Refusal('IdempotencyKeyInUse', 'A request with this Idempotency-Key is still running.');
  }
  return found;
}
