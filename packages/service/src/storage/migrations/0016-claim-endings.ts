import { type Kysely, sql } from 'kysely';

// An address can lose a token in three ways: it burns it, the community revokes it, or the community moves it to another
// address. `burnt_at` and `burn_operation_id` are set in all three, so processes of the previous release also see that the
// address does not hold the token.
export async function up(db: Kysely<unknown>): Promise<void> {
  // ending: how the address lost the token; null if it holds or has burnt it. burnt_at says when. status_changed_at: when it
  // got the token by a move or a reinstatement; null if it never did. moved_from: the address that this one got the token
  // from, if the community moved it. Such a claim does not count towards the token's total.
  await sql`
    alter table claims
      add column ending text,
      add column status_changed_at timestamptz(3),
      add column moved_from bytea`.execute(db);
  // The check holds for existing rows, whose new columns are null. `not valid` saves reading all of them.
  await sql`
    alter table claims add constraint claims_ending check (
      (ending is null or (ending in ('revoked', 'moved') and burnt_at is not null))
      and (moved_from is null or octet_length(moved_from) = 20)
    ) not valid`.execute(db);
}
