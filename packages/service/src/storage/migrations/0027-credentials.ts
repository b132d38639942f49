import { type Kysely, sql } from 'kysely';

// Processes of the previous release make no credentials. The trigger revokes them when such a process settles a burn, a
// revocation or a move.
export async function up(db: Kysely<unknown>): Promise<void> {
  // What somebody has done for the badge. It is not signed.
  await sql`alter table tokens add column criteria text`.execute(db);
  await sql`drop trigger tokens_record_event on tokens`.execute(db);
  await sql`
    create trigger tokens_record_event after update of is_hidden, criteria on tokens
    for each row when (old.is_hidden is distinct from new.is_hidden or old.criteria is distinct from new.criteria)
    execute function record_token_event()`.execute(db);

  // The public keys with which the service signs credentials for a community. The highest generation is the current one.
  // The private keys follow from a seed, and are in no table. replaced_at: when the operator said that the seed of the key was
  // lost or known to others. The service does not list such a key any more.
  await sql`
    create table issuer_keys (
      community_id text not null references communities,
      generation integer not null check (generation > 0),
      public_key bytea not null check (octet_length(public_key) = 32),
      created_at timestamptz(3) not null default now(),
      replaced_at timestamptz(3),
      primary key (community_id, generation)
    )`.execute(db);

  // Each has 131,072 entries, of which credentials use up to half. A list is signed with the same key as its credentials.
  // base_url: the URL without the id of the list, as credentials contain it. It never changes.
  await sql`
    create table status_lists (
      list_id uuid primary key default gen_random_uuid(),
      community_id text not null,
      generation integer not null,
      base_url text not null,
      entry_count integer not null default 0,
      created_at timestamptz(3) not null default now(),
      foreign key (community_id, generation) references issuer_keys
    )`.execute(db);
  await sql`
    create index status_lists_by_key on status_lists (community_id, generation, base_url, created_at)`.execute(
    db,
  );

  // The credentials that have ever been made. A badge that is reinstated gets a new one, at another index.
  await sql`
    create table credentials (
      credential_id uuid primary key default gen_random_uuid(),
      token_id bigint not null,
      address bytea not null check (octet_length(address) = 20),
      list_id uuid not null references status_lists,
      status_index integer not null check (status_index between 0 and 131071),
      created_at timestamptz(3) not null default now(),
      revoked_at timestamptz(3),
      constraint credentials_by_index unique (list_id, status_index)
    )`.execute(db);
  await sql`
    create unique index credentials_valid on credentials (token_id, address) where revoked_at is null`.execute(
    db,
  );
  await sql`
    create index credentials_revoked on credentials (list_id, revoked_at) include (status_index)
    where revoked_at is not null`.execute(db);

  // The name and the logo are in all credentials of a community, of which processes keep copies (0015-owner-changes).
  await sql`
    create function record_community_change() returns trigger language plpgsql as $$
    begin
      insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
      values (0, 9007199254740991, false, true);
      return null;
    end $$`.execute(db);
  await sql`
    create trigger communities_record_change after update of name, logo_url on communities for each row
    when (old.name is distinct from new.name or old.logo_url is distinct from new.logo_url)
    execute function record_community_change()`.execute(db);

  await sql`
    create function revoke_credential() returns trigger language plpgsql as $$
    begin
      update credentials set revoked_at = statement_timestamp()
      where token_id = old.token_id and address = old.address and revoked_at is null;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger claims_revoke_credential after update of burnt_at on claims for each row
    when (old.burnt_at is null and new.burnt_at is not null)
    execute function revoke_credential()`.execute(db);
}
