import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

// When an owner's token ends is computed when it is read, so a change of the token holds at once for all of
// its owners. The database's clock decides whether a token has ended.

/**
 * SQL: when the token of the claim `c` ends; null: never. `token` is what the row of the token is selected
 * from, so that a list of the owners of one token reads it once.
 */
export function validUntilOf(token: RawBuilder<unknown>): RawBuilder<Date | null> {
  const select = (column: string) => sql`(select ${sql.ref(column)} from ${token})`;
  return sql`coalesce(
    c.renewed_until, ${select('valid_until')}, c.claimed_at + ${select('validity_days')} * interval '24 hours'
  )`;
}

/** SQL: when the token of the claim `c` ends. */
export const VALID_UNTIL = validUntilOf(sql`tokens v where v.token_id = c.token_id limit 1`);

/** SQL: whether a token that ends then has not ended yet. */
export function isValid(validUntil: RawBuilder<Date | null>): RawBuilder<boolean> {
  return sql`((${validUntil} <= now()) is not true)`;
}

/** Whether a time is in the future, by the database's clock. */
export async function isInFuture(db: Database, time: Date): Promise<boolean> {
  const { rows } = await sql<{ is_future: boolean }>`select now() < ${time} as is_future`.execute(db);
  return rows[0]?.is_future === true;
}
