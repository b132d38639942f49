import type { Context } from '../../context.ts';
import { deleteKeyUse, finishKeyUse as finish, type KeyUse } from '../../storage/idempotency-keys.ts';
import { Refusal } from '../refusal.ts';
import { isKept } from './rules.ts';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Keeps the answer of a use for 24 hours, or gives the key back; the answer may be sent once this resolves. */
export async function finishKeyUse(context: Context, use: KeyUse, answer: Answer): Promise<void> {
  if (!isKept(answer.status)) {
    // The lock ends by itself.
    await deleteKeyUse(context.database, use).catch((error: unknown) => {
      context.log.warn({ err: error }, 'an idempotency key stays locked for three minutes');
    });
  } else if (!(await finish(context.database, use, answer))) {
    throw new Refusal('IdempotencyKeyInUse', 'Another request with this Idempotency-Key has taken over.');
  }
}
