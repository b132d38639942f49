import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Batches are taken fairly by community. One settle function settles claims and all kinds of airdrops, in the order
  // of acceptance, so they share a queue (QUEUE in storage/queue.ts is the same expression).
  await sql`
    create index operations_pending_by_community on operations ((
      case when operation_type in ('airdrop', 'communityAdminAirdrop', 'communityAdminAirdropWithoutConsentSig')
      then 'claim' else operation_type end
    ), community_id, sequence) where status = 'pending'`.execute(db);
  await sql`drop index operations_pending`.execute(db);
  await sql`
    create index operations_isolated_by_community on operations (community_id, sequence)
    where status = 'processing'`.execute(db);
  await sql`drop index operations_set_aside`.execute(db);
  // The request of an operation that succeeds is soon deleted. Compressing an allowlist would take longer than writing it.
  await sql`alter table operations alter column request set storage external`.execute(db);

  // The key of a contributor can be an address. With `contributor_key` first, the primary key also serves look-ups by
  // address. So the index by address is not needed, and inserts of long allowlists are faster.
  await sql`alter table claims drop constraint claims_token_id_contributor_key_fkey`.execute(db);
  await sql`alter table allowlist_entries drop constraint allowlist_entries_pkey`.execute(db);
  await sql`alter table allowlist_entries add primary key (contributor_key, token_id)`.execute(db);
  await sql`drop index allowlist_entries_by_address`.execute(db);
  await sql`
    alter table claims add constraint claims_token_id_contributor_key_fkey
    foreign key (token_id, contributor_key) references allowlist_entries (token_id, contributor_key)`.execute(
    db,
  );
  // A foreign key looks up the token of each entry. This trigger looks up each token once per statement. Unlike the foreign
  // key, it does not prevent the deletion of a token that has entries, but the service deletes no tokens.
  await sql`alter table allowlist_entries drop constraint allowlist_entries_token_id_fkey`.execute(db);
  await sql`
    create function check_tokens_of_allowlist_entries() returns trigger language plpgsql as $$
    begin
      if exists (
        select from (select distinct token_id from written) w
        where not exists (select from tokens t where t.token_id = w.token_id)
      ) then
        raise exception 'an allowlist entry has no token'
          using errcode = 'foreign_key_violation', constraint = 'allowlist_entries_token';
      end if;
      return null;
    end $$`.execute(db);
  for (const event of ['insert', 'update']) {
    await sql`
      create trigger ${sql.ref(`allowlist_entries_check_tokens_at_${event}`)}
      after ${sql.raw(event)} on allowlist_entries referencing new table as written
      for each statement execute function check_tokens_of_allowlist_entries()`.execute(db);
  }
}
