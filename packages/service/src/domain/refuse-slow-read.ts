import { findTimeout } from '../storage/database-errors.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns an error handler for a read. If the read failed with a statement timeout, the handler refuses the
 * request with 503, because the same request can succeed when the database is less busy. It throws any other
 * error again. `advice` is what the client can do instead of a retry.
 */
export function refuseSlowRead(advice: string): (error: unknown) => never {
  return (error) => {
    if (findTimeout(error) !== 'statement') throw error;
    throw new Refusal('Unavailable', `Reading this list took too long. ${advice}, or retry later.`);
  };
}
