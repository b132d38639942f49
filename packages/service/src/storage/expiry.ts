import { sql } from 'kysely';
import type { DatabaseTransaction } from './database.ts';

/** Makes the expiries of a token due again, because the ends of its owners have changed. */
export async function restartExpiry(tx: DatabaseTransaction, tokenId: number): Promise<void> {
  await sql`
    insert into expiry_turns (token_id, next_at) values (${tokenId}, now())
    on conflict (token_id) do update set next_at = now(), walked_at = '-infinity', walked_address = ''`.execute(
    tx,
  );
}
