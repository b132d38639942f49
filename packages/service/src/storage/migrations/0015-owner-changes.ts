import { type Kysely, sql } from 'kysely';

// Also records the tokens whose owners change, so that processes can keep pages of owners. A process of the previous
// release handles such a change as a change of the token itself.
export async function up(db: Kysely<unknown>): Promise<void> {
  // Most batches of claims are of few tokens. A change of many tokens is recorded as one range.
  await sql`
    create function record_owner_changes() returns trigger language plpgsql as $$
    begin
      if (select count(*) from touched) > 256 then
        insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
        select min(token_id), max(token_id), false, true from touched;
      else
        insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
        select distinct token_id, token_id, false, true from touched;
      end if;
      return null;
    end $$`.execute(db);

  await sql`
    create trigger claims_record_new after insert on claims referencing new table as touched
    for each statement execute function record_owner_changes()`.execute(db);
  await sql`
    create trigger claims_record_updated after update on claims referencing new table as touched
    for each statement execute function record_owner_changes()`.execute(db);
  // An update that moves a claim to another token also changes the owners of the former token.
  await sql`
    create trigger claims_record_former after update on claims referencing old table as touched
    for each statement execute function record_owner_changes()`.execute(db);
  await sql`
    create trigger claims_record_deleted after delete on claims referencing old table as touched
    for each statement execute function record_owner_changes()`.execute(db);
  await sql`
    create trigger claims_record_truncated after truncate on claims
    for each statement execute function record_token_truncation()`.execute(db);
  // If is_of_owners is true, the tokens themselves did not change. The claims are locked first and token_changes second, in
  // the same order as when a claim is settled, so this cannot deadlock.
  await sql`alter table token_changes add column is_of_owners boolean not null default false`.execute(db);
}
