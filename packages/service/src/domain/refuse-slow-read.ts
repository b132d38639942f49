import { findTimeout } from '../storage/database.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns a handler that refuses a read that failed with a statement timeout. It is 503, because the same request can
 * succeed when the database is less busy.
 */
export function refuseSlowRead(advice: string): (error: unknown) => never {
  return (error) => {
    if (findTimeout(error) !== 'statement') throw error;
    throw new Refusal('Unavailable', `Reading this list took too long. ${advice}, or retry later.`);
  };
}
