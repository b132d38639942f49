import { sql } from 'kysely';
import type { Database } from './database.ts';

/** The number that the next consent to move the badges of an e-mail must contain. */
export async function readMoveNonce(db: Database, emailHash: Buffer): Promise<number> {
  const { rows } = await sql<{ move_nonce: number }>`
    select move_nonce from holders where email_hash = ${emailHash}`.execute(db);
  return rows[0]?.move_nonce ?? 0;
}
