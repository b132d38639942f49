import { type Kysely, sql } from 'kysely';

// Processes of the previous release keep working. They create keys without a role, which are then `editor`, and they change
// `communities.admin_addresses`, which stays the list of the owners: a trigger adds its addresses to the members.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table members (
      community_id text not null references communities,
      address bytea not null check (octet_length(address) = 20),
      role text not null check (role in ('viewer', 'issuer', 'editor', 'owner')),
      sequence bigint generated always as identity,
      added_at timestamptz(3) not null default now(),
      primary key (community_id, address)
    )`.execute(db);
  await sql`create unique index members_in_order on members (community_id, sequence)`.execute(db);
  await sql`create index members_by_address on members (address, community_id)`.execute(db);

  await sql`
    create function follow_admin_addresses() returns trigger language plpgsql as $$
    begin
      delete from members
      where community_id = new.community_id and role = 'owner' and not address = any(new.admin_addresses);
      insert into members (community_id, address, role)
      select new.community_id, listed.address, 'owner'
      from unnest(new.admin_addresses) with ordinality as listed (address, position)
      group by listed.address
      order by min(listed.position)
      on conflict (community_id, address) do update set role = 'owner' where members.role <> 'owner';
      return null;
    end $$`.execute(db);
  await sql`
    create trigger communities_follow_admin_addresses after insert or update of admin_addresses on communities
    for each row execute function follow_admin_addresses()`.execute(db);
  await sql`update communities set admin_addresses = admin_addresses where admin_addresses <> '{}'`.execute(
    db,
  );

  // created_by: the member with whose session, or with whose key, the key was created.
  await sql`
    alter table api_keys
      add column role text not null default 'editor' check (role in ('viewer', 'issuer', 'editor', 'owner')),
      add column created_by bytea check (octet_length(created_by) = 20)`.execute(db);
  await sql`
    create index api_keys_by_creator on api_keys (community_id, created_by)
    where created_by is not null and revoked_at is null`.execute(db);

  // address: of the session that a write was sent with. reason: what the community gave as the reason for a write.
  await sql`alter table audit_log add column address bytea, add column reason text`.execute(db);
}
